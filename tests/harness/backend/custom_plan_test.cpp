#include "harness/backend/harness.h"

namespace ralph::backend {
namespace {

using process::Transport;

TEST(CustomPlan, ThePromptGoesWhereTheCommandSays) {
  const Machine machine({"tool"});
  Ask ask = commanding({"tool", "--say={prompt}", "{prompt}"}, "a {prompt} b");
  ask.extra_args = {"-x", "--"};
  const auto plan = machine.planned(ask, "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv, (Words{"tool", "--say=a {prompt} b", "a {prompt} b", "-x", "--"}));
  EXPECT_EQ(plan->command.transport, Transport::pipe);
  EXPECT_TRUE(std::holds_alternative<process::StdinNull>(plan->command.input));
  EXPECT_EQ(plan->delivery, Delivery::argument);
  EXPECT_FALSE(plan->skips_permissions);
  EXPECT_TRUE(plan->warnings.empty());
}

TEST(CustomPlan, WithoutAPlaceItIsStdin) {
  const Machine machine({"tool"});
  const std::string prompt(50'000, 'x');
  const auto plan = machine.planned(commanding({"tool", "run"}, prompt), "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv, (Words{"tool", "run"}));
  EXPECT_EQ(stdin_of(*plan), prompt);
  EXPECT_EQ(plan->delivery, Delivery::standard_in);
}

TEST(CustomPlan, APromptFileIsMadeForAnySize) {
  const Machine machine({"tool"});
  const auto plan =
      machine.planned(commanding({"tool", "--file={prompt_file}"}, "-short"), "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  ASSERT_TRUE(plan->prompt_file);
  EXPECT_EQ(plan->command.argv[1], "--file=" + plan->prompt_file->path.string());
  EXPECT_EQ(plan->prompt_file->bytes, "-short");
  EXPECT_EQ(plan->delivery, Delivery::file);
}

TEST(CustomPlan, ALongArgumentBecomesTheOrderToReadAFile) {
  const Machine machine({"tool"});
  const std::string prompt(kLongestArgument + 1, 'x');
  const auto plan = machine.planned(commanding({"tool", "{prompt}"}, prompt), "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_TRUE(plan->command.argv[1].contains("'.ralph/tmp/prompt-r1.md'")) << plan->command.argv[1];
  EXPECT_EQ(plan->prompt_file->bytes, prompt);
}

TEST(CustomPlan, ATerminalTakesArgumentsButNotStdin) {
  const Machine machine({"tool"});
  Ask ask = commanding({"tool", "{prompt}"});
  ask.transport = Transport::pty;
  const auto plan = machine.planned(ask, "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.transport, Transport::pty);
  EXPECT_TRUE(std::holds_alternative<process::StdinNull>(plan->command.input));
  ask.command = {"tool"};
  const auto refused = machine.planned(ask, "custom");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::usage);
  EXPECT_TRUE(refused.error().message.contains("PTY")) << refused.error().message;
}

TEST(CustomPlan, PrintsTextUnlessToldOtherwise) {
  const Machine machine({"tool"});
  Ask ask = commanding({(machine.folder / "bin" / "tool").string()});
  const auto text = machine.planned(ask, "custom");
  EXPECT_EQ(text->output, Output::text);
  EXPECT_EQ(text->display_name, "tool");
  EXPECT_EQ(text->make_dialect()->agent(), "custom");
  EXPECT_EQ(text->make_dialect()->display_name(), "tool");
  ask.output = Output::stream_json;
  const auto json = machine.planned(ask, "custom");
  EXPECT_EQ(json->output, Output::stream_json);
  EXPECT_EQ(json->make_dialect()->agent(), "claude");
  EXPECT_EQ(json->make_dialect()->display_name(), "tool");
}

TEST(CustomPlan, WhatItCannotDoIsRefusedWithTheReason) {
  const Machine machine({"tool"});
  const std::vector<std::function<void(Ask&)>> wishes{
      [](Ask& ask) { ask.model = "opus"; },
      [](Ask& ask) { ask.system_prompt = "x"; },
      [](Ask& ask) { ask.append_system_prompt = "x"; },
      [](Ask& ask) { ask.tools = {"Read"}; },
      [](Ask& ask) { ask.permission_mode = "plan"; },
      [](Ask& ask) { ask.resume = "s-1"; },
      [](Ask& ask) { ask.max_turns = 1; },
      [](Ask& ask) { ask.auth = Auth::login; },
      [](Ask& ask) { ask.max_cost = 1; },
  };
  for (const auto& wish : wishes) {
    Ask ask = commanding({"tool"});
    wish(ask);
    const auto plan = machine.planned(ask, "custom");
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, Code::usage);
    EXPECT_TRUE(plan.error().message.starts_with("backend 'custom' ")) << plan.error().message;
    EXPECT_FALSE(plan.error().hint.empty());
  }
}

TEST(CustomPlan, ACostLimitIsKeptWhenTheStreamTellsTheCost) {
  const Machine machine({"tool"});
  Ask ask = commanding({"tool"});
  ask.max_cost = 1;
  ask.output = Output::stream_json;
  const auto plan = machine.planned(ask, "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv, (Words{"tool"}));
}

TEST(CustomPlan, CommandsThatAreNone) {
  const Machine machine({"tool"});
  EXPECT_EQ(machine.planned(commanding({}), "custom").error().code, Code::usage);
  EXPECT_EQ(machine.planned(commanding({""}), "custom").error().code, Code::usage);
  EXPECT_EQ(
      machine.planned(commanding({"tool", "{prompt}", "{prompt_file}"}), "custom").error().code,
      Code::usage);
  EXPECT_EQ(machine.planned(commanding({"none"}), "custom").error().code, Code::not_found);
}

TEST(CustomPlan, RootMayRunIt) {
  Machine machine({"tool"});
  machine.host.is_root = true;
  machine.log_in();
  machine.set("ANTHROPIC_API_KEY=secret-2");
  const auto plan = machine.planned(commanding({"tool"}), "custom");
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_FALSE(changes(*plan, "ANTHROPIC_API_KEY"));
  EXPECT_EQ(value_in(*plan, "CLAUDECODE"), std::nullopt);
}

}  // namespace
}  // namespace ralph::backend
