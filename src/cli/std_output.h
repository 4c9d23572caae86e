#pragma once
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "ui/console/output.h"

namespace ralph::cli {

/// The program's stdout and stderr. Stdout is buffered: call flush() before waiting for anything. A closed pipe
/// ("| head") is not an error but makes closed() true.
class StdOutput final : public console::Output {
 public:
  StdOutput(int out_fd = 1, int err_fd = 2);
  ~StdOutput() override { flush(); }
  StdOutput(const StdOutput&) = delete;
  StdOutput& operator=(const StdOutput&) = delete;

  /// Writes the bytes unchanged; on a terminal, control characters are made visible.
  void out(std::string_view text) override;
  /// Makes control characters visible always. Flushes stdout first, so that the two stay in order on a terminal.
  void err(std::string_view text) override;
  void out_styled(std::string_view text) override;
  void err_styled(std::string_view text) override;
  void flush() override;
  /// From any thread: from now on, output is dropped when the reader takes nothing for `patience`; before that, writes
  /// wait for a slow or stopped reader without limit. A longer timeout than the current one is ignored.
  void set_drain_timeout(Millis patience) override;
  /// Output was dropped after the timeout.
  bool dropped() const { return dropped_; }

  /// The reader has closed stdout: output is dropped from now on.
  bool closed() const { return closed_; }
  /// The error of stdout, other than a closed reader (a full disk).
  const std::optional<Error>& failure() const { return failure_; }

 private:
  /// One of the two, with a descriptor on which writes do not block.
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
  struct DrainTimeout {
    std::chrono::steady_clock::time_point since;
    Millis patience;
  };
  mutable std::mutex drain_mutex_;
  std::optional<DrainTimeout> drain_;
  bool closed_ = false;
  bool dropped_ = false;
  std::optional<Error> failure_;
};

/// Writes as much as possible without blocking. From any thread.
void write_if_possible(int fd, std::string_view text);

}  // namespace ralph::cli
