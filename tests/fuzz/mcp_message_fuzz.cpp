// Properties: whatever a server sends, it is messages or nothing, and a connection stays usable; how lines are cut never
// changes them; a result becomes content that is JSON; the definition of a tool has an acceptable name and schema.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <variant>

#include <nlohmann/json.hpp>

#include "agent/mcp/call_result.h"
#include "agent/mcp/connection_impl.h"
#include "agent/mcp/message_lines.h"
#include "agent/mcp/tool_definition.h"
#include "agent/tool/workspace.h"

namespace {

using namespace ralph;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Answers each request with the input, then with an answer.
class EchoTransport final : public mcp::Transport {
 public:
  explicit EchoTransport(std::string_view text) : text_(text) {}
  Result<> open(mcp::Receiver& receiver) override {
    receiver_ = &receiver;
    return {};
  }
  void send(mcp::Outgoing message) override {
    require(json::parse(message.json).has_value());
    if (!message.request) return;
    receiver_->on_message(text_);
    receiver_->on_message(mcp::answer_json(std::to_string(*message.request), "{}"));
  }
  void begin_close() override {}
  void close() override {}

 private:
  std::string_view text_;
  mcp::Receiver* receiver_ = nullptr;
};

void check_lines(std::string_view text) {
  std::string whole, pieces;
  mcp::MessageLines one(text.size() + 1), many(text.size() + 1);
  require(one.feed(text, [&](std::string_view line) { (whole += line) += '\n'; }).has_value());
  for (const char c : text) {
    require(
        many.feed({&c, 1}, [&](std::string_view line) { (pieces += line) += '\n'; }).has_value());
  }
  require(whole == pieces);
}

void check_result(const json::Document& result) {
  tool::Workspace workspace(tool::Workspace::Setup{});
  const auto outcome = mcp::outcome_of(result, 100, workspace, {});
  const auto content = json::parse(outcome.content);
  require(content && (content->is_string() || (content->is_array() && !content->empty())));
  require(json::parse(outcome.detail).has_value());
}

void check_tool(const json::Document& tool) {
  const auto read = mcp::read_tool(tool, "fuzz");
  if (!read) return;
  require(read->name.size() <= 64 && read->name.starts_with("mcp__fuzz__"));
  const auto schema = json::parse(read->schema);
  require(schema && (*schema)["type"] == "object" && (*schema)["properties"].is_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_lines(text);
  for (const auto& message : mcp::read_messages(text)) {
    const auto* const answer = std::get_if<mcp::Answer>(&message);
    if (answer == nullptr || !answer->result) continue;
    check_result(*answer->result);
    check_tool(*answer->result);
  }
  mcp::Connection connection(std::make_unique<EchoTransport>(text), "{}");
  require(connection.open().has_value());
  const mcp::AnswerLimits limits{Millis{60'000}, Millis{60'000}};
  (void)connection.request("a", nullptr, limits, {});
  (void)connection.request("b", nullptr, limits, {});
  require(!connection.closed());
  return 0;
}
