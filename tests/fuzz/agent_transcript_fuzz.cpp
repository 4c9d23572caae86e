// Properties: what is read from any bytes can be sent: roles take turns from user to assistant, contents are arrays of
// blocks that are not empty, every call has its one result at the beginning of the next message, and no other results.
#include <cstdint>
#include <cstdlib>
#include <set>

#include <nlohmann/json.hpp>

#include "agent/session/transcript.h"
#include "core/json/document.h"

namespace {

using namespace ralph;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const session::Resumed& session) {
  require(!session.messages.empty());
  require(!session.last_uuid.empty());
  std::set<std::string> open;
  bool user = true;
  for (const auto& message : session.messages) {
    require(message.role == (user ? api::Role::user : api::Role::assistant));
    require(message.content.find('\n') == message.content.npos);
    const auto content = json::parse(message.content);
    require(content && content->is_array() && !content->empty());
    bool results_over = false;
    for (const auto& block : *content) {
      require(block.is_object() && !block.contains("cache_control"));
      const auto type = block.at("type").get<std::string>();
      if (user && type == "tool_result") {
        require(!results_over && open.erase(block.at("tool_use_id").get<std::string>()) == 1);
      } else {
        results_over = true;
      }
      require(user ? type != "tool_use" && type != "thinking" : type != "tool_result");
      if (type == "tool_use") require(open.insert(block.at("id").get<std::string>()).second);
    }
    require(!user || open.empty());
    user = !user;
  }
  require(open.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto session = session::parse_session(bytes, "fuzz.jsonl");
  if (session && !session->messages.empty()) check(*session);
  return 0;
}
