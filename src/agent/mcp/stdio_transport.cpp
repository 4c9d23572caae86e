#include "agent/mcp/stdio_transport.h"

#include <exception>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "system/process/child.h"

namespace ralph::mcp {
namespace {

constexpr std::size_t kStderrKept = 2000;
/// How long a server may take to exit by itself once its stdin is closed.
constexpr Millis kTimeToExit{500};
constexpr process::EndPolicy kEndOfServer{
    .grace = Millis{500}, .drain = Millis{50}, .patience = Millis{5000}};

Error why_ended(const process::Exit& exit) {
  if (exit.sink_error) return *exit.sink_error;
  if (exit.exit_code)
    return {Code::unavailable, fmt::format("it exited with code {}", *exit.exit_code), {}};
  if (exit.signal) return {Code::unavailable, fmt::format("signal {} ended it", *exit.signal), {}};
  return {Code::unavailable, "it ended", {}};
}

}  // namespace

StdioTransport::StdioTransport(process::Command command)
    : command_(std::move(command)), lines_(kLargestMessage), stderr_(kStderrKept) {
  command_.transport = process::Transport::pipe;
  command_.input = process::StdinOpen{};
}

Result<> StdioTransport::open(Receiver& receiver) {
  TRY_ASSIGN(auto child, process::start(command_));
  try {
    thread_ = std::jthread(
        [this, &receiver, started = std::move(child)](const std::stop_token& stop) mutable {
          run(std::move(started), receiver, stop);
        });
  } catch (const std::system_error& error) {
    return fail(Code::unavailable, fmt::format("no thread can be started: {}", error.what()));
  }
  return {};
}

void StdioTransport::run(process::Child child, Receiver& receiver, const std::stop_token& stop) {
  process::Sinks sinks;
  sinks.out = [&](std::string_view bytes) -> Result<> {
    try {
      return lines_.feed(bytes, [&](std::string_view line) { receiver.on_message(line); });
    } catch (const std::exception& error) {
      return fail(Code::unavailable, fmt::format("its message cannot be read: {}", error.what()));
    }
  };
  sinks.err = [&](std::string_view bytes) -> Result<> {
    const std::lock_guard lock(mutex_);
    stderr_.add(bytes);
    return {};
  };
  const auto exit = process::supervise(std::move(child), sinks, handle_, stop, kEndOfServer);
  receiver.on_closed(why_ended(exit));
}

void StdioTransport::send(Outgoing message) { handle_.write(message.json + "\n"); }

void StdioTransport::begin_close() {
  handle_.close_stdin();
  handle_.arm(process::Limit::after_end, kTimeToExit);
}

void StdioTransport::close() {
  if (!thread_.joinable()) return;
  begin_close();
  thread_.join();
}

std::string StdioTransport::server_log() const {
  const std::lock_guard lock(mutex_);
  return std::string(stderr_.text());
}

}  // namespace ralph::mcp
