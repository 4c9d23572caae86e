#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/wire/harness.h"

/// Requests of a client, as it reads the answers.
namespace ralph::wire {

inline constexpr std::string_view kSlow =
    R"({"steps":[{"text":"slow","delay_ms":60000},{"text":"after"}]})";

/// The answer to the request with this id; null: there is none.
inline Document answer_to(const Ran& ran, std::string_view id) {
  for (const auto& line : ran.of_type("control_response")) {
    if (line["response"]["request_id"] == id) return line["response"];
  }
  return nullptr;
}

/// Asks one thing after the other while the model is silent, then interrupts.
inline Ran ask_during_turn(Bench& bench, std::vector<Document> requests,
                           const std::vector<std::string>& words = {}) {
  bench.say("one");
  bench.when_asked([&requests](Bench& it) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      it.ask_agent(std::to_string(i), requests[i]);
    }
    it.ask_agent("stop", {{"subtype", "interrupt"}});
  });
  bench.when("\"type\":\"result\"", [](Bench& it) { it.hang_up(); });
  return bench.converse(words);
}

inline Document request(std::string_view subtype, Document more = Document::object()) {
  more["subtype"] = subtype;
  return more;
}

}  // namespace ralph::wire
