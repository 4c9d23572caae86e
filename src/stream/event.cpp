#include "stream/event.h"

#include <array>

#include "stream/names_impl.h"

namespace ralph::stream {

Tokens& Tokens::operator+=(const Tokens& other) {
  input_uncached += other.input_uncached;
  cache_read += other.cache_read;
  cache_write += other.cache_write;
  output += other.output;
  reasoning += other.reasoning;
  return *this;
}

std::string_view type_name(const Payload& payload) { return kTypeNames[payload.index()]; }

std::string_view to_string(ToolKind value) { return name_of(value); }
std::string_view to_string(Level value) { return name_of(value); }
std::string_view to_string(ErrorClass value) { return name_of(value); }
std::string_view to_string(UsageScope value) { return name_of(value); }
std::string_view to_string(CostSource value) { return name_of(value); }
std::string_view to_string(Status value) { return name_of(value); }

}  // namespace ralph::stream
