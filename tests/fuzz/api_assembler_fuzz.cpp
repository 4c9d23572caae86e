// Property: any bytes end in a reply or a failure, whose JSON is JSON on one line; read as a message too. Any array can
// be a message's content: what was JSON stays JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agent/api/assembler.h"
#include "agent/api/request.h"
#include "core/json/document.h"

namespace {

using namespace ralph;

void check(std::string_view json) {
  if (json.find_first_of("\r\n") != json.npos || !json::parse(json)) std::abort();
}

void check(const api::Block& block) {
  check(block.json);
  if (!block.input.empty()) check(block.input);
}

class Checker : public api::Listener {
 public:
  void on_block(const api::Reply& so_far, const api::Block& block) override {
    if (so_far.content.empty()) std::abort();
    check(block);
  }
  void on_event(const api::Reply&, const api::StreamEvent& event) override { check(event.json); }
};

void check(const api::Reply& reply) {
  for (const auto& block : reply.content) check(block);
  if (reply.open) check(*reply.open);
  check(reply.usage_at_start);
  if (!reply.stop_details.empty()) check(reply.stop_details);
}

void check_body(const std::string& content) {
  const bool good = content.starts_with('[') && content.find('\0') == content.npos &&
                    json::Document::accept(content);
  const std::vector<api::Message> messages{{api::Role::user, content}};
  const auto body = api::body_of({.messages = messages});
  if (good && !json::Document::accept(body)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Checker checker;
  api::Assembler assembler(checker);
  http::SseDecoder decoder([&](const http::SseEvent& event) -> Result<> {
    if (assembler.take(event)) return fail(Code::malformed, "");
    return {};
  });
  static_cast<void>(decoder.feed(bytes));
  check(assembler.release());
  api::Reply reply;
  static_cast<void>(api::read_message(bytes, reply, checker));
  check(reply);
  static_cast<void>(api::error_name(api::failure_of(400, bytes, "")));
  check_body(std::string(bytes));
  return 0;
}
