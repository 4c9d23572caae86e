#include "agent/permission/policy.h"

#include <array>
#include <thread>

#include "agent/permission/harness.h"
#include "agent/permission/rule_check.h"

namespace ralph::permission {
namespace {

/// A tool that does not state its access.
class Silent final : public Tool {
 public:
  std::string_view name() const override { return "Silent"; }
  std::string_view description() const override { return ""; }
  std::string_view schema() const override { return "{}"; }
  Access access(const Document&, const Workspace&) const override { return {}; }
  Outcome run(const Document&, const Access&, Workspace&, const std::stop_token&) const override {
    return {};
  }
};

Decision decide_by(const Policy& policy, Desk& desk, const Tool& tool) {
  const auto input = Document::object();
  const auto access = tool.access(input, desk.workspace());
  return policy.decide(permission_call(tool, input, access, desk.workspace()));
}

TEST(Policy, AnAccessThatIsNotStatedIsDeniedInEveryModeButBypass) {
  Desk desk;
  const Silent tool;
  for (const auto mode :
       {Mode::standard, Mode::accept_edits, Mode::plan, Mode::dont_ask, Mode::automatic}) {
    const auto decision = decide_by(Policy(mode, {}), desk, tool);
    EXPECT_FALSE(decision.allowed) << to_string(mode);
    EXPECT_EQ(decision.grant, Grant::none);
  }
  EXPECT_TRUE(decide_by(Policy(Mode::bypass, {}), desk, tool).allowed);
  EXPECT_TRUE(decide_by(Policy(Mode::standard, {{"Silent"}, {}, {}}), desk, tool).allowed);
  EXPECT_EQ(Access{}.kind, Access::Kind::unknown);
}

TEST(Policy, AModeChangeAppliesToAllSessionsThatShareIt) {
  Desk desk;
  const Silent tool;
  Policy policy(Mode::standard, {});
  const Policy& shared = policy;
  EXPECT_FALSE(decide_by(shared, desk, tool).allowed);
  policy.set_mode(Mode::bypass);
  EXPECT_TRUE(decide_by(shared, desk, tool).allowed);
}

TEST(Policy, TheReasonSaysThatPromptsAreDisabled) {
  Desk desk;
  const Silent tool;
  EXPECT_EQ(decide_by(Policy(Mode::standard, {}), desk, tool).reason_type, Reason::other);
  EXPECT_EQ(decide_by(Policy(Mode::dont_ask, {}), desk, tool).reason_type, Reason::mode);
  EXPECT_EQ(decide_by(Policy(Mode::standard, {}, Prompts::none), desk, tool).reason_type,
            Reason::async_agent);
  const Rules denied{{}, {"Silent"}, {}};
  EXPECT_EQ(decide_by(Policy(Mode::dont_ask, denied), desk, tool).reason_type, Reason::rule);
}

TEST(Rules, ThatCanMatchNothingAreFound) {
  for (const auto* rule : {"Bash", "Bash(git *)", "mcp__a", "*", "Task(Explore)", "WebFetch",
                           "WebFetch(domain:*.example.com)", "WebFetch(https://a.b/*)"}) {
    EXPECT_EQ(why_no_match(rule), "") << rule;
  }
  for (const auto* rule : {"webfetch", "Bsh(git *)", "WebFetch(127.0.0.1)",
                           "WebFetch(domain:http://a.b)", "WebFetch(domain:a.b:80)"}) {
    EXPECT_NE(why_no_match(rule), "") << rule;
  }
}

TEST(Policy, NoChangeOfRulesIsLostIfTwoThreadsMakeThem) {
  Policy policy(Mode::standard, {{"Read"}, {}, {}});
  const auto add = [&](RuleSource source) {
    for (int i = 0; i < 500; ++i) {
      policy.change_rules(source, [](Rules& rules) { rules.deny.emplace_back("Write"); });
    }
  };
  {
    const std::jthread one([&] { add(RuleSource::answers); });
    const std::jthread two([&] { add(RuleSource::answers); });
    add(RuleSource::flag_settings);
  }
  EXPECT_EQ(policy.rules().deny.size(), 1500U);
  EXPECT_EQ(policy.rules(RuleSource::answers).deny.size(), 1000U);
  EXPECT_EQ(policy.rules().allow, std::vector<std::string>{"Read"});
}

TEST(Policy, ASourceChangesItsOwnRulesOnly) {
  Desk desk;
  const Silent tool;
  Policy policy(Mode::bypass, {{}, {"Silent"}, {}});
  policy.change_rules(RuleSource::answers, [](Rules& rules) {
    EXPECT_TRUE(rules.deny.empty());
    rules.deny.clear();
    rules.allow = {"Silent"};
  });
  EXPECT_FALSE(decide_by(policy, desk, tool).allowed);
  EXPECT_EQ(policy.rules().allow, std::vector<std::string>{"Silent"});
  EXPECT_TRUE(policy.rules(RuleSource::start).allow.empty());
}

TEST(Reason, UsesTheNamesOfClaudeCode) {
  EXPECT_EQ(to_string(Reason::none), "");
  EXPECT_EQ(to_string(Reason::subcommand_results), "subcommandResults");
  EXPECT_EQ(to_string(Reason::async_agent), "asyncAgent");
}

}  // namespace
}  // namespace ralph::permission
