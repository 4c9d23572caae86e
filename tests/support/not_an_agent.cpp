// Ralph's own agent is the current executable, which in a test is the test program. Started as an agent, it would run its
// tests again, and each would start an agent.
#include <string_view>

#include <unistd.h>

namespace {

[[gnu::constructor]] void refuse_to_be_an_agent(int count, char** words) {
  constexpr std::string_view kWhy = "this is a test program, not an agent\n";
  if (count < 2 || std::string_view(words[1]) != "agent") return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kWhy.data(), kWhy.size());
  ::_exit(2);
}

}  // namespace
