#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::trial {

// What `bench config` does with `.youbencharc`. Keys are dotted: "agent.model".

/// The file of a directory that exists, or the preferred name.
std::filesystem::path defaults_file(const std::filesystem::path& folder);

Result<> write_starter_defaults(const std::filesystem::path& file);

/// The value of a key as the files of the home and of `folder` give it, with a newline; "": everything as JSON.
/// Code::not_found: it is not set.
Result<std::string> default_text(const std::filesystem::path& home,
                                 const std::filesystem::path& folder, std::string_view key);

/// Sets a key, or without a value removes it. true, false and numbers get their type. A file that would not be valid is not
/// written.
Result<> change_default(const std::filesystem::path& file, std::string_view key,
                        std::optional<std::string_view> value);

}  // namespace ralph::trial
