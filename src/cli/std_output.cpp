#include "cli/std_output.h"

#include <cerrno>

#include "base/file.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

}  // namespace

void StdOutput::out(std::string_view text) {
  if (closed_) return;
  pending_ += text;
  if (pending_.size() >= kPiece) flush();
}

void StdOutput::err(std::string_view text) {
  flush();
  try_write_all(err_fd_, text);
}

void StdOutput::flush() {
  if (pending_.empty()) return;
  const int error_number = try_write_all(out_fd_, pending_);
  pending_.clear();
  if (error_number == 0) return;
  closed_ = true;
  if (error_number != EPIPE) failure_ = fail_errno(error_number, "cannot write to stdout").error();
}

}  // namespace ralph::cli
