#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "view/output.h"

namespace ralph::cli {

/// The program's stdout and stderr. Stdout is collected and written in large pieces: call flush()
/// before waiting for anything. A reader that goes away ("| head") is not an error: closed() tells.
class StdOutput final : public view::Output {
 public:
  StdOutput(int out_fd = 1, int err_fd = 2) : out_fd_(out_fd), err_fd_(err_fd) {}
  ~StdOutput() override { flush(); }
  StdOutput(const StdOutput&) = delete;
  StdOutput& operator=(const StdOutput&) = delete;

  void out(std::string_view text) override;
  /// Flushes stdout first, so that the two stay in order on a terminal.
  void err(std::string_view text) override;
  void flush();
  /// From any thread: somebody wants us to come to an end. What nobody takes within a second is dropped from now
  /// on; otherwise a reader that is slow, or stopped, is waited for.
  void hurry() { hurried_ = true; }

  /// Nobody takes what we print: it is dropped from here on.
  bool closed() const { return closed_; }
  /// Why stdout could not be written, when that is a failure (a full disk).
  const std::optional<Error>& failure() const { return failure_; }

 private:
  int write(int fd, std::string_view text) const;

  int out_fd_, err_fd_;
  std::string pending_;
  std::atomic<bool> hurried_ = false;
  bool closed_ = false;
  std::optional<Error> failure_;
};

}  // namespace ralph::cli
