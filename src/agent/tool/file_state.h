#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/tool.h"

/// What Write and Edit have in common.
namespace ralph::tool {

inline constexpr std::size_t kMaxChangedFile = std::size_t{64} << 20;

/// The text as it is shown: without a byte order mark, UTF-16 behind one as UTF-8, "\n" at the end of lines, UTF-8 repaired.
std::string shown_text(std::string_view bytes);

/// Whether the model's knowledge of a file is older than the file, which is like this now.
bool changed_since_seen(const std::filesystem::path& resolved, const FileStamp& now,
                        const Workspace& workspace);

/// The refusal of a change through a symbolic link at the end of the path in `file_path`: the model should know which file
/// it changes.
std::optional<Outcome> through_link(const json::Document& input,
                                    const std::filesystem::path& resolved,
                                    const Workspace& workspace);

/// Why these bytes of a file are not changed: they are binary, or text in an encoding that is neither UTF-8 nor UTF-16
/// behind its mark, which new text would be mixed into. nullopt: they can be. `whole`: they are all of the file.
std::optional<std::string> foreign_bytes(std::string_view bytes, bool whole);

/// The refusal of a change to a file that was not read, or not as it is now, where the session demands it.
std::optional<Outcome> unread(const std::filesystem::path& resolved, const FileStamp& now,
                              const Workspace& workspace);

}  // namespace ralph::tool
