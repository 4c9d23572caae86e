#include "cli/demo_story.h"

namespace ralph::cli {
namespace {

constexpr std::string_view kReceipt =
    R"(# Prints what a basket costs. Each line of the input is NAME PRICE COUNT; prices are in cents.
total=0
while read -r name price count; do
  total=$((total + price))
done
printf 'total %d.%d\n' $((total / 100)) $((total % 100))
)";

constexpr std::string_view kTest =
    R"(# Runs receipt.sh on some baskets. Exit code 1: at least one receipt is wrong.
failed=0
check() {  # WHAT BASKET EXPECTED
  got=$(printf "$2" | sh receipt.sh)
  if [ "$got" = "$3" ]; then
    echo "ok      $1"
  else
    echo "FAILED  $1: expected '$3', got '$got'"
    failed=1
  fi
}
check 'one loaf'       'bread 325 1\n'              'total 3.25'
check 'three apples'   'apple 120 3\n'              'total 3.60'
check 'a whole basket' 'bread 325 1\napple 120 4\n' 'total 8.05'
exit $failed
)";

constexpr std::string_view kDemoGoalText =
    R"(Make `sh test.sh` pass. The tests are right, the bugs are in receipt.sh.
)";

constexpr DemoFile kFiles[] = {
    {kDemoProgram, kReceipt},
    {kDemoTest, kTest},
    {kDemoGoal, kDemoGoalText},
};

constexpr std::string_view kScenario = R"json({
"then": "error",
"steps": [
  {"text": "Let me see how it fails before I change anything.",
   "tool_use": {"name": "Bash", "input": {"command": "sh test.sh"}}},
  {"content": [
    {"text": "Two of three receipts are wrong."},
    {"tool_use": {"name": "Read", "input": {"file_path": "receipt.sh"}}},
    {"tool_use": {"name": "Bash", "input": {"command": "grep -n count receipt.sh"}}}]},
  {"text": "The count is read but never used: three apples cost as much as one.",
   "tool_use": {"name": "Edit", "input": {"file_path": "receipt.sh",
     "old_string": "total + price))", "new_string": "total + price * count))"}}},
  {"tool_use": {"name": "Bash", "input": {"command": "sh test.sh"}}},
  {"tool_use": {"name": "StructuredOutput", "input": {"summary":
     "Each price is multiplied by its count. Next: the cents, 8.5 instead of 8.05."}}},

  {"text": "Cents below ten lose their zero. They need two places.",
   "tool_use": {"name": "Read", "input": {"file_path": "receipt.sh"}}},
  {"tool_use": {"name": "Edit", "input": {"file_path": "receipt.sh",
     "old_string": "%d.%d", "new_string": "%d.%2d"}}},
  {"text": "That was the last bug.",
   "tool_use": {"name": "StructuredOutput", "input": {"summary":
     "Cents take two places. That was the last bug.", "done": true}}},

  {"text": "Verification got '8. 5': the two places are filled with a blank. I should have run the test.",
   "tool_use": {"name": "Read", "input": {"file_path": "receipt.sh"}}},
  {"text": "%2d fills with blanks, %02d with zeros.",
   "tool_use": {"name": "Edit", "input": {"file_path": "receipt.sh",
     "old_string": "%d.%2d", "new_string": "%d.%02d"}}},
  {"tool_use": {"name": "Bash", "input": {"command": "sh test.sh"}}},
  {"text": "All three receipts are right now.",
   "tool_use": {"name": "StructuredOutput", "input": {"summary":
     "Cents are filled with zeros; all three receipts are right.", "done": true}}}
]})json";

}  // namespace

std::span<const DemoFile> demo_files() { return kFiles; }

std::string_view demo_scenario() { return kScenario; }

}  // namespace ralph::cli
