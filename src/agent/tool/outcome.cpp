#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/tool.h"

namespace ralph::tool {
namespace {

Outcome failed_outcome(std::string_view for_model, std::string_view text) {
  return {json::write(json::Document(for_model)), true,
          json::write(json::Document(fmt::format("Error: {}", text)))};
}

}  // namespace

Outcome failure(std::string_view text) { return failed_outcome(text, text); }

Outcome misuse(std::string_view text) {
  auto outcome = failed_outcome(fmt::format("<tool_use_error>{}</tool_use_error>", text), text);
  outcome.misused = true;
  return outcome;
}

}  // namespace ralph::tool
