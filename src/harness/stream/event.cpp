#include "harness/stream/event.h"

#include <array>

#include "harness/stream/names_impl.h"

namespace ralph::stream {

Tokens& Tokens::operator+=(const Tokens& other) {
  input_uncached += other.input_uncached;
  cache_read += other.cache_read;
  cache_write += other.cache_write;
  output += other.output;
  reasoning += other.reasoning;
  return *this;
}

bool is_delta(const Payload& payload) {
  const auto* text = std::get_if<Text>(&payload);
  const auto* thinking = std::get_if<Thinking>(&payload);
  return (text != nullptr && text->delta) || (thinking != nullptr && thinking->delta);
}

std::string_view type_name(const Payload& payload) { return kTypeNames[payload.index()]; }

ErrorClass class_of_status(std::int64_t http_status) {
  if (http_status == 401 || http_status == 403) return ErrorClass::auth;
  if (http_status == 402) return ErrorClass::limit;
  if (http_status == 429) return ErrorClass::rate_limit;
  if (http_status >= 500) return ErrorClass::overloaded;
  if (http_status == 408 || http_status == 409) return ErrorClass::network;
  return http_status >= 400 ? ErrorClass::invalid_request : ErrorClass::unknown;
}

std::string_view to_string(ToolKind value) { return name_of(value); }
std::string_view to_string(Level value) { return name_of(value); }
std::optional<Level> level_named(std::string_view word) { return named<Level>(word); }
std::string_view to_string(ErrorClass value) { return name_of(value); }
std::string_view to_string(UsageScope value) { return name_of(value); }
std::string_view to_string(CostSource value) { return name_of(value); }
std::string_view to_string(Status value) { return name_of(value); }

}  // namespace ralph::stream
