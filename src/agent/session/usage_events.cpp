#include "agent/session/events.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

using json::ObjectWriter;

std::string thinking_json(const api::Usage& usage) {
  std::string out;
  ObjectWriter(out).number("thinking_tokens", usage.thinking_tokens).close();
  return out;
}

std::string server_tools_json(const api::Usage& usage) {
  std::string out;
  ObjectWriter(out)
      .number("web_search_requests", usage.web_search_requests)
      .number("web_fetch_requests", usage.web_fetch_requests)
      .close();
  return out;
}

}  // namespace

std::string usage_so_far_json(const api::Usage& usage) {
  std::string out;
  ObjectWriter(out)
      .raw("output_tokens_details", thinking_json(usage))
      .number("cache_creation_input_tokens", usage.cache_creation_input_tokens)
      .number("cache_read_input_tokens", usage.cache_read_input_tokens)
      .number("input_tokens", usage.input_tokens)
      .raw("iterations", "[]")
      .number("output_tokens", usage.output_tokens)
      .raw("server_tool_use", server_tools_json(usage))
      .raw("fallback_credit", "null")
      .close();
  return out;
}

std::string usage_json(const api::Usage& usage) {
  std::string written, out;
  ObjectWriter(written)
      .number("ephemeral_1h_input_tokens", usage.cache_creation_1h)
      .number("ephemeral_5m_input_tokens", usage.cache_creation_5m)
      .close();
  ObjectWriter(out)
      .number("input_tokens", usage.input_tokens)
      .number("cache_creation_input_tokens", usage.cache_creation_input_tokens)
      .number("cache_read_input_tokens", usage.cache_read_input_tokens)
      .number("output_tokens", usage.output_tokens)
      .raw("output_tokens_details", thinking_json(usage))
      .raw("server_tool_use", server_tools_json(usage))
      .text("service_tier", "standard")
      .raw("cache_creation", written)
      .text("inference_geo", "")
      .raw("iterations", "[]")
      .text("speed", "standard")
      .raw("fallback_credit", "null")
      .close();
  return out;
}

}  // namespace ralph::session
