#include "harness/run/versions.h"

#include <tuple>

#include <fmt/core.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "system/process/capture.h"

namespace ralph::run {
namespace {

constexpr std::size_t kMostOutput = 4096;
constexpr std::size_t kLongestVersion = 200;
constexpr std::size_t kLargestCache = std::size_t{64} << 10;

/// What a line of the cache begins with: file, size and time, so that a new version is seen.
std::string stamp_of(const std::filesystem::path& program) {
  struct stat info{};
  if (::stat(program.c_str(), &info) != 0) return {};
  auto stamp = fmt::format("{}\t{}.{:09}\t{}\t", info.st_size, info.st_mtim.tv_sec,
                           info.st_mtim.tv_nsec, program.native());
  return stamp.find('\n') == std::string::npos ? stamp : std::string();
}

std::filesystem::path real_file(const std::filesystem::path& program) {
  std::error_code error;
  auto file = std::filesystem::canonical(program, error);
  return error ? program : file;
}

std::string first_line(std::string_view text) {
  const auto line = utf8::prefix(text.substr(0, text.find('\n')), kLongestVersion);
  return utf8::repaired(trim_end(line));
}

Result<std::string> start_and_ask(const std::filesystem::path& program, const backend::Host& host) {
  process::Command command;
  command.argv = {program.native(), "--version"};
  command.env = backend::environment_changes(host);
  TRY_ASSIGN(const auto answer, process::capture(command, {.wall = Versions::kPatience,
                                                           .bytes = kMostOutput,
                                                           .end = {.grace = Millis{100}}}));
  if (answer.exit.ended_by == process::EndedBy::wall) {
    return fail(Code::busy, fmt::format("did not answer '--version' within {}",
                                        format_duration(Versions::kPatience)));
  }
  if (!answer.ok()) {
    const auto said = first_line(answer.err);
    return fail(Code::unavailable,
                said.empty() ? "'--version' failed" : fmt::format("'--version' failed: {}", said));
  }
  return first_line(answer.out);
}

}  // namespace

Versions::Versions(std::filesystem::path cache) : cache_(std::move(cache)) {}

Result<std::string> Versions::ask(const std::filesystem::path& program, const backend::Host& host) {
  if (auto version = known(program); !version.empty()) return version;
  TRY_ASSIGN(auto version, start_and_ask(program, host));
  if (const auto stamp = stamp_of(real_file(program)); !stamp.empty()) remember(stamp, version);
  return version;
}

std::string Versions::known(const std::filesystem::path& program) const {
  const auto stamp = stamp_of(real_file(program));
  const auto all = stamp.empty() ? std::string() : cached();
  const auto at = stamp.empty() ? std::string::npos : all.find(stamp);
  return at == std::string::npos ? std::string()
                                 : first_line(std::string_view(all).substr(at + stamp.size()));
}

std::string Versions::cached() const {
  return cache_.empty() ? std::string() : read_file(cache_, kLargestCache).value_or("");
}

/// A cache that cannot be written is no loss.
void Versions::remember(const std::string& stamp, const std::string& version) {
  if (cache_.empty()) return;
  const std::lock_guard lock(mutex_);
  auto known = cached();
  if (known.size() > kLargestCache / 2) known.clear();
  if (!make_folders(cache_.parent_path())) return;
  std::ignore = write_file_atomically(cache_, fmt::format("{}{}{}\n", known, stamp, version));
}

std::filesystem::path Versions::usual_cache(const backend::Host& host) {
  if (const auto cache = backend::variable(host, "XDG_CACHE_HOME");
      cache && cache->starts_with('/')) {
    return std::filesystem::path(*cache) / "ralph" / "versions";
  }
  const auto home = backend::variable(host, "HOME");
  return home && home->starts_with('/')
             ? std::filesystem::path(*home) / ".cache" / "ralph" / "versions"
             : std::filesystem::path();
}

}  // namespace ralph::run
