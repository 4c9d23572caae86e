#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/stream/dialect.h"
#include "harness/stream/handler.h"
#include "harness/stream/line_splitter.h"

namespace ralph::stream {

/// From bytes to handlers: lines, then a dialect's events, numbered and timed, to every handler in
/// order.
class Decoder final : private PayloadSink {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{64} << 20;

  /// The handlers outlive the decoder.
  Decoder(std::unique_ptr<Dialect> dialect, std::vector<Handler*> handlers, std::string run_id,
          std::size_t max_line = kMaxLine);

  /// Bytes that arrived `t_ms` after the run began.
  void feed(std::string_view bytes, std::int64_t t_ms);
  /// The output has ended: takes a last line without a newline, then what the dialect makes of the
  /// program's exit code.
  void finish(std::int64_t t_ms, std::optional<int> exit_code = {});
  /// An event of our own (the result, a notice of the harness), in sequence with the others.
  void publish(const Payload& payload, std::int64_t t_ms);

  /// The number of the last event. A run that starts its agent again counts on from there.
  std::int64_t seq() const { return seq_; }
  void count_from(std::int64_t seq) { seq_ = seq; }

  std::int64_t malformed() const { return malformed_; }
  std::int64_t overlong() const { return splitter_.overlong(); }
  /// Lines that were not blank and could not be decoded.
  std::int64_t skipped() const { return malformed() + overlong(); }
  const Dialect& dialect() const { return *dialect_; }

 private:
  void take_line(std::string_view line);
  void emit(std::string_view parent, const Payload& payload) override;

  std::unique_ptr<Dialect> dialect_;
  std::vector<Handler*> handlers_;
  LineSplitter splitter_;
  std::string run_id_;
  std::int64_t seq_ = 0;
  std::int64_t now_ms_ = 0;
  std::int64_t line_ = -1;
  std::int64_t malformed_ = 0;
};

}  // namespace ralph::stream
