// Properties: any line is a message, a control request, nothing, or an error; a message's content is an array of blocks
// on one line, without cache marks, and reading it again changes nothing. A client's setup is complete or an error.
#include <cstdint>
#include <cstdlib>
#include <variant>

#include <nlohmann/json.hpp>

#include "agent/wire/client_setup.h"
#include "agent/wire/input_line.h"
#include "core/json/document.h"

namespace {

using namespace ralph;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const session::UserMessage& message) {
  require(message.content.find('\n') == message.content.npos);
  const auto content = json::parse(message.content);
  require(content && content->is_array());
  for (const auto& block : *content) {
    require(block.is_object() && !block.contains("cache_control"));
  }
  require(wire::content_of(*content) == message.content);
}

/// A setup that was read has what later code relies on.
void check_setup(const json::Document& request) {
  const auto setup = wire::read_client_setup(request);
  if (!setup) return require(!setup.error().message.empty());
  require(!setup->json_schema || json::parse(*setup->json_schema).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto read = wire::read_input_line(line);
  if (!read) {
    require(!read.error().message.empty());
    return 0;
  }
  if (const auto* message = std::get_if<session::UserMessage>(&*read)) check(*message);
  if (const auto* control = std::get_if<wire::ControlRequest>(&*read)) {
    require(control->request.empty() || json::parse(control->request).has_value());
    if (const auto request = json::parse(control->request)) check_setup(*request);
  }
  return 0;
}
