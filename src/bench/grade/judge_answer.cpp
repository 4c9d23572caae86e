#include "bench/grade/judge_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graders_impl.h"
#include "core/base/text.h"
#include "core/json/field.h"
#include "core/json/repair.h"
#include "core/schema/schema.h"

namespace ralph::grade {
namespace {

using json::Document;

/// An answer is short, and each brace can be the start of an object. What is behind a limit could be another answer.
constexpr std::size_t kLongestText = std::size_t{256} << 10;
constexpr std::ptrdiff_t kMostBraces = 2000;

/// The end of the object that starts at text[0]; npos: it is not closed.
std::size_t end_of_object(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

Vote invalid(std::string problem) {
  Vote vote;
  vote.problem = std::move(problem);
  return vote;
}

/// What json::parse() reads.
std::string repaired(std::string_view json) {
  return json::repair(json).value_or(std::string(json));
}

/// Every JSON object of a text, those inside of others too.
std::vector<std::string> objects_in(std::string_view text) {
  std::vector<std::string> found;
  for (auto at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const auto rest = text.substr(at);
    const auto end = end_of_object(rest);
    if (end == rest.npos) continue;
    auto object = repaired(rest.substr(0, end));
    if (json::parse(object)) found.push_back(std::move(object));
  }
  return found;
}

/// Whether it says what a judge says, well or badly.
bool is_answer(const std::string& object) {
  const auto document = json::parse(object);
  const auto status = document ? json::text(*document, "status") : "";
  return status == "passed" || status == "failed";
}

/// Programs do not agree about which of two values counts.
bool has_duplicate_keys(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  bool found = false;
  const auto look = [&](int, Document::parse_event_t event, Document& parsed) {
    using enum Document::parse_event_t;
    if (event == object_start) keys.emplace_back();
    if (event == key) found |= !keys.back().insert(parsed.get<std::string>()).second;
    if (event == object_end) keys.pop_back();
    return true;
  };
  const auto ignored = Document::parse(text, look, false);
  return found;
}

std::string problems_of(const Document& answer, const std::vector<Assertion>& assertions) {
  const auto schema = schema::Schema::compile(Document::parse(answer_schema(assertions)));
  if (!schema) return schema.error().message;
  std::vector<std::string> problems;
  for (const auto& violation : schema->validate(answer)) {
    problems.push_back(fmt::format("{} {}", violation.pointer, violation.message));
  }
  return fmt::format("{}", fmt::join(problems, "; "));
}

/// A status that the scores contradict; empty: none.
std::string contradiction(std::string_view status, const Document& scores,
                          const std::vector<Assertion>& assertions, double threshold) {
  const auto lowest = std::ranges::min_element(assertions, {}, [&](const Assertion& assertion) {
    return json::number(scores, assertion.key).value_or(0);
  });
  const double score = json::number(scores, lowest->key).value_or(0);
  if ((status == "passed") == (score >= threshold)) return {};
  return fmt::format("the judge says '{}', but the lowest score is {} ({}) and the threshold {}",
                     status, number(score).dump(), lowest->key, number(threshold).dump());
}

}  // namespace

std::vector<Assertion> assertions_of(const Document& config) {
  const auto& given = json::member(config, "assertions");
  const auto& list = given.is_null() ? json::member(config, "criteria") : given;
  std::vector<Assertion> assertions;
  for (const auto& [key, value] : list.items()) {
    assertions.push_back({list.is_array() ? fmt::format("{}", assertions.size() + 1) : key,
                          value.is_string() ? value.get<std::string>() : json::write(value)});
  }
  return assertions;
}

std::string answer_schema(const std::vector<Assertion>& assertions) {
  Document keys = Document::array(), scores = Document::object();
  for (const auto& assertion : assertions) {
    keys.push_back(assertion.key);
    scores[assertion.key] = {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
  }
  const Document metrics{
      {"type", "object"}, {"properties", std::move(scores)}, {"required", std::move(keys)}};
  return json::write({{"type", "object"},
                      {"properties",
                       {{"status", {{"type", "string"}, {"enum", {"passed", "failed"}}}},
                        {"metrics", metrics},
                        {"message", {{"type", "string"}, {"minLength", 1}}}}},
                      {"required", {"status", "metrics", "message"}}});
}

Vote read_vote(std::string_view answer, const std::vector<Assertion>& assertions,
               double threshold) {
  if (trim(answer).empty()) return invalid("the answer has no JSON object");
  const auto document = json::parse(answer, "the answer");
  if (!document) return invalid(document.error().message);
  if (has_duplicate_keys(repaired(answer))) return invalid("the answer has a key twice");
  if (const auto wrong = problems_of(*document, assertions); !wrong.empty()) {
    return invalid("the answer is not valid: " + wrong);
  }
  Document scores = Document::object();
  for (const auto& assertion : assertions) {
    scores[assertion.key] = (*document)["metrics"][assertion.key];
  }
  const auto status = json::text(*document, "status");
  Vote vote{GradeStatus::skipped, json::write(scores), json::text(*document, "message")};
  vote.problem = contradiction(status, scores, assertions, threshold);
  if (!vote.problem.empty()) return vote;
  vote.status = status == "passed" ? GradeStatus::passed : GradeStatus::failed;
  return vote;
}

Vote read_text_vote(std::string_view text, const std::vector<Assertion>& assertions,
                    double threshold) {
  if (text.size() > kLongestText || std::ranges::count(text, '{') > kMostBraces) {
    return invalid(
        fmt::format("the text has more than {} bytes or {} braces", kLongestText, kMostBraces));
  }
  auto objects = objects_in(text);
  if (objects.empty()) return invalid("the answer has no JSON object");
  std::erase_if(objects, [](const std::string& object) { return !is_answer(object); });
  if (objects.empty()) {
    return invalid("the answer has no JSON object with the status 'passed' or 'failed'");
  }
  std::optional<Vote> vote;
  for (const auto& object : objects) {
    auto each = read_vote(object, assertions, threshold);
    if (!each.problem.empty()) return each;
    if (vote && (vote->status != each.status || vote->scores != each.scores)) {
      return invalid(fmt::format("the text has {} answers that differ", objects.size()));
    }
    vote = std::move(each);
  }
  return *vote;
}

GradeStatus majority(const std::vector<Vote>& votes) {
  const auto passed = std::ranges::count(votes, GradeStatus::passed, &Vote::status);
  if (2 * passed > std::ssize(votes)) return GradeStatus::passed;
  const auto unavailable = std::ranges::count(votes, true, &Vote::unavailable);
  return 2 * (passed + unavailable) > std::ssize(votes) ? GradeStatus::skipped
                                                        : GradeStatus::failed;
}

std::string mean_scores(const std::vector<Vote>& votes, const std::vector<Assertion>& assertions) {
  Document means = Document::object();
  for (const auto& assertion : assertions) {
    double sum = 0;
    int count = 0;
    for (const auto& vote : votes) {
      if (vote.status == GradeStatus::skipped) continue;
      sum += json::number(Document::parse(vote.scores), assertion.key).value_or(0);
      ++count;
    }
    constexpr double kDigits = 1e6;  // 0.1 + 0.2 is shown as 0.3
    if (count > 0) means[assertion.key] = number(std::round(sum / count * kDigits) / kDigits);
  }
  return json::write(means);
}

}  // namespace ralph::grade
