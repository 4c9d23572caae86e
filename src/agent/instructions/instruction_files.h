#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/settings/source_file.h"

namespace ralph::instructions {

/// One file of standing instructions, with what it imports put in its place.
struct Instructions {
  std::filesystem::path path;
  std::string text;
};

/// The user's CLAUDE.md, then those of the folders from the top down to `cwd`: CLAUDE.md, or AGENTS.md where there is none,
/// and CLAUDE.local.md. "@path" in a text imports a file: within the working folder, or, from the user's own file, anywhere.
/// What is missing, too large or no text is passed over; what a rule denies to a project's files, and what would make
/// them more than 1 MB together, is left out with a note in its place.
std::vector<Instructions> read_instructions(const settings::Options& options,
                                            const settings::Environment& environment,
                                            const std::filesystem::path& cwd,
                                            const settings::DeniedFiles& denied);

/// As text in front of the first message; empty: there are none.
std::string instructions_text(const std::vector<Instructions>& all);

}  // namespace ralph::instructions
