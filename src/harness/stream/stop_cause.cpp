#include "harness/stream/stop_cause.h"

#include <csignal>
#include <cstring>

#include <fmt/core.h>

namespace ralph::stream {
namespace {

std::string signal_text(int signal_number) {
  switch (signal_number) {
    case SIGINT: return "Ctrl-C (SIGINT)";
    case SIGHUP: return "SIGHUP (the terminal was closed)";
    case SIGPIPE: return "the reader of stdout is gone (SIGPIPE)";
    default: break;
  }
  const char* name = ::sigabbrev_np(signal_number);
  return name == nullptr ? fmt::format("signal {}", signal_number) : fmt::format("SIG{}", name);
}

}  // namespace

int StopCause::exit_code() const { return 128 + (kind_ == Kind::signal ? signal_number_ : SIGINT); }

std::string StopCause::text() const {
  switch (kind_) {
    case Kind::stop_command: return "'ralph stop'";
    case Kind::stop_now_command: return "'ralph stop --now'";
    case Kind::signal: break;
  }
  return signal_text(signal_number_);
}

}  // namespace ralph::stream
