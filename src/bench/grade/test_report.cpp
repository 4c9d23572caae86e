#include "bench/grade/test_report.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace ralph::grade {
namespace {

bool begins_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ');
}

/// "1..12": the number of tests; nullopt: the line is not a plan.
std::optional<std::int64_t> plan_of(std::string_view line) {
  if (!line.starts_with("1..")) return std::nullopt;
  std::int64_t count = 0;
  const auto rest = line.substr(3);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  return error == std::errc{} ? std::optional(count) : std::nullopt;
}

bool has_directive(std::string_view line, std::string_view word) {
  const auto at = line.find('#');
  if (at == std::string_view::npos) return false;
  return to_lower(trim(line.substr(at + 1))).starts_with(word);
}

/// "not ok 3" behind the beginning of a line: what was printed before it without a newline hides a failed test.
bool hides_failure(std::string_view line) {
  constexpr std::string_view kFailed = "not ok ";
  for (auto at = line.find(kFailed, 1); at != line.npos; at = line.find(kFailed, at + 1)) {
    const auto number = at + kFailed.size();
    const bool is_test = number < line.size() && line[number] >= '0' && line[number] <= '9';
    if (is_test && line.find_first_not_of(' ') < at) return true;
  }
  return false;
}

/// The next tag of an XML text, without "<" and ">"; comments and CDATA are skipped. Empty: there is none.
std::string_view next_tag(std::string_view& text) {
  for (;;) {
    const auto begin = text.find('<');
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    const std::string_view close = text.starts_with("<!--")        ? "-->"
                                   : text.starts_with("<![CDATA[") ? "]]>"
                                                                   : "";
    const auto end = text.find(close.empty() ? ">" : close);
    if (end == std::string_view::npos) return {};
    const auto tag = text.substr(1, end - 1);
    text.remove_prefix(end + std::max<std::size_t>(close.size(), 1));
    if (close.empty()) return tag;
  }
}

std::string_view name_of(std::string_view tag) {
  return tag.substr(0, tag.find_first_of(" \t\r\n/"));
}

}  // namespace

std::optional<TestCounts> read_tap(std::string_view text) {
  TestCounts counts;
  std::optional<std::int64_t> planned;
  bool any = false, bailed = false;
  while (!text.empty()) {
    const auto line = trim_end(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (const auto plan = plan_of(line)) planned = plan;
    bailed |= line.starts_with("Bail out!");
    const bool ok = begins_with_word(line, "ok"), bad = begins_with_word(line, "not ok");
    any |= ok || bad;
    if (!bad && hides_failure(line)) ++counts.failed;
    if (!ok && !bad) continue;
    ++counts.total;
    if (has_directive(line, "skip") || (bad && has_directive(line, "todo"))) {
      ++counts.skipped;
    } else if (bad) {
      ++counts.failed;
    }
  }
  if (planned && *planned > counts.total) {
    counts.failed += *planned - counts.total;
    counts.total = *planned;
  }
  // More results than planned: something else printed some of them.
  if (planned && *planned < counts.total) ++counts.failed;
  if (bailed) ++counts.failed;
  if (!any && !planned && !bailed) return std::nullopt;
  return counts;
}

std::optional<TestCounts> read_junit(std::string_view text) {
  TestCounts counts;
  bool has_suite = false, failed = false, skipped = false, open = false;
  const auto end_case = [&] {
    if (!open) return;
    counts.failed += failed ? 1 : 0;
    counts.skipped += skipped && !failed ? 1 : 0;
    failed = skipped = open = false;
  };
  for (auto tag = next_tag(text); !tag.empty(); tag = next_tag(text)) {
    const auto name = name_of(tag);
    if (name == "testsuite" || name == "testsuites") has_suite = true;
    if (name == "failure" || name == "error") failed = true;
    if (name == "skipped") skipped = true;
    if (tag.starts_with("/testcase")) end_case();
    if (name != "testcase") continue;
    end_case();
    ++counts.total;
    open = true;
    failed = skipped = false;
    if (tag.ends_with('/')) end_case();
  }
  end_case();
  return has_suite ? std::optional(counts) : std::nullopt;
}

}  // namespace ralph::grade
