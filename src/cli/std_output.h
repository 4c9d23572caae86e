#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "ui/console/output.h"

namespace ralph::cli {

/// The program's stdout and stderr. Stdout is collected and written in large pieces: call flush()
/// before waiting for anything. A reader that goes away ("| head") is not an error: closed() tells.
class StdOutput final : public view::Output {
 public:
  StdOutput(int out_fd = 1, int err_fd = 2);
  ~StdOutput() override { flush(); }
  StdOutput(const StdOutput&) = delete;
  StdOutput& operator=(const StdOutput&) = delete;

  /// The bytes as they are, but on a terminal, which they cannot drive.
  void out(std::string_view text) override;
  /// Made harmless wherever it goes: it is for people. Flushes stdout first, so that the two stay in order on a
  /// terminal.
  void err(std::string_view text) override;
  void out_styled(std::string_view text) override;
  void err_styled(std::string_view text) override;
  void flush();
  /// From any thread: we are to come to an end. A reader that takes nothing for `patience` from now on is given up;
  /// otherwise one that is slow, or stopped, is waited for. Only ever shortens.
  void hurry(Millis patience);
  /// Something was dropped because nobody took it.
  bool dropped() const { return dropped_; }

  /// Nobody takes what we print: it is dropped from here on.
  bool closed() const { return closed_; }
  /// Why stdout could not be written, when that is a failure (a full disk).
  const std::optional<Error>& failure() const { return failure_; }

 private:
  /// One of the two, and how to write to it without being stopped in the middle.
  struct Stream {
    int fd;
    UniqueFd nonblocking;  // the same terminal or pipe, opened once more
    bool prepared = false;
    bool given_up = false;
    bool terminal = false;
  };
  void collect(std::string_view text);
  int write(Stream& stream, std::string_view text);
  bool out_of_patience(std::chrono::steady_clock::time_point last_progress) const;

  Stream out_, err_;
  std::string pending_;
  std::atomic<std::int64_t> hurried_at_ns_ = 0;  // 0: nobody is in a hurry
  std::atomic<std::int64_t> patience_ms_ = 0;
  bool closed_ = false;
  bool dropped_ = false;
  std::optional<Error> failure_;
};

/// Writes as much of it as can be taken at once; never waits. From any thread.
void write_if_possible(int fd, std::string_view text);

}  // namespace ralph::cli
