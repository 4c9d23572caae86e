#include "harness/store/raw_log.h"

#include <cerrno>
#include <tuple>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/utf8.h"
#include "harness/store/raw_index.h"

namespace ralph::store {
namespace {

constexpr int kMostLogsOfASecond = 10'000;
constexpr std::size_t kMostPartBytes = 60;
constexpr std::size_t kIndexBatch = std::size_t{64} << 10;

/// A part of a file name: no separators, no spaces or control characters, not hidden, not an
/// option.
std::string safe_part(std::string_view words) {
  const std::string text = utf8::repaired(words);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto second = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    const bool control = byte == 0xC2 && second <= 0xA0;                     // U+0080 … U+00A0
    const bool format = byte == 0xE2 && (second == 0x80 || second == 0x81);  // U+2000 … U+207F
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                       (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '.';
    if (control || format) i += control ? 1 : 2;
    if (plain || (byte >= 0x80 && !control && !format)) {
      out += text[i];
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.erase(0, std::min(out.find_first_not_of(".-"), out.size()));
  out = utf8::prefix(out, kMostPartBytes);
  out.erase(out.find_last_not_of(".-") + 1);
  return out;
}

/// Creates a file that did not exist; the descriptor is empty when it did.
Result<UniqueFd> create(const Folder& folder, const std::filesystem::path& path) {
  auto fd = folder.create(path.filename().native());
  if (fd || fd.error().code != Code::busy) return fd;
  return UniqueFd();
}

Result<> sync(const UniqueFd& fd, const std::filesystem::path& path) {
  if (::fsync(fd.get()) == 0) return {};
  return fail_errno(errno, fmt::format("cannot sync '{}'", path.native()));
}

}  // namespace

RawLogPaths raw_log_paths(const std::filesystem::path& base) {
  return {base.native() + ".ndjson", base.native() + ".stderr", base.native() + ".index"};
}

std::string raw_log_name(UtcTime start, std::string_view mode, std::string_view task) {
  std::string name = compact_utc(start);
  for (const auto words : {mode, task}) {
    if (const auto part = safe_part(words); !part.empty()) name += "-" + part;
  }
  return name;
}

Result<RawLog> RawLog::open(const Location& location, std::string_view name, UtcTime start,
                            LogFormat format) {
  TRY_ASSIGN(const auto folder, location.make_folder());
  for (int n = 1; n <= kMostLogsOfASecond; ++n) {
    RawLog log;
    log.paths_ =
        raw_log_paths(folder.path_of(n == 1 ? std::string(name) : fmt::format("{}-{}", name, n)));
    TRY_ASSIGN(log.out_, create(folder, log.paths_.out));
    if (!log.out_) continue;
    TRY_ASSIGN(log.err_, create(folder, log.paths_.err));
    TRY_ASSIGN(log.index_, create(folder, log.paths_.index));
    if (log.err_ && log.index_) {
      TRY(log.put(log.index_, index_header(start, format), log.paths_.index));
      return log;
    }
    // Something else of that name is in the way: leave it, and nothing of ours beside it.
    std::ignore = folder.remove(log.paths_.out.filename().native());
    if (log.err_) std::ignore = folder.remove(log.paths_.err.filename().native());
  }
  return fail(Code::storage, fmt::format("cannot find a free name for the log '{}' in '{}'", name,
                                         folder.path().native()));
}

Result<> RawLog::append_out(std::string_view bytes, Micros t) {
  if (bytes.empty()) return {};
  TRY(put(out_, bytes, paths_.out));
  return note_lines(bytes, t);
}

Result<> RawLog::append_err(std::string_view bytes) { return put(err_, bytes, paths_.err); }

Result<> RawLog::finish(bool durable) {
  if (!failed_ && size_ > line_begin_) {
    append_index_record(records_, {line_begin_, last_t_});
    line_begin_ = size_;
  }
  if (!failed_) TRY(flush());
  if (durable) {
    TRY(sync(out_, paths_.out));
    TRY(sync(err_, paths_.err));
    TRY(sync(index_, paths_.index));
  }
  if (failed_) return std::unexpected(*failed_);
  struct stat info{};
  if (::fstat(out_.get(), &info) == 0 && info.st_nlink == 0) {
    return fail(Code::storage,
                fmt::format("the log '{}' was removed while it was written", paths_.out.native()),
                "do not remove '.ralph' during a run");
  }
  return {};
}

Result<> RawLog::put(const UniqueFd& fd, std::string_view bytes,
                     const std::filesystem::path& path) {
  if (failed_) return std::unexpected(*failed_);
  auto done = write_all(fd.get(), bytes, path.native());
  if (!done) failed_ = done.error();
  return done;
}

Result<> RawLog::flush() {
  auto done = put(index_, records_, paths_.index);
  records_.clear();
  return done;
}

/// A record for every line that ends in `bytes`, which are already in the log.
Result<> RawLog::note_lines(std::string_view bytes, Micros t) {
  std::size_t from = 0;
  for (auto at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', from)) {
    append_index_record(records_, {line_begin_, t});
    from = at + 1;
    line_begin_ = size_ + from;
    if (records_.size() >= kIndexBatch) TRY(flush());
  }
  size_ += bytes.size();
  last_t_ = t;
  return {};
}

}  // namespace ralph::store
