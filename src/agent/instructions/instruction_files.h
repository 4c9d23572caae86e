#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/settings/source_file.h"

namespace ralph::instructions {

/// A CLAUDE.md or AGENTS.md file with its imports inserted.
struct Instructions {
  std::filesystem::path path;
  std::string text;
};

/// Reads the user's CLAUDE.md, then CLAUDE.md (or AGENTS.md if there is none) and CLAUDE.local.md of each directory from the
/// root down to `cwd`. "@path" imports a file: inside the working directory, or anywhere from the user's own file. Files that
/// are missing, too large or not text are skipped. Project files that a rule denies, and those beyond 1 MB in total, are
/// replaced by a note.
std::vector<Instructions> read_instructions(const settings::Options& options,
                                            const settings::Environment& environment,
                                            const std::filesystem::path& cwd,
                                            const settings::DeniedFiles& denied);

/// The text in front of the first message; empty: no instructions.
std::string instructions_text(const std::vector<Instructions>& all);

}  // namespace ralph::instructions
