#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/tool/tool.h"
#include "core/base/result.h"
#include "core/json/document.h"

/// Looking into a tool's input without trusting it: a member of another type counts as absent.
namespace ralph::tool {

std::string text_of(const json::Document& input, std::string_view key);
std::optional<std::int64_t> number_of(const json::Document& input, std::string_view key);
bool flag_of(const json::Document& input, std::string_view key, bool otherwise = false);

/// The path in `key`, as the system would find it; absent or empty: the current folder.
std::filesystem::path path_of(const json::Document& input, std::string_view key,
                              const Workspace& workspace);

/// "…: your current working directory is …", for a path that was not found, with a near name where there is one.
std::string missing_file(const std::filesystem::path& resolved, const Workspace& workspace);

/// A text for the model, and JSON for the client.
Outcome success(std::string_view text, const json::Document& detail);
/// What went wrong with a file, in the words of the error.
Outcome failure(const Error& error);

}  // namespace ralph::tool
