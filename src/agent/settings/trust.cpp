#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/settings/settings_impl.h"
#include "agent/settings/source_file.h"
#include "core/base/file.h"
#include "core/json/field.h"

namespace ralph::settings {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::size_t kMostBytesOfRecord = std::size_t{64} << 20;

fs::path trust_file(const Environment& environment) {
  return environment.own_config_folder() / "trusted.json";
}

Document read_object(const fs::path& path) {
  const auto file = read_source_file(path, {}, kMostBytesOfRecord);
  auto parsed = file ? json::parse(file->text) : Result<Document>(Document::object());
  return parsed && parsed->is_object() ? *std::move(parsed) : Document::object();
}

/// The file as it is: an empty object only if there is none. What was trusted must not be lost by a change.
Result<Document> read_trust_file(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) return Document::object();
  constexpr const char* kRepair = "correct the file, or remove it: then no directory is trusted";
  const auto text = read_file(file, kMostBytesOfRecord);
  if (!text) return fail(text.error().code, text.error().message, kRepair);
  auto parsed = json::parse(*text, file.string());
  if (!parsed) return fail(Code::malformed, parsed.error().message, kRepair);
  if (!parsed->is_object()) {
    return fail(Code::malformed, fmt::format("'{}' is not a JSON object", file.string()), kRepair);
  }
  return parsed;
}

}  // namespace

fs::path real(const fs::path& folder) {
  std::error_code error;
  auto resolved = fs::weakly_canonical(folder, error);
  return error ? folder : resolved;
}

fs::path claude_record_path(const Environment& environment) {
  const auto folder = environment.get("CLAUDE_CONFIG_DIR");
  return (folder.empty() ? environment.home() : fs::path(folder)) / ".claude.json";
}

Document read_claude_record(const Environment& environment) {
  return read_object(claude_record_path(environment));
}

bool is_trusted(const Environment& environment, const Document& record, const fs::path& folder) {
  const auto path = real(folder).string();
  if (json::member(read_object(trust_file(environment)), path) == true) return true;
  const auto& project = json::member(json::member(record, "projects"), path);
  return json::member(project, "hasTrustDialogAccepted") == true;
}

bool is_trusted(const Environment& environment, const fs::path& folder) {
  return is_trusted(environment, read_claude_record(environment), folder);
}

Result<> set_trust(const Environment& environment, const fs::path& folder, bool trusted) {
  const auto file = trust_file(environment);
  TRY_ASSIGN(auto record, read_trust_file(file));
  const auto path = real(folder).string();
  if (trusted) {
    record[path] = true;
  } else {
    record.erase(path);
  }
  TRY(make_folders(file.parent_path(), 0700));
  return write_file_atomically(file, json::write_pretty(record), 0600);
}

}  // namespace ralph::settings
