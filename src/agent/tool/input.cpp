#include "agent/tool/input.h"

#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kNamesLookedAt = 2000;

std::string near_name(const fs::path& missing) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(missing.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    names.push_back(at->path().filename().string());
    if (names.size() == kNamesLookedAt) break;
  }
  return nearest(missing.filename().string(), names);
}

}  // namespace

std::optional<std::int64_t> number_of(const json::Document& input, std::string_view key) {
  const auto& value = json::member(input, key);
  if (!value.is_number()) return std::nullopt;
  if (!value.is_number_float()) return value.get<std::int64_t>();
  const auto number = value.get<double>();
  return number > -9e15 && number < 9e15 ? std::optional(static_cast<std::int64_t>(number))
                                         : std::nullopt;
}

bool flag_of(const json::Document& input, std::string_view key, bool otherwise) {
  const auto& value = json::member(input, key);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

fs::path path_of(const json::Document& input, std::string_view key, const Workspace& workspace) {
  const auto path = json::text(input, key);
  // System calls would cut a path at a NUL. Unresolved, it cannot be opened.
  if (path.find('\0') != std::string::npos) return workspace.cwd() / path;
  return path.empty() ? workspace.cwd() : workspace.resolve(path);
}

std::string missing_file(const fs::path& resolved, const Workspace& workspace) {
  auto text = fmt::format("File does not exist. Note: your current working directory is {}.",
                          workspace.cwd().string());
  if (const auto name = near_name(resolved); !name.empty()) {
    text += fmt::format(" Did you mean {}?", name);
  }
  return text;
}

Outcome success(std::string_view text, const json::Document& detail) {
  return {json::write(json::Document(text)), std::nullopt, json::write(detail)};
}

Outcome failure(const Error& error) { return failure(describe(error)); }

}  // namespace ralph::tool
