#include "harness/loop/answer.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/json/document.h"
#include "harness/loop/json_objects.h"

namespace ralph::loop {
namespace {

/// How an agent is to give its answer.
constexpr std::string_view kByTool =
    R"(Call the tool {{answer_tool}} once with {"summary": "…", "done": false}: three to seven sentences about what this iteration did and what the next step is; "done": true if the whole goal is reached and checked.)";
constexpr std::string_view kByText =
    R"(End your message with one JSON object {"summary": "…", "done": false}: three to seven sentences about what this iteration did and what the next step is; "done": true if the whole goal is reached and checked.)";

constexpr std::string_view kBlank = " \t\r\n\f\v";

Answer wrong(std::string_view what, std::string_view way) {
  return {{}, fmt::format("{} {} Do no further work for it.", what, way)};
}

/// "DONE", "Done.", "**done!**".
bool is_bare_done(std::string_view summary) {
  constexpr std::string_view kAround = " \t\r\n.!*_`'\"";
  const auto word = trim(summary, kAround);
  return std::ranges::equal(word, store::kDone, [](char a, char b) { return (a & ~0x20) == b; });
}

/// nullopt: it says neither.
std::optional<bool> done_in(const json::Document& object) {
  const auto found = object.find("done");
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  if (*found == "true" || *found == "false") return *found == "true";
  return std::nullopt;
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
  const auto summary = trim(found->get_ref<const std::string&>(), kBlank);
  if (summary.empty()) return wrong("The \"summary\" of your answer is empty.", way);
  const auto said = done_in(*document);
  const auto done = document->find("done");
  if (!said && done != document->end() && !done->is_null()) {
    return wrong("The \"done\" of your answer is neither true nor false.", way);
  }
  const bool bare = is_bare_done(summary);
  if (bare && said == false) return wrong("Your answer says DONE and \"done\": false.", way);
  return {std::string(summary), {}, said.value_or(bare)};
}

/// Blank lines at the end do not count.
std::string_view last_line(std::string_view text) {
  text = trim(text, kBlank);
  const auto before = text.rfind('\n');
  return trim(before == text.npos ? text : text.substr(before + 1), kBlank);
}

/// Only white space, or the closing fence of a code block.
bool ends_a_message(std::string_view rest) {
  rest = trim(rest, kBlank);
  return rest.empty() || (rest.size() >= 3 && (rest.find_first_not_of('`') == rest.npos ||
                                               rest.find_first_not_of('~') == rest.npos));
}

}  // namespace

Answer structured_answer(std::string_view structured, std::string_view answer_tool) {
  constexpr std::string_view kPlace = "{{answer_tool}}";
  std::string way(kByTool);
  way.replace(way.find(kPlace), kPlace.size(), answer_tool);
  if (trim(structured, kBlank).empty()) return wrong("Your answer is missing.", way);
  return read(structured, way);
}

Answer text_answer(std::string_view text, std::string_view done_marker) {
  const auto marker = trim(done_marker, kBlank);
  if (!marker.empty() && last_line(text) == marker) {
    const auto before = trim(text.substr(0, text.rfind(marker)), kBlank);
    return {std::string(before.empty() ? store::kDone : before), {}, true};
  }
  if (is_bare_done(text)) return {std::string(store::kDone), {}, true};
  const auto object = last_object_with(text, "summary");
  if (object.empty()) return wrong("Your answer is missing.", kByText);
  auto answer = read(object, kByText);
  const auto end = static_cast<std::size_t>(object.data() - text.data()) + object.size();
  if (answer.done && !ends_a_message(text.substr(end))) {
    return wrong("Your answer DONE is not the end of your message.", kByText);
  }
  return answer;
}

std::string done_not_taken(std::string_view text, std::string_view done_marker) {
  const auto last = last_line(text);
  const auto word = last.substr(last.find_last_of(" \t") + 1);
  if (is_bare_done(last)) return std::string(last);
  if (word.starts_with(store::kDone) && is_bare_done(word)) return std::string(word);
  const auto marker = trim(done_marker, kBlank);
  while (!marker.empty() && !text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (trim(line, kBlank) == marker) return std::string(marker);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

}  // namespace ralph::loop
