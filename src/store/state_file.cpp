#include "store/state_file.h"

#include <cerrno>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/file.h"
#include "base/time.h"
#include "store/private_files.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr int kMostNames = 1000;

bool is_there(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0;
}

/// A name beside the file that nothing has yet.
fs::path free_name(const fs::path& file) {
  const auto base = fmt::format("{}.bad-{}", file.native(), compact_utc(now_utc()));
  fs::path name = base;
  for (int n = 2; is_there(name) && n <= kMostNames; ++n) name = fmt::format("{}-{}", base, n);
  return name;
}

Result<json::Document> read_object(const fs::path& file, bool (*good)(const json::Document&)) {
  struct stat info{};
  if (::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return fail(Code::malformed, fmt::format("'{}' is not a file", file.native()));
  }
  TRY_ASSIGN(const auto text, read_file(file, kMostBytes));
  TRY_ASSIGN(auto document, json::parse(text, fmt::format("'{}'", file.native())));
  if (document.is_object() && good(document)) return document;
  return fail(Code::malformed,
              fmt::format("'{}' holds something else than it should", file.native()));
}

}  // namespace

Result<json::Document> load_state(const fs::path& file, bool (*good)(const json::Document&),
                                  std::string& warning) {
  if (!is_there(file)) return json::Document::object();
  auto document = read_object(file, good);
  if (document) return document;
  // The system's refusals are not the file's fault.
  const auto code = document.error().code;
  if (code != Code::malformed && code != Code::limit && code != Code::not_found) {
    document.error().code = Code::storage;
    return document;
  }
  const auto aside = free_name(file);
  if (::rename(file.c_str(), aside.c_str()) != 0) {
    return fail_storage(errno, fmt::format("cannot move the unreadable '{}' aside", file.native()));
  }
  warning = fmt::format("{}; it was moved to '{}' and a new one is begun", document.error().message,
                        aside.native());
  return json::Document::object();
}

json::Document peek_state(const fs::path& file, bool (*good)(const json::Document&),
                          std::string& warning) {
  if (!is_there(file)) return json::Document::object();
  auto document = read_object(file, good);
  if (document) return *std::move(document);
  warning = document.error().message + "; it is not used";
  return json::Document::object();
}

Result<> save_state(const fs::path& file, const json::Document& state) {
  if (file.has_parent_path()) TRY(make_folders(file.parent_path()));
  auto written = write_file_atomically(file, json::write_pretty(state));
  if (!written) written.error().code = Code::storage;
  return written;
}

}  // namespace ralph::store
