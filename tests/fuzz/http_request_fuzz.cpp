// Property: however the bytes are cut, the requests and the refusal are the same.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "system/http/request_parser.h"

namespace {

using namespace ralph::http;

struct Parsed {
  std::vector<Request> requests;
  std::optional<Refusal> refusal;

  bool operator==(const Parsed&) const = default;
};

Parsed parse(std::string_view bytes, std::size_t chunk, Limits limits) {
  RequestParser parser(limits);
  Parsed parsed;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    parser.feed(bytes.substr(at, chunk));
    while (auto request = parser.next()) parsed.requests.push_back(*std::move(request));
    parser.wants_continue();
  }
  parsed.refusal = parser.refusal();
  return parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t chunk = 1 + data[0] % 37;
  const Limits limits{.head = 16u + data[1] * 4u, .body = data[2]};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const auto whole = parse(bytes, bytes.size() + 1, limits);
  if (whole != parse(bytes, chunk, limits)) std::abort();
  for (const auto& request : whole.requests) {
    if (request.body.size() > limits.body) std::abort();
  }
  return 0;
}
