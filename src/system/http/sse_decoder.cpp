#include "system/http/sse_decoder.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/number.h"

namespace ralph::http {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kKeepCapacity = std::size_t{1} << 20;  // larger buffers are given back

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

void empty_out(std::string& text) {
  if (text.capacity() > kKeepCapacity) {
    text = std::string();
  } else {
    text.clear();
  }
}

std::optional<Millis> read_millis(std::string_view digits) {
  if (digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  const auto count = parse_number<Millis::rep>(digits);
  return count ? std::optional(Millis{*count}) : std::nullopt;
}

}  // namespace

SseDecoder::SseDecoder(Sink sink, SseLimits limits) : sink_(std::move(sink)), limits_(limits) {}

Result<> SseDecoder::feed(std::string_view bytes) {
  if (error_) return std::unexpected(*error_);
  auto result = read(bytes);
  if (!result) error_ = result.error();
  return result;
}

Result<> SseDecoder::read(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') bytes.remove_prefix(1);
    const auto* const end = std::ranges::find_if(bytes, is_line_end);
    const auto size = static_cast<std::size_t>(end - bytes.begin());
    if (size == bytes.size()) return keep(bytes);
    after_return_ = bytes[size] == '\r';
    TRY(end_line(bytes.substr(0, size)));
    bytes.remove_prefix(size + 1);
  }
  return {};
}

/// The line goes on in the next bytes.
Result<> SseDecoder::keep(std::string_view part_of_line) {
  if (line_.size() + part_of_line.size() > limits_.line) {
    return fail(Code::limit,
                fmt::format("a line of an event stream is over {} bytes", limits_.line));
  }
  line_ += part_of_line;
  return {};
}

Result<> SseDecoder::end_line(std::string_view rest_of_line) {
  if (line_.empty() && rest_of_line.size() <= limits_.line) return take_line(rest_of_line);
  TRY(keep(rest_of_line));
  auto result = take_line(line_);
  empty_out(line_);
  return result;
}

Result<> SseDecoder::take_line(std::string_view line) {
  if (std::exchange(first_line_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) return dispatch();
  if (line.front() == ':') return {};
  field_bytes_ += line.size();
  const auto colon = line.find(':');
  if (colon == line.npos) return take_field(line, {});
  auto value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  return take_field(line.substr(0, colon), value);
}

Result<> SseDecoder::take_field(std::string_view name, std::string_view value) {
  if (name == "data") return take_data(value);
  if (name == "event") event_.type = value;
  if (name == "id" && value.find('\0') == value.npos) event_.id = value;
  if (name == "retry") {
    if (const auto millis = read_millis(value)) retry_ = millis;
  }
  return {};
}

Result<> SseDecoder::take_data(std::string_view value) {
  const bool joined = std::exchange(has_data_, true);
  if (event_.data.size() + value.size() + (joined ? 1 : 0) > limits_.event) {
    return fail(Code::limit, fmt::format("the data of an event is over {} bytes", limits_.event));
  }
  if (joined) event_.data += '\n';
  event_.data += value;
  return {};
}

Result<> SseDecoder::dispatch() {
  field_bytes_ = 0;
  Result<> result;
  if (std::exchange(has_data_, false)) {
    if (event_.type.empty()) event_.type = "message";
    result = sink_(event_);
  }
  empty_out(event_.type);
  empty_out(event_.data);
  return result;
}

std::size_t SseDecoder::unfinished() const {
  return field_bytes_ + (line_.starts_with(':') ? 0 : line_.size());
}

}  // namespace ralph::http
