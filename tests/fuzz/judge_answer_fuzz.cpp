// What a judge says, around text of the graded work that it quotes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/grade/judge_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph::grade;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<Assertion> assertions{{"ok", "It is good."}};
  const auto passes = [&](const std::string& answer) {
    return read_text_vote(answer, assertions, 0.5).status == GradeStatus::passed;
  };
  const auto alone = read_text_vote(text, assertions, 0.5);
  if ((alone.status == GradeStatus::skipped) == alone.problem.empty()) std::abort();
  // No text beside a bad answer makes it a good one.
  constexpr auto* kBad = R"({"status":"failed","metrics":{"ok":0},"message":"no"})";
  if (passes(kBad + std::string(text)) || passes(std::string(text) + kBad)) std::abort();
  return 0;
}
