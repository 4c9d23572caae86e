#include "harness/store/state_file.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/time.h"

namespace ralph::store {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr int kMostBackups = 1000;

Result<json::Document> read_object(const Folder& folder, const std::string& name,
                                   bool (*good)(const json::Document&)) {
  const auto shown = fmt::format("'{}'", folder.path_of(name).native());
  TRY_ASSIGN(const auto text, folder.read(name, kMostBytes));
  TRY_ASSIGN(auto document, json::parse(text, shown));
  if (document.is_object() && good(document)) return document;
  return fail(Code::malformed, shown + " has unexpected content");
}

/// Whatever it is: it keeps its content under a name beside its own that nothing has yet.
Result<std::filesystem::path> move_aside(const Folder& folder, const std::string& name) {
  const auto base = fmt::format("{}.bad-{}", name, compact_utc(now_utc()));
  auto aside = base;
  auto moved = folder.rename(name, aside);
  for (int n = 2; !moved && moved.error().code == Code::busy && n <= kMostBackups; ++n) {
    aside = fmt::format("{}-{}", base, n);
    moved = folder.rename(name, aside);
  }
  if (moved) return folder.path_of(aside);
  return std::unexpected(as_storage(moved.error()));
}

Result<json::Document> nothing() { return json::Document::object(); }

}  // namespace

Result<json::Document> load_state(const Location& file, bool (*good)(const json::Document&),
                                  std::string& warning) {
  const auto folder = file.parent();
  if (!folder && folder.error().code == Code::not_found) return nothing();
  if (!folder) return std::unexpected(folder.error());
  auto document = read_object(*folder, file.name(), good);
  if (document) return document;
  const auto code = document.error().code;
  if (code == Code::not_found) return nothing();
  // The system's refusals are not the file's fault.
  if (code != Code::malformed && code != Code::limit) {
    document.error() = as_storage(document.error());
    return document;
  }
  TRY_ASSIGN(const auto aside, move_aside(*folder, file.name()));
  warning = fmt::format("{}; it was moved to '{}' and a new one was created",
                        document.error().message, aside.native());
  return nothing();
}

json::Document peek_state(const Location& file, bool (*good)(const json::Document&),
                          std::string& warning) {
  const auto folder = file.parent();
  auto document = folder ? read_object(*folder, file.name(), good)
                         : Result<json::Document>(std::unexpected(folder.error()));
  if (document) return *std::move(document);
  if (document.error().code != Code::not_found) {
    const auto& [code, message, hint] = document.error();
    warning = message + "; ignored";
    if (!hint.empty()) warning += fmt::format(" ({})", hint);
  }
  return json::Document::object();
}

Result<> save_state(const Location& file, const json::Document& state) {
  TRY_ASSIGN(const auto folder, file.make_parent());
  auto written = folder.write_atomically(file.name(), json::write_pretty(state));
  if (!written) written.error() = as_storage(written.error());
  return written;
}

}  // namespace ralph::store
