#include <array>
#include <limits>
#include <utility>

#include "mock/scenario_parts_impl.h"

namespace ralph::mock {
namespace {

// --- headers ---

bool fits_in_header(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

/// Set by the server itself: a second one would make the answer unreadable.
constexpr auto kFramingHeaders =
    std::to_array<std::string_view>({"content-length", "transfer-encoding", "connection"});

bool is_framing(std::string_view name) {
  return std::ranges::any_of(kFramingHeaders, [&](std::string_view framing) {
    return http::equal_ignoring_case(name, framing);
  });
}

Result<> read_headers(const Node& node, http::Headers& headers) {
  TRY(node.must_be_object());
  for (const auto& [name, value] : node.value.items()) {
    auto text = value.is_string() ? value.template get<std::string>() : value.dump();
    if (value.is_structured() || name.empty() || name.find_first_of(": ") != name.npos ||
        !fits_in_header(name) || !fits_in_header(text)) {
      return node.member(name).fail_here("is not a valid header",
                                         "use a name and one line of text");
    }
    if (is_framing(name)) return node.member(name).fail_here("is set by the server itself");
    headers.add(name, std::move(text));
  }
  return {};
}

// --- "error" and "http" ---

constexpr Field<Failure> kFailure[] = {
    {"status",
     [](const Node& value, Failure& failure) { return set(failure.status, value, 400, 599); }},
    {"type", [](const Node& value, Failure& failure) { return set(failure.type, value); }},
    {"message", [](const Node& value, Failure& failure) { return set(failure.message, value); }},
    {"headers",
     [](const Node& value, Failure& failure) { return read_headers(value, failure.headers); }},
};

/// A string is sent unchanged, any other value as JSON.
Result<> read_body(const Node& node, http::Response& response) {
  if (node.value.is_string()) return set(response.body, node);
  response.body = json::write(node.value);
  return {};
}

constexpr Field<http::Response> kHttp[] = {
    {"status",
     [](const Node& value, http::Response& answer) { return set(answer.status, value, 200, 599); }},
    {"headers",
     [](const Node& value, http::Response& answer) { return read_headers(value, answer.headers); }},
    {"body", read_body},
};

// --- "trouble" ---

Result<> read_place(const Node& node, Trouble& trouble) {
  if (!node.value.is_number()) {
    TRY_ASSIGN(trouble.place, read_name(node, kPlaceNames));
    return {};
  }
  trouble.place = Place::after_events;
  return set(trouble.events, node, 0, std::numeric_limits<int>::max());
}

int digit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return static_cast<int>(kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c));
}

Result<> read_hex(const Node& node, Trouble& trouble) {
  TRY_ASSIGN(const auto text, node.text());
  Bytes bytes;
  for (std::size_t n = 0; n + 1 < text.size(); n += 2) {
    bytes.bytes += static_cast<char>(digit(text[n]) * 16 + digit(text[n + 1]));
  }
  const bool all_digits = std::ranges::all_of(text, [](char c) { return digit(c) >= 0; });
  if (text.size() % 2 != 0 || !all_digits) {
    return node.fail_here("is not hexadecimal", "use two digits per byte, for example \"ff00\"");
  }
  trouble.incident = std::move(bytes);
  return {};
}

/// "error": "overloaded_error", a status, or an object.
Result<> read_error_event(const Node& node, Trouble& trouble) {
  ErrorEvent event;
  if (node.value.is_string()) {
    TRY(set(event.type, node));
    event.message = "mock " + event.type;
  } else if (node.value.is_object() && !node.value.contains("status")) {
    Failure failure;
    TRY(read_fields<Failure>(node, kFailure, failure));
    if (failure.type.empty()) return node.fail_here("has no 'type'");
    event = {failure.type,
             failure.message.empty() ? "mock " + failure.type : std::move(failure.message)};
  } else {
    TRY_ASSIGN(auto failure, read_failure(node));
    event = {std::move(failure.type), std::move(failure.message)};
  }
  trouble.incident = std::move(event);
  return {};
}

constexpr Field<Trouble> kTrouble[] = {
    {"at", read_place},
    {"do",
     [](const Node& value, Trouble& trouble) -> Result<> {
       TRY_ASSIGN(trouble.incident, read_name(value, kCutNames));
       return {};
     }},
    {"pause_ms",
     [](const Node& value, Trouble& trouble) {
       return set(trouble.incident.emplace<Pause>().duration, value, 0, kLongestDelayMs);
     }},
    {"send", [](const Node& value,
                Trouble& trouble) { return set(trouble.incident.emplace<Bytes>().bytes, value); }},
    {"send_hex", read_hex},
    {"error", read_error_event},
};

Result<Trouble> read_trouble(const Node& node) {
  Trouble trouble;
  TRY(read_fields<Trouble>(node, kTrouble, trouble));
  if (!node.value.contains("at")) {
    return node.fail_here("has no 'at'", "for example {\"at\": \"in_block\", \"do\": \"reset\"}");
  }
  if (node.value.size() != 2) {
    return node.fail_here("must have one action", "add 'do', 'pause_ms', 'send' or 'error'");
  }
  return trouble;
}

}  // namespace

Result<Failure> read_failure(const Node& node) {
  Failure failure;
  if (node.value.is_number()) {
    TRY(set(failure.status, node, 400, 599));
  } else {
    TRY(read_fields<Failure>(node, kFailure, failure));
  }
  if (failure.status == 0) failure.status = error_status(failure.type);
  if (failure.status == 0) {
    return node.fail_here("has no 'status'", "for example {\"status\": 529}");
  }
  if (failure.type.empty()) failure.type = error_type(failure.status);
  if (failure.message.empty()) failure.message = "mock " + failure.type;
  return failure;
}

Result<http::Response> read_http(const Node& node) {
  http::Response response;
  TRY(read_fields<http::Response>(node, kHttp, response));
  const bool json = node.value.contains("body") && !node.value["body"].is_string();
  if (json && !response.headers.find("content-type")) {
    response.headers.add("content-type", "application/json");
  }
  return response;
}

Result<std::vector<Trouble>> read_troubles(const Node& node) {
  std::vector<Trouble> troubles;
  const bool list = node.value.is_array();
  for (std::size_t n = 0; n < (list ? node.value.size() : 1); ++n) {
    TRY_ASSIGN(auto trouble, read_trouble(list ? node.element(n) : node));
    troubles.push_back(std::move(trouble));
  }
  return troubles;
}

}  // namespace ralph::mock
