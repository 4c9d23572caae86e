#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace ralph::loop {

/// `AGENTS.md` of the workspace: a regular file in it, no link that leads outside. Empty: there is none. Of a longer
/// one the first `most_bytes`; `size` becomes that of the file, for PromptParts::agents_md_size.
std::string read_agents_md(const std::filesystem::path& workspace, std::size_t most_bytes,
                           std::size_t& size);

}  // namespace ralph::loop
