#include "harness/backend/process_end.h"

#include "harness/backend/harness.h"

namespace ralph::backend {
namespace {

using stream::StartRefusal;

stream::ProcessEnd explained(const Machine& machine, std::string stderr_line,
                             std::string_view name = "claude", Auth auth = Auth::automatic) {
  stream::ProcessEnd end{.stderr_line = std::move(stderr_line)};
  add_backend_details(*find_backend(name), auth, machine.host, end);
  return end;
}

TEST(ProcessEnd, AnErrorOfACommandLineParserIsARefusal) {
  const Machine machine;
  for (const auto* line :
       {"error: unknown option '--frob'", "Error: unrecognized arguments: --frob",
        "error: option '--permission-mode <mode>' argument 'x' is invalid. Allowed choices are "
        "plan.",
        "error: unexpected argument '--frob' found", "error: invalid value 'x' for '--mode'"}) {
    EXPECT_EQ(explained(machine, line).refusal, StartRefusal::command_line) << line;
  }
  EXPECT_EQ(explained(machine, "Error: out of memory").refusal, std::nullopt);
  EXPECT_EQ(explained(machine, "").refusal, std::nullopt);
}

TEST(ProcessEnd, UnusableSettingsAreARefusal) {
  const Machine machine;
  const std::string line = "Error: the settings in /a cannot be used: not JSON";
  for (const auto* name : {"claude", "builtin", "custom"}) {
    EXPECT_EQ(explained(machine, line, name).refusal, StartRefusal::settings) << name;
  }
}

TEST(ProcessEnd, TheSourceOfTheKeyIsKnownWhenTheAgentUsesOne) {
  Machine machine;
  EXPECT_EQ(explained(machine, "").key_source, "");
  machine.set("ANTHROPIC_API_KEY=k");
  EXPECT_EQ(explained(machine, "").key_source, "ANTHROPIC_API_KEY");
  EXPECT_EQ(explained(machine, "", "custom").key_source, "");
  machine.log_in();
  EXPECT_EQ(explained(machine, "").key_source, "") << "the stored login pays";
  EXPECT_EQ(explained(machine, "", "claude", Auth::api_key).key_source, "ANTHROPIC_API_KEY");
  machine.set("ANTHROPIC_AUTH_TOKEN=t");
  EXPECT_EQ(explained(machine, "", "claude", Auth::api_key).key_source, "")
      << "the token comes first";
}

}  // namespace
}  // namespace ralph::backend
