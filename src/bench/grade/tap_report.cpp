// The Test Anything Protocol. Graded code can print to the same output, so everything that looks like a failure is one.
#include <optional>
#include <set>

#include <fmt/core.h>

#include "bench/grade/test_report.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace ralph::grade {
namespace {

constexpr std::int64_t kMostTests = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The end of a terminal control sequence ("\x1b[31m") that starts at `at`.
std::size_t end_of_sequence(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at + 1] != '[') return at + 1;
  const auto last = text.find_first_not_of("0123456789;:?", at + 2);
  return last == text.npos ? text.size() : last + 1;
}

/// The line without colours; what is not printable ASCII becomes a blank. Blanks at the end are removed.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == '\x1b') {
      i = end_of_sequence(line, i);
      continue;
    }
    text += line[i] > ' ' && line[i] <= '~' ? line[i] : ' ';
    ++i;
  }
  return std::string(trim_end(text));
}

std::string without_double_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || !out.ends_with(' ')) out += c;
  }
  return out;
}

/// "not ok" anywhere: what was printed before it without a newline must not hide a failed test.
bool reports_failure(std::string_view line) {
  constexpr std::string_view kFailed = "not ok";
  const auto text = without_double_blanks(line);
  for (auto at = text.find(kFailed); at != text.npos; at = text.find(kFailed, at + 1)) {
    const auto end = at + kFailed.size();
    if (end == text.size() || !is_letter(text[end])) return true;
  }
  return false;
}

/// Whether the test was skipped or is not expected to pass: "# SKIP", "# TODO".
bool has_directive(std::string_view line) {
  for (auto at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    const auto word = to_lower(trim(line.substr(at + 1)).substr(0, 4));
    if (word == "skip" || word == "todo") return true;
  }
  return false;
}

/// The number at the start of a text; nullopt: none, or one that is too large.
std::optional<std::int64_t> number_in(std::string_view text) {
  const auto value = leading_number<std::int64_t>(text);
  return value && *value >= 0 && *value <= kMostTests ? value : std::nullopt;
}

/// The results between a plan and its end: those of the whole output, or of a subtest, which is indented.
struct TapBlock {
  std::size_t indent = 0;
  std::int64_t total = 0;
  std::optional<std::int64_t> planned = {};
  bool planned_between = false;  // there were results before the plan
  std::set<std::int64_t> numbers = {};
};

class TapReader {
 public:
  Result<TestCounts> read(std::string_view text);

 private:
  void read_line(std::string_view line);
  void read_plan(std::string_view plan, std::size_t indent);
  void read_result(std::string_view result, std::size_t indent, bool failed);
  TapBlock& block_at(std::size_t indent);
  void close_block();
  void complain(std::string_view problem) {
    counts_.add_problem(fmt::format("line {}: {}", line_, problem));
  }

  TestCounts counts_;
  std::vector<TapBlock> blocks_{TapBlock{}};  // the last one is the innermost
  std::size_t line_ = 0;
};

/// A line that is indented less ends the blocks that are indented more.
TapBlock& TapReader::block_at(std::size_t indent) {
  while (blocks_.back().indent > indent) close_block();
  if (blocks_.back().indent < indent) blocks_.push_back({.indent = indent});
  return blocks_.back();
}

void TapReader::close_block() {
  const auto& block = blocks_.back();
  const auto missing = block.planned.value_or(0) - block.total;
  if (missing > 0) counts_.failed += missing;
  if (missing > 0 && block.indent == 0) counts_.total += missing;
  if (block.planned && missing < 0) {
    complain(fmt::format("{} results, but the plan is 1..{}", block.total, *block.planned));
  }
  blocks_.pop_back();
}

void TapReader::read_plan(std::string_view plan, std::size_t indent) {
  auto& block = block_at(indent);
  const auto count = number_in(plan.substr(3));
  if (!count) return complain(fmt::format("'{}' is not a plan", plan.substr(0, 40)));
  if (block.planned) return complain("a second plan");
  block.planned = count;
  block.planned_between = block.total > 0;
}

void TapReader::read_result(std::string_view result, std::size_t indent, bool failed) {
  auto& block = block_at(indent);
  if (block.planned_between) complain("a result after the plan at the end");
  const auto number = number_in(trim(result));
  if (number && !block.numbers.insert(*number).second) {
    complain(fmt::format("test {} has more than one result", *number));
  }
  ++block.total;
  if (indent > 0) return;
  ++counts_.total;
  if (!failed && has_directive(result)) ++counts_.skipped;
}

void TapReader::read_line(std::string_view line) {
  const auto indent = std::min(line.find_first_not_of(' '), line.size());
  const auto text = line.substr(indent);
  const bool failed = reports_failure(line);
  if (failed) ++counts_.failed;
  if (text.contains("Bail out!")) complain("Bail out!");
  if (text.starts_with("1..")) return read_plan(text, indent);
  for (const std::string_view word : {"ok", "not ok"}) {
    const bool is_result =
        text.starts_with(word) &&
        (text.size() == word.size() || text[word.size()] == ' ' || is_digit(text[word.size()]));
    if (is_result) return read_result(text.substr(word.size()), indent, failed);
  }
}

Result<TestCounts> TapReader::read(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    ++line_;
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    read_line(plain(line));
  }
  const bool planned = blocks_.front().planned.has_value();
  while (!blocks_.empty()) close_block();
  const bool any = counts_.total > 0 || counts_.failed > 0 || !counts_.problems.empty();
  if (!any && !planned) return fail(Code::malformed, "the output has no TAP results");
  if (!planned) complain("the output ended without a plan (1..N)");
  return std::move(counts_);
}

}  // namespace

Result<TestCounts> read_tap(std::string_view text) { return TapReader().read(text); }

}  // namespace ralph::grade
