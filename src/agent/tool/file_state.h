#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/tool.h"

/// Checks that Write and Edit share.
namespace ralph::tool {

inline constexpr std::size_t kMaxChangedFile = std::size_t{64} << 20;
inline constexpr std::string_view kStateIsCurrent =
    " (file state is current in your context — no need to Read it back)";

/// The text as shown to the model: without a byte order mark, as valid UTF-8, with "\n" as line ends.
std::string shown_text(std::string_view bytes);

/// Whether the file changed since the model saw it; `now`: its current state.
bool changed_since_seen(const std::filesystem::path& resolved, const FileStamp& now,
                        const Workspace& workspace);

/// Refuses a change if the path that the model gave is a symbolic link: it should know which file it changes.
std::optional<Outcome> refuse_link(std::string_view given, const std::filesystem::path& resolved,
                                   const Workspace& workspace);

/// Why a file with these bytes must not be changed: it is binary, or text in an encoding other than UTF-8 and UTF-16
/// with a byte order mark. nullopt: it can be changed. `whole`: the bytes are the whole file.
std::optional<std::string> unsupported_encoding(std::string_view bytes, bool whole);

/// Refuses a change of a file that the model has not read in its current state, if the session requires that.
std::optional<Outcome> refuse_unread(const std::filesystem::path& resolved, const FileStamp& now,
                                     const Workspace& workspace);

}  // namespace ralph::tool
