// JUnit reports. There is no standard: what the common test runners write is accepted if it does not contradict itself.
#include <optional>

#include <fmt/core.h>

#include "bench/grade/test_report.h"
#include "bench/grade/xml_reader.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace ralph::grade {
namespace {

bool is_suite(std::string_view name) { return name == "testsuite" || name == "testsuites"; }

/// What an element says by an attribute; some runners write no `<failure>` or `<skipped>`.
bool has_status(const XmlTag& tag, std::string_view words) {
  for (const std::string_view key : {"status", "result"}) {
    const auto* value = tag.find(key);
    if (value != nullptr && has_word(words, to_lower(*value))) return true;
  }
  return false;
}

/// The tests of one suite, those of suites in it included.
struct Suite {
  XmlTag tag;
  TestCounts counts = {};
  std::int64_t own_tests = 0;  // without those of suites in it
  std::int64_t failures = 0;   // elements <failure> and <error>
};

/// The test case that is being read.
struct TestCase {
  bool failed = false, skipped = false;
};

class JunitReader {
 public:
  explicit JunitReader(std::string_view text) : reader_(text) {}
  Result<TestCounts> read();

 private:
  Result<> begin(XmlTag tag);
  void end(std::string_view name);
  void end_case();
  void end_suite();
  void check_numbers(const Suite& suite);
  void check_number(const Suite& suite, std::string_view key, std::int64_t declared,
                    std::int64_t found);
  std::int64_t declared(const Suite& suite, std::string_view key);

  XmlReader reader_;
  std::vector<Suite> suites_;
  std::optional<TestCase> test_;
  TestCounts counts_;  // of the root, at its end; problems at any time
};

std::string label_of(const Suite& suite) {
  const auto* name = suite.tag.find("name");
  return name == nullptr ? fmt::format("<{}>", suite.tag.name)
                         : fmt::format("<{} name=\"{}\">", suite.tag.name, *name);
}

/// -1: the suite does not say it.
std::int64_t JunitReader::declared(const Suite& suite, std::string_view key) {
  const auto* text = suite.tag.find(key);
  if (text == nullptr) return -1;
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto value = parse_number<std::int64_t>(*text);
  if (value && *value >= 0 && *value <= kMost) return *value;
  counts_.add_problem(
      fmt::format("{} declares {}=\"{}\"", label_of(suite), key, text->substr(0, 40)));
  return -1;
}

void JunitReader::check_number(const Suite& suite, std::string_view key, std::int64_t number,
                               std::int64_t found) {
  if (number < 0 || number == found) return;
  counts_.add_problem(
      fmt::format("{} declares {} {}, but has {}", label_of(suite), number, key, found));
}

void JunitReader::check_numbers(const Suite& suite) {
  const auto tests = declared(suite, "tests");
  // Some runners do not count the tests of suites in a suite.
  if (tests != suite.own_tests) check_number(suite, "tests", tests, suite.counts.total);
  const auto failures = declared(suite, "failures"), errors = declared(suite, "errors");
  const auto both = std::max<std::int64_t>(0, failures) + std::max<std::int64_t>(0, errors);
  if (both > 0) check_number(suite, "failures and errors", both, suite.failures);
  const auto skipped = declared(suite, "skipped");
  if (skipped > 0) check_number(suite, "skipped tests", skipped, suite.counts.skipped);
}

Result<> JunitReader::begin(XmlTag tag) {
  if (suites_.empty() && !is_suite(tag.name)) {
    return fail(Code::malformed, fmt::format("the root element is <{}>", tag.name));
  }
  if (is_suite(tag.name) || tag.name == "testcase") {
    if (test_) return fail(Code::malformed, fmt::format("<{}> in a <testcase>", tag.name));
  }
  if (is_suite(tag.name)) {
    suites_.push_back({.tag = std::move(tag)});
  } else if (tag.name == "testcase") {
    test_ = TestCase{.failed = has_status(tag, "fail failed failure error"),
                     .skipped = has_status(tag, "notrun skipped disabled suppressed")};
  } else if (tag.name == "failure" || tag.name == "error") {
    ++suites_.back().failures;
    if (test_) test_->failed = true;
    if (!test_) ++suites_.back().counts.failed;
  } else if (tag.name == "skipped" && test_) {
    test_->skipped = true;
  }
  return {};
}

void JunitReader::end_case() {
  auto& suite = suites_.back();
  ++suite.own_tests;
  ++suite.counts.total;
  if (test_->failed) {
    ++suite.counts.failed;
  } else if (test_->skipped) {
    ++suite.counts.skipped;
  }
  test_.reset();
}

void JunitReader::end_suite() {
  const auto suite = std::move(suites_.back());
  suites_.pop_back();
  check_numbers(suite);
  auto& outer = suites_.empty() ? counts_ : suites_.back().counts;
  outer.total += suite.counts.total;
  outer.failed += suite.counts.failed;
  outer.skipped += suite.counts.skipped;
  if (!suites_.empty()) suites_.back().failures += suite.failures;
}

void JunitReader::end(std::string_view name) {
  if (name == "testcase") end_case();
  if (is_suite(name)) end_suite();
}

Result<TestCounts> JunitReader::read() {
  for (;;) {
    TRY_ASSIGN(auto tag, reader_.next());
    if (!tag) break;
    if (tag->is_end) {
      end(tag->name);
    } else {
      TRY(begin(*std::move(tag)));
    }
  }
  return std::move(counts_);
}

}  // namespace

Result<TestCounts> read_junit(std::string_view text) { return JunitReader(text).read(); }

}  // namespace ralph::grade
