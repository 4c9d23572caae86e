#pragma once
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "harness/store/loop_state_files.h"
#include "harness/store/workspace.h"
#include "integration/agent_harness.h"

/// `ralph loop` over our own agent over a scripted API, in a real git repository.
namespace ralph::loop_process {

using agent_process::Ran;
using agent_process::Stage;

inline std::string answer(std::string_view summary) {
  return fmt::format(R"({{"tool_use":{{"name":"StructuredOutput","input":{{"summary":"{}"}}}}}})",
                     summary);
}
inline std::string bash(std::string_view command) {
  return fmt::format(R"({{"tool_use":{{"name":"Bash","input":{{"command":"{}"}}}}}})", command);
}
inline std::string scenario(const std::vector<std::string>& steps) {
  std::string text;
  for (const auto& step : steps) text += (text.empty() ? "" : ",") + step;
  return R"({"steps":[)" + text + R"(],"then":"error"})";
}

class LoopStage : public Stage {
 public:
  explicit LoopStage(const std::vector<std::string>& steps) : Stage(scenario(steps)) {
    shell(
        "git init -q . && git config user.name T && git config user.email t@example.com && "
        "echo start > start.txt && git add . && git commit -qm start");
  }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(work() / name) << text;
  }
  std::string read(const std::string& name) const { return test::text_of(work() / name); }
  std::string shell(const std::string& line) const {
    const auto ran = run(command({"/bin/sh", "-c", line}));
    EXPECT_EQ(ran.code(), 0) << line << ran.err;
    return ran.out;
  }

  process::Command loop_command(std::vector<std::string> more) const {
    std::vector<std::string> argv{agent_process::ralph(), "loop", "-b", "builtin"};
    argv.insert(argv.end(), more.begin(), more.end());
    return command(std::move(argv));
  }
  Ran loop(std::vector<std::string> more) const { return run(loop_command(std::move(more))); }
  Ran loop_on(std::string goal, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"-p", std::move(goal)});
    return loop(std::move(more));
  }

  std::vector<store::LoopRecord> records() const {
    std::int64_t bad = 0;
    auto found = store::LoopStateFiles(work()).records(bad);
    EXPECT_EQ(bad, 0);
    return found ? *found : std::vector<store::LoopRecord>();
  }
  std::vector<store::LoopRecord> iterations() const {
    std::vector<store::LoopRecord> found;
    for (auto& record : records()) {
      if (record.step == store::LoopRecord::Step::iteration) found.push_back(std::move(record));
    }
    return found;
  }
  store::LoopState state() const {
    std::string warning;
    auto found = store::LoopStateFiles(work()).peek(warning);
    EXPECT_TRUE(found) << warning;
    return found.value_or(store::LoopState());
  }
  /// The prompts the model got, one for each request that began a session.
  std::vector<std::string> prompts() const {
    std::vector<std::string> prompts;
    for (auto& request : requests()) {
      const auto& messages = request["body"]["messages"];
      const auto text = json::write(messages);
      if (!text.contains("tool_result")) prompts.push_back(text);
    }
    return prompts;
  }
};

}  // namespace ralph::loop_process
