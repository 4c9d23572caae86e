#include "system/http/end_to_end.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ralph::http {
namespace {

constexpr auto kNotPassedOn = std::to_array<std::string_view>(
    {"host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer",
     "transfer-encoding", "upgrade", "expect", "content-length", "accept-encoding"});

}  // namespace

Headers end_to_end(const Headers& headers) {
  Headers some;
  for (const auto& header : headers) {
    const auto is_it = [&](std::string_view name) {
      return equal_ignoring_case(header.name, name);
    };
    if (std::ranges::none_of(kNotPassedOn, is_it)) some.add(header.name, header.value);
  }
  return some;
}

}  // namespace ralph::http
