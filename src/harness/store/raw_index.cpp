#include "harness/store/raw_index.h"

#include <algorithm>
#include <cerrno>

#include <fmt/core.h>
#include <unistd.h>

#include "core/base/folder.h"

namespace ralph::store {
namespace {

constexpr std::string_view kMagic = "RALPHIDX";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr Micros kLongest = std::chrono::hours(24 * 3653);

void append_le(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

std::uint64_t read_le(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

std::string index_header(UtcTime start, LogFormat format) {
  std::string out(kMagic);
  append_le(out, kVersion, 4);
  append_le(out, kIndexRecordSize, 4);
  append_le(out, static_cast<std::uint64_t>(start.time_since_epoch().count()), 8);
  append_le(out, static_cast<std::uint64_t>(format), 8);
  return out;
}

void append_index_record(std::string& out, const IndexRecord& record) {
  append_le(out, record.offset, 8);
  append_le(out, static_cast<std::uint64_t>(record.t.count()), 8);
}

std::filesystem::path index_path_of(const std::filesystem::path& log) {
  auto path = log;
  return path.replace_extension(".index");
}

Result<IndexReader> IndexReader::open(const std::filesystem::path& path) {
  IndexReader reader;
  // The way to it is the user's; the file itself may be anybody's.
  std::error_code error;
  const auto parent =
      std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error) return fail_errno(error.value(), fmt::format("cannot open '{}'", path.native()));
  TRY_ASSIGN(const auto folder, Folder::open(parent));
  TRY_ASSIGN(reader.fd_, folder.open_read(path.filename().native()));
  while (reader.buffer_.size() < kIndexHeaderSize && reader.fill()) {
  }
  const std::string_view header = std::string_view(reader.buffer_).substr(0, kIndexHeaderSize);
  if (header.size() < kIndexHeaderSize || !header.starts_with(kMagic)) {
    return fail(Code::malformed, fmt::format("'{}' is not an index of a raw log", path.native()));
  }
  if (read_le(header.substr(8, 4)) != kVersion ||
      read_le(header.substr(12, 4)) != kIndexRecordSize) {
    return fail(Code::malformed, fmt::format("'{}' is an index of another version", path.native()));
  }
  reader.start_ = UtcTime(Millis(static_cast<std::int64_t>(read_le(header.substr(16, 8)))));
  const auto format = read_le(header.substr(24, 8));
  if (format <= static_cast<std::uint64_t>(LogFormat::stream_json))
    reader.format_ = static_cast<LogFormat>(format);
  reader.taken_ = kIndexHeaderSize;
  return reader;
}

/// Reads one more piece behind what is left; false at the end, which a read error is too.
bool IndexReader::fill() {
  buffer_.erase(0, taken_);
  taken_ = 0;
  const auto kept = buffer_.size();
  buffer_.resize(kept + kPiece);
  ssize_t got = -1;
  do {
    got = ::read(fd_.get(), buffer_.data() + kept, kPiece);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

std::optional<IndexRecord> IndexReader::next() {
  while (!ended_ && buffer_.size() - taken_ < kIndexRecordSize) ended_ = !fill();
  if (ended_) return std::nullopt;
  const auto bytes = std::string_view(buffer_).substr(taken_, kIndexRecordSize);
  const auto t = read_le(bytes.substr(8));
  const IndexRecord record{read_le(bytes.substr(0, 8)), Micros(static_cast<std::int64_t>(t))};
  ended_ =
      t > static_cast<std::uint64_t>(kLongest.count()) || (last_ && record.offset <= last_->offset);
  if (ended_) return std::nullopt;
  taken_ += kIndexRecordSize;
  last_ = record;
  return record;
}

Timeline::Timeline(IndexReader reader) : reader_(std::move(reader)), current_(reader_.next()) {}

TimedSpan Timeline::next() {
  if (!current_) return {UINT64_MAX, last_t_};
  last_t_ = std::max(last_t_, current_->t);
  current_ = reader_.next();
  return {current_ ? current_->offset : UINT64_MAX, last_t_};
}

}  // namespace ralph::store
