#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/tool.h"
#include "core/base/result.h"
#include "core/json/document.h"

/// Access to a tool's input; a member of another type counts as absent. Strings: json::text.
namespace ralph::tool {

std::optional<std::int64_t> number_of(const json::Document& input, std::string_view key);
bool flag_of(const json::Document& input, std::string_view key, bool otherwise = false);

/// The path in `key`, resolved; absent or empty: the current directory.
std::filesystem::path path_of(const json::Document& input, std::string_view key,
                              const Workspace& workspace);

/// The message for a path that does not exist, with a similar name if there is one.
std::string missing_file(const std::filesystem::path& resolved, const Workspace& workspace);

/// A text for the model, and JSON for the client.
Outcome success(std::string_view text, const json::Document& detail);
/// A failure with the message of the error.
Outcome failure(const Error& error);

}  // namespace ralph::tool
