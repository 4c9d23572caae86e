#include "system/http/request_parser.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/number.h"
#include "core/base/text.h"

namespace ralph::http {
namespace {

constexpr std::size_t kLongestChunkLine = 4096;

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

/// Digits of that base and nothing else, as a number of 63 bits.
std::optional<std::uint64_t> whole_number(std::string_view text, int base) {
  const auto value = parse_number<std::uint64_t>(text, base);
  return value && *value >> 63 == 0 ? value : std::nullopt;
}

/// "http://host/path" as proxies get it → "/path".
std::string_view without_origin(std::string_view target) {
  const auto scheme = target.find("://");
  if (target.starts_with('/') || scheme == target.npos) return target;
  const auto slash = target.find_first_of("/?", scheme + 3);
  return slash == target.npos ? "/" : target.substr(slash);
}

void split_target(Request& request) {
  const auto origin_form = without_origin(request.target);
  const auto mark = origin_form.find('?');
  request.path = origin_form.substr(0, mark);
  if (mark != origin_form.npos) request.query = origin_form.substr(mark + 1);
}

}  // namespace

void RequestParser::feed(std::string_view bytes) {
  if (refusal_) return;
  if (position_ > 0) {
    buffer_.erase(0, position_);
    searched_ -= std::min(searched_, position_);
    position_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Request> RequestParser::next() {
  while (state_ != State::done) {
    if (refusal_ || !advance()) return std::nullopt;
  }
  state_ = State::request_line;
  head_used_ = 0;
  body_started_ = false;
  return std::exchange(request_, {});
}

bool RequestParser::wants_continue() const {
  const bool waiting = state_ == State::body || state_ == State::chunk_size;
  return waiting && !body_started_ && position_ == buffer_.size() &&
         request_.version == Version::http_1_1 &&
         request_.headers.has_word("expect", "100-continue");
}

bool RequestParser::advance() {
  switch (state_) {
    case State::request_line:
    case State::headers:
    case State::trailers: return advance_head_line();
    case State::body:
    case State::chunk: return advance_body();
    case State::chunk_size: return advance_chunk_size();
    case State::chunk_end: return advance_chunk_end();
    case State::done: return true;
  }
  return false;
}

bool RequestParser::refuse(int status, std::string message) {
  refusal_ = Refusal{status, std::move(message)};
  return false;
}

std::optional<std::string_view> RequestParser::take_line(std::size_t most, int status_if_longer) {
  const auto end = buffer_.find('\n', std::max(searched_, position_));
  const auto length = std::min(end, buffer_.size()) - position_;
  if (length > most) {
    refuse(status_if_longer, "a line, or the lines together, are over the limit");
    return std::nullopt;
  }
  searched_ = std::min(end, buffer_.size());
  if (end == buffer_.npos) return std::nullopt;
  auto line = std::string_view(buffer_).substr(position_, length);
  position_ = end + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool RequestParser::advance_head_line() {
  const auto line = take_line(limits_.head - head_used_, 431);
  if (!line) return false;
  head_used_ = std::min(limits_.head, head_used_ + line->size() + 2);
  if (std::ranges::any_of(*line, is_control)) return refuse(400, "a control character in the head");
  if (state_ == State::request_line) return line->empty() || read_request_line(*line);
  if (!line->empty()) return read_header(*line);
  if (state_ == State::headers) return begin_body();
  state_ = State::done;
  return true;
}

bool RequestParser::read_request_line(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == line.npos || first == last) {
    return refuse(400, "the first line is not 'METHOD TARGET HTTP/1.1'");
  }
  const auto version = line.substr(last + 1);
  request_.method = line.substr(0, first);
  request_.target = line.substr(first + 1, last - first - 1);
  if (!version.starts_with("HTTP/") || !is_token(request_.method) || request_.target.empty() ||
      request_.target.find(' ') != std::string::npos) {
    return refuse(400, "the first line is not 'METHOD TARGET HTTP/1.1'");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(505, fmt::format("{} is not supported, only HTTP/1.1", version));
  }
  request_.version = version == "HTTP/1.1" ? Version::http_1_1 : Version::http_1_0;
  split_target(request_);
  state_ = State::headers;
  return true;
}

bool RequestParser::read_header(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) {
    return refuse(400, "a header line is not 'name: value'");
  }
  if (state_ == State::trailers) return true;  // checked, but nobody wants them
  request_.headers.add(std::string(line.substr(0, colon)),
                       std::string(trim(line.substr(colon + 1), " \t")));
  return true;
}

bool RequestParser::begin_body() {
  const auto& headers = request_.headers;
  largest_body_ = limits_.body_of ? limits_.body_of(request_) : limits_.body;
  const auto length = headers.find("content-length");
  const auto encoding = headers.find("transfer-encoding");
  if (!encoding) return begin_length_body(length.value_or("0"));
  if (length) return refuse(400, "both Content-Length and Transfer-Encoding");
  if (!equal_ignoring_case(*encoding, "chunked")) {
    return refuse(501, "the only known Transfer-Encoding is 'chunked'");
  }
  state_ = State::chunk_size;
  return true;
}

bool RequestParser::begin_length_body(std::string_view length) {
  for (const auto& header : request_.headers) {
    if (equal_ignoring_case(header.name, "content-length") && header.value != length) {
      return refuse(400, "two different Content-Length headers");
    }
  }
  const auto bytes = whole_number(length, 10);
  if (!bytes) return refuse(400, "Content-Length is not a number");
  if (*bytes > largest_body_) {
    return refuse(413, fmt::format("a body of {} bytes; at most {}", *bytes, largest_body_));
  }
  remaining_ = *bytes;
  state_ = remaining_ == 0 ? State::done : State::body;
  return true;
}

bool RequestParser::take_data() {
  const auto bytes = std::min<std::uint64_t>(remaining_, buffer_.size() - position_);
  request_.body.append(buffer_, position_, static_cast<std::size_t>(bytes));
  position_ += static_cast<std::size_t>(bytes);
  remaining_ -= bytes;
  body_started_ = body_started_ || bytes > 0;
  return remaining_ == 0;
}

bool RequestParser::advance_body() {
  if (!take_data()) return false;
  state_ = state_ == State::body ? State::done : State::chunk_end;
  return true;
}

bool RequestParser::advance_chunk_size() {
  const auto line = take_line(kLongestChunkLine, 400);
  if (!line) return false;
  body_started_ = true;
  const auto size = whole_number(trim(line->substr(0, line->find(';')), " \t"), 16);
  if (!size) return refuse(400, "a chunk's size is not a number");
  if (*size > largest_body_ - request_.body.size()) {
    return refuse(413, fmt::format("a body of more than {} bytes", largest_body_));
  }
  remaining_ = *size;
  state_ = remaining_ == 0 ? State::trailers : State::chunk;
  return true;
}

bool RequestParser::advance_chunk_end() {
  const auto line = take_line(kLongestChunkLine, 400);
  if (!line) return false;
  if (!line->empty()) return refuse(400, "a chunk is longer than its size line");
  state_ = State::chunk_size;
  return true;
}

}  // namespace ralph::http
