#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::http {

/// One Server-Sent Event. The bytes are as they came: UTF-8 is neither checked nor repaired.
struct SseEvent {
  std::string type;  // "message" where the stream names none
  std::string data;  // the data lines, joined by "\n"
  std::string id;    // the last one the stream gave, perhaps with an earlier event

  bool operator==(const SseEvent&) const = default;
};

struct SseLimits {
  std::size_t line = std::size_t{32} << 20;
  std::size_t event = std::size_t{32} << 20;  // its data, all lines together
};

/// Cuts a byte stream into Server-Sent Events as the HTML standard has it: lines end with CR, LF or
/// CRLF, comments and unknown fields are skipped, events without data too. How the bytes were cut
/// never changes what comes out.
class SseDecoder {
 public:
  /// What the sink returns ends the decoding when it is an error.
  using Sink = std::function<Result<>(const SseEvent&)>;

  explicit SseDecoder(Sink sink, SseLimits limits = {});

  /// Hands over each event as soon as its empty line is there. An error stays: nothing is decoded
  /// any more.
  Result<> feed(std::string_view bytes);
  /// Bytes of fields since the last event, line ends and comments not counted: what is lost when the
  /// stream ends here.
  std::size_t unfinished() const;
  /// How long to wait before connecting again, if the stream sets it.
  std::optional<Millis> retry() const { return retry_; }

 private:
  Result<> take_line(std::string_view line);
  Result<> take_field(std::string_view name, std::string_view value);
  Result<> take_data(std::string_view value);
  Result<> dispatch();
  Result<> end_line(std::string_view rest_of_line);
  Result<> keep(std::string_view part_of_line);
  Result<> read(std::string_view bytes);

  Sink sink_;
  SseLimits limits_;
  std::string line_;  // the start of a line whose end has not come
  SseEvent event_;
  bool has_data_ = false;
  bool first_line_ = true;
  bool after_return_ = false;  // an LF now belongs to the CR before it
  std::size_t field_bytes_ = 0;
  std::optional<Millis> retry_;
  std::optional<Error> error_;
};

}  // namespace ralph::http
