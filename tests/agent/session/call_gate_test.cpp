#include "agent/session/call_gate.h"

#include <gtest/gtest.h>

#include "agent/session/plan_tools.h"
#include "agent/session/scripted.h"
#include "support/temp_folder.h"

namespace ralph::session {
namespace {

/// Answers as the test says, and counts.
class ScriptedApprover final : public Approver {
 public:
  Result<Approval> ask(const ApprovalRequest& request, const std::stop_token&) override {
    ++asked;
    last_input = request.input;
    return answer;
  }
  Result<Approval> answer = Approval{};
  json::Document last_input;
  int asked = 0;
};

struct Gate {
  explicit Gate(permission::Rules rules = {}, permission::Mode mode = permission::Mode::standard)
      : workspace([this] {
          tool::Workspace::Setup setup;
          setup.root = std::filesystem::canonical(folder.path());
          return setup;
        }()),
        policy(mode, std::move(rules)) {}

  CallVerdict write(const std::string& path) {
    const CallGate gate(policy, workspace, hooks, &approver);
    return gate.check(call_block("1", "Write"), *tool::find_tool("Write"),
                      {{"file_path", path}, {"content", "x"}}, {});
  }

  test::TempFolder folder;
  tool::Workspace workspace;
  permission::Policy policy;
  hook::NoHooks hooks;
  ScriptedApprover approver;
};

using Source = CallDecision::Source;

TEST(CallGate, AsksWhatNoRuleDecides) {
  Gate gate;
  gate.approver.answer = Approval{.allowed = true};
  auto verdict = gate.write("a");
  EXPECT_TRUE(verdict.decision.allowed);
  EXPECT_EQ(verdict.shown.source, Source::user_once);
  EXPECT_EQ(verdict.access.grant, permission::Grant::user);
  gate.approver.answer = Approval{.allowed = true, .always = true};
  EXPECT_EQ(gate.write("a").shown.source, Source::user_always);
  gate.approver.answer = Approval{.message = "No.", .interrupt = true};
  verdict = gate.write("a");
  EXPECT_FALSE(verdict.decision.allowed);
  EXPECT_EQ(verdict.decision.message, "No.");
  EXPECT_EQ(verdict.shown.source, Source::user_reject);
  EXPECT_TRUE(verdict.interrupt);
  EXPECT_EQ(gate.approver.asked, 3);
}

TEST(CallGate, AnErrorOfTheApproverDenies) {
  Gate gate;
  gate.approver.answer = fail(Code::unavailable, "kaput");
  const auto verdict = gate.write("a");
  EXPECT_FALSE(verdict.decision.allowed);
  EXPECT_EQ(verdict.decision.message, "Tool permission request failed: Error: kaput");
  EXPECT_TRUE(verdict.decision.asked);
  EXPECT_FALSE(verdict.interrupt);
}

TEST(CallGate, DoesNotAskWhatRulesAndModesDecide) {
  Gate denied({.allow = {}, .deny = {"Write"}, .ask = {}});
  denied.approver.answer = Approval{.allowed = true};
  EXPECT_FALSE(denied.write("a").decision.allowed);
  Gate allowed({.allow = {"Write"}, .deny = {}, .ask = {}});
  EXPECT_TRUE(allowed.write("a").decision.allowed);
  Gate never({}, permission::Mode::dont_ask);
  never.approver.answer = Approval{.allowed = true};
  EXPECT_FALSE(never.write("a").decision.allowed);
  EXPECT_EQ(denied.approver.asked + allowed.approver.asked + never.approver.asked, 0);
}

/// The input that the user changed is the one that runs, so rules must hold for it too.
TEST(CallGate, AChangedInputIsDecidedOnAgain) {
  Gate gate({.allow = {}, .deny = {"Write(secret)"}, .ask = {}});
  gate.approver.answer =
      Approval{.allowed = true, .input = json::Document{{"file_path", "b"}, {"content", "y"}}};
  auto verdict = gate.write("a");
  EXPECT_TRUE(verdict.decision.allowed);
  EXPECT_EQ(verdict.input["file_path"], "b");
  EXPECT_EQ(verdict.access.path, gate.workspace.resolve("b"));
  gate.approver.answer =
      Approval{.allowed = true, .input = json::Document{{"file_path", "secret"}, {"content", "y"}}};
  verdict = gate.write("a");
  EXPECT_FALSE(verdict.decision.allowed);
  EXPECT_EQ(verdict.decision.reason_type, permission::Reason::rule);
}

/// No rule and no mode answers for the user.
TEST(CallGate, QuestionsAlwaysGoToTheUser) {
  for (const auto mode : {permission::Mode::standard, permission::Mode::accept_edits,
                          permission::Mode::bypass, permission::Mode::automatic}) {
    Gate gate({.allow = {"AskUserQuestion", "*"}, .deny = {}, .ask = {}}, mode);
    const CallGate decider(gate.policy, gate.workspace, gate.hooks, &gate.approver);
    gate.approver.answer = Approval{.allowed = true};
    const QuestionTool question;
    EXPECT_TRUE(
        decider.check(call_block("1", "AskUserQuestion"), question, {}, {}).decision.allowed);
    EXPECT_EQ(gate.approver.asked, 1);
    const CallGate alone(gate.policy, gate.workspace, gate.hooks);
    EXPECT_FALSE(
        alone.check(call_block("1", "AskUserQuestion"), question, {}, {}).decision.allowed);
  }
}

TEST(ModeSwitch, LeavesPlanModeForTheModeBefore) {
  using permission::Mode;
  permission::Policy policy(Mode::accept_edits, {});
  RecordingSink sink;
  const Identity identity("s");
  ModeSwitch modes(policy, SessionEvents(sink, identity));
  modes.leave_plan();
  EXPECT_EQ(modes.mode(), Mode::accept_edits);
  EXPECT_TRUE(sink.words.empty());
  modes.set(Mode::plan);
  modes.set(Mode::plan);
  modes.leave_plan();
  EXPECT_EQ(modes.mode(), Mode::accept_edits);
  modes.set(Mode::plan);
  modes.set(Mode::standard);
  modes.leave_plan();
  EXPECT_EQ(modes.mode(), Mode::standard);
  permission::Policy planning(Mode::plan, {});
  ModeSwitch from_start(planning, SessionEvents(sink, identity));
  from_start.leave_plan();
  EXPECT_EQ(from_start.mode(), Mode::standard);
}

}  // namespace
}  // namespace ralph::session
