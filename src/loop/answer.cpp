#include "loop/answer.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "json/document.h"
#include "loop/json_objects.h"

namespace ralph::loop {
namespace {

/// How an agent is to give its answer.
constexpr std::string_view kByTool =
    R"(Call the tool StructuredOutput once with {"summary": "…"}: three to seven sentences about what this iteration did and what the next step is, or "DONE" if the whole goal is reached and checked.)";
constexpr std::string_view kByText =
    R"(End your message with one JSON object {"summary": "…"}: three to seven sentences about what this iteration did and what the next step is, or "DONE" if the whole goal is reached and checked.)";

constexpr std::string_view kBlank = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

Answer wrong(std::string_view what, std::string_view way) {
  return {{}, fmt::format("{} {} Do no further work for it.", what, way)};
}

/// The answer in a JSON text.
Answer read(std::string_view text, std::string_view way) {
  const auto document = json::parse(text, "answer");
  if (!document) return wrong("Your answer is not valid JSON.", way);
  if (document->is_null()) return wrong("Your answer is missing.", way);
  if (!document->is_object()) return wrong("Your answer is not a JSON object.", way);
  const auto found = document->find("summary");
  if (found == document->end()) return wrong("Your answer has no \"summary\".", way);
  if (!found->is_string()) return wrong("The \"summary\" of your answer is not a text.", way);
  const auto summary = trimmed(found->get_ref<const std::string&>());
  if (summary.empty()) return wrong("The \"summary\" of your answer is empty.", way);
  return {std::string(summary), {}};
}

bool has_line(std::string_view text, std::string_view wanted) {
  wanted = trimmed(wanted);
  if (wanted.empty()) return false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (trimmed(text.substr(at, end - at)) == wanted) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

Answer structured_answer(std::string_view structured) {
  if (trimmed(structured).empty()) return wrong("Your answer is missing.", kByTool);
  return read(structured, kByTool);
}

Answer text_answer(std::string_view text, std::string_view done_marker) {
  if (has_line(text, done_marker)) return {std::string(kDone), {}};
  const auto object = last_object_with(text, "summary");
  if (object.empty()) return wrong("Your answer is missing.", kByText);
  return read(object, kByText);
}

}  // namespace ralph::loop
