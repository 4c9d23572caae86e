#pragma once
#include <mutex>
#include <thread>

#include "agent/mcp/message_lines.h"
#include "agent/mcp/transport.h"
#include "core/base/text_tail.h"
#include "system/process/command.h"
#include "system/process/supervise.h"

namespace ralph::mcp {

/// A server that is a program: one message per line on its stdin and stdout. The guard ends its whole process tree with the
/// connection, or when this program dies.
class StdioTransport final : public Transport {
 public:
  explicit StdioTransport(process::Command command);
  ~StdioTransport() override { close(); }

  Result<> open(Receiver& receiver) override;
  void send(Outgoing message) override;
  void begin_close() override;
  void close() override;
  /// The end of stderr.
  std::string server_log() const override;

 private:
  void run(process::Child child, Receiver& receiver, const std::stop_token& stop);

  process::Command command_;
  process::RunHandle handle_;
  MessageLines lines_;
  mutable std::mutex mutex_;
  TextTail stderr_;
  std::jthread thread_;
};

}  // namespace ralph::mcp
