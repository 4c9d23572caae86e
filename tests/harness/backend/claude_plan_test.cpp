#include <algorithm>

#include "harness/backend/harness.h"

namespace ralph::backend {
namespace {

using process::Transport;

TEST(ClaudePlan, PlainestCommandLine) {
  const Machine machine;
  const auto plan = machine.planned(asking("do it"));
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv, (Words{"claude", "--dangerously-skip-permissions", "-p", "do it",
                                       "--output-format", "stream-json", "--verbose"}));
  EXPECT_EQ(plan->program, machine.folder / "bin" / "claude");
  EXPECT_EQ(plan->command.cwd, machine.host.workspace);
  EXPECT_EQ(plan->command.transport, Transport::pty);
  EXPECT_TRUE(std::holds_alternative<process::StdinOpen>(plan->command.input));
  EXPECT_EQ(plan->delivery, Delivery::argument);
  EXPECT_EQ(plan->display_name, "Claude");
  EXPECT_FALSE(plan->prompt_file);
  EXPECT_EQ(plan->make_dialect()->agent(), "claude");
}

TEST(ClaudePlan, EverythingAtOnce) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.model = "opus";
  ask.system_prompt = "be {} brief";
  ask.append_system_prompt = "please";
  ask.permission_mode = "acceptEdits";
  ask.resume = "s-1";
  ask.tools = {"Read", "Bash(git *)", "Bash(ls *)"};
  ask.max_cost = 0.5;
  ask.max_turns = 7;
  ask.extra_args = {"--add-dir", "/x y"};
  const auto plan = machine.planned(ask);
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv, (Words{"claude",
                                       "--permission-mode",
                                       "acceptEdits",
                                       "-p",
                                       "do it",
                                       "--output-format",
                                       "stream-json",
                                       "--verbose",
                                       "--include-partial-messages",
                                       "--model",
                                       "opus",
                                       "--system-prompt",
                                       "be {} brief",
                                       "--append-system-prompt",
                                       "please",
                                       "--resume",
                                       "s-1",
                                       "--max-budget-usd",
                                       "0.5",
                                       "--max-turns",
                                       "7",
                                       "--add-dir",
                                       "/x y",
                                       "--tools",
                                       "Read,Bash",
                                       "--allowedTools",
                                       "Read,Bash(git *),Bash(ls *)"}));
  EXPECT_FALSE(plan->skips_permissions);
  EXPECT_TRUE(plan->warnings.empty());
}

TEST(ClaudePlan, TextOutputHasTheTextDialectAndNoPartialMessages) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.output = Output::text;
  ask.max_cost = 1;
  const auto plan = machine.planned(ask);
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv, (Words{"claude", "--dangerously-skip-permissions", "-p", "do it",
                                       "--output-format", "text", "--max-budget-usd", "1"}));
  EXPECT_EQ(plan->output, Output::text);
  EXPECT_EQ(plan->make_dialect()->display_name(), "Claude");
  EXPECT_EQ(output_named("xml"), std::nullopt);
}

TEST(ClaudePlan, AListOfToolsIsNeverFollowedByOtherWords) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.tools = {"Read"};
  ask.extra_args = {"word"};
  const auto plan = machine.planned(ask);
  ASSERT_TRUE(plan);
  const Words end(plan->command.argv.end() - 5, plan->command.argv.end());
  EXPECT_EQ(end, (Words{"word", "--tools", "Read", "--allowedTools", "Read"}));
  ask.extra_args = {"--", "word"};
  EXPECT_EQ(machine.planned(ask).error().code, Code::usage);
}

TEST(ClaudePlan, PipesTakeThePromptByteForByte) {
  const Machine machine;
  for (const auto& prompt : {std::string("- x\xff\n"), std::string(2'000'000, 'x')}) {
    Ask ask = asking(prompt);
    ask.transport = Transport::pipe;
    const auto plan = machine.planned(ask);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->command.argv, (Words{"claude", "--dangerously-skip-permissions", "-p",
                                         "--output-format", "stream-json", "--verbose"}));
    EXPECT_EQ(plan->command.transport, Transport::pipe);
    EXPECT_EQ(stdin_of(*plan), prompt);
    EXPECT_EQ(plan->delivery, Delivery::standard_in);
  }
}

TEST(ClaudePlan, AConversationGoesOverPipesWhateverTheTransport) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.conversation = true;
  for (const auto transport : {std::optional<Transport>(), std::optional(Transport::pty)}) {
    ask.transport = transport;
    const auto plan = machine.planned(ask);
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->command.transport, Transport::pipe);
    EXPECT_EQ(plan->delivery, Delivery::stream_json);
    EXPECT_TRUE(std::ranges::find(plan->command.argv, "--include-partial-messages") !=
                plan->command.argv.end());
  }
}

TEST(ClaudePlan, APromptIsNeitherACommandNorAnOption) {
  const Machine machine;
  EXPECT_EQ(machine.planned(asking("/clear it"))->command.argv[3], "\n/clear it");
  EXPECT_EQ(machine.planned(asking("- one\n- two"))->command.argv[3], "\n- one\n- two");
  EXPECT_EQ(machine.planned(asking(" /x"))->command.argv[3], " /x");
  Ask ask = asking("/clear it");
  ask.transport = Transport::pipe;
  EXPECT_EQ(stdin_of(*machine.planned(ask)), "\n/clear it");
}

TEST(ClaudePlan, PromptsThatAreNone) {
  const Machine machine;
  for (const auto& prompt : {std::string(), std::string(" \t\r\n"), std::string("a\0b", 3)}) {
    const auto plan = machine.planned(asking(prompt));
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, Code::usage);
  }
}

TEST(ClaudePlan, InvalidUtf8PassesAsItIs) {
  const Machine machine;
  EXPECT_EQ(machine.planned(asking("a\xff\xfe"))->command.argv[3], "a\xff\xfe");
}

TEST(ClaudePlan, SevenThousandCharactersAreNotBytes) {
  const Machine machine;
  std::string prompt;
  for (std::size_t i = 0; i < kLongestArgument; ++i) prompt += "ä";
  EXPECT_EQ(machine.planned(asking(prompt))->delivery, Delivery::argument);
  EXPECT_EQ(machine.planned(asking(prompt + "x"))->delivery, Delivery::file);
  EXPECT_EQ(machine.planned(asking(std::string(200'000, '\x80')))->delivery, Delivery::file);
}

TEST(ClaudePlan, ALongPromptGoesThroughAFile) {
  const Machine machine;
  const auto prompt = "/" + std::string(kLongestArgument, 'x');
  Ask ask = asking(prompt);
  ask.tools = {"Bash", "Read"};
  const auto plan = machine.planned(ask);
  ASSERT_TRUE(plan) << describe(plan.error());
  ASSERT_TRUE(plan->prompt_file);
  EXPECT_EQ(plan->prompt_file->path, machine.host.workspace / ".ralph" / "tmp" / "prompt-r1.md");
  EXPECT_EQ(plan->prompt_file->bytes, prompt);
  EXPECT_TRUE(plan->command.argv[3].contains("'.ralph/tmp/prompt-r1.md'")) << plan->command.argv[3];
  EXPECT_EQ(plan->command.transport, Transport::pty);
  EXPECT_TRUE(std::holds_alternative<process::StdinOpen>(plan->command.input));
}

TEST(ClaudePlan, AFileOutsideTheWorkingDirectoryMayBeRead) {
  Machine machine;
  machine.host.project_root = "/repository";
  const auto plan = machine.planned(asking(std::string(kLongestArgument + 1, 'x')));
  ASSERT_TRUE(plan) << describe(plan.error());
  const auto& argv = plan->command.argv;
  const auto option = std::ranges::find(argv, "--add-dir");
  ASSERT_NE(option, argv.end());
  EXPECT_EQ(option[1], "/repository/.ralph/tmp");
  EXPECT_EQ(option[2], "-p");  // the option takes every word up to the next one
  EXPECT_TRUE(option[3].contains("'/repository/.ralph/tmp/prompt-r1.md'")) << option[3];
}

TEST(ClaudePlan, AnAgentThatMayNotReadGetsALongPromptOnStdin) {
  const Machine machine;
  const std::string prompt(kLongestArgument + 1, 'x');
  Ask ask = asking(prompt);
  ask.tools = {"Bash"};
  const auto plan = machine.planned(ask);
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.transport, Transport::pipe);
  EXPECT_EQ(stdin_of(*plan), prompt);
  EXPECT_FALSE(plan->prompt_file);
  ask.transport = Transport::pty;
  EXPECT_EQ(machine.planned(ask).error().code, Code::usage);
}

TEST(ClaudePlan, AWordTooLongForLinuxIsRefusedByName) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.system_prompt = std::string(kLongestWord, 'x');
  EXPECT_TRUE(machine.planned(ask));
  ask.system_prompt += 'x';
  const auto plan = machine.planned(ask);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::usage);
  EXPECT_EQ(plan.error().message,
            "the value of --system-prompt has 131072 bytes; one argument may have 131071");
  EXPECT_TRUE(plan.error().hint.contains("--system-prompt-file FILE")) << plan.error().hint;
}

TEST(ClaudePlan, AProgramThatIsNotInstalled) {
  const Machine machine{Words{}};
  const auto plan = machine.planned(asking("do it"));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Code::not_found);
  EXPECT_EQ(plan.error().hint, "install it with 'npm install -g @anthropic-ai/claude-code'");
}

TEST(ClaudePlan, ACommandOfTheSettingsIsNotUsedAndSaysSo) {
  const Machine machine;
  const auto plan = machine.planned(commanding({"other", "{prompt}", "{prompt_file}"}));
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->command.argv[0], "claude");
  EXPECT_EQ(plan->notes.size(), 1u);
}

TEST(Environment, ASessionAroundUsIsNotHandedOn) {
  Machine machine;
  machine.host.own_env = {{"CLAUDE_EFFORT", "high"}, {"MINE", "1"}};
  const auto plan = machine.planned(asking("do it"));
  EXPECT_EQ(value_in(*plan, "CLAUDECODE"), std::nullopt);
  EXPECT_EQ(value_in(*plan, "CLAUDE_CODE_SESSION_ID"), std::nullopt);
  EXPECT_EQ(value_in(*plan, "CLAUDE_EFFORT"), "high");
  EXPECT_EQ(value_in(*plan, "MINE"), "1");
}

TEST(Key, IsEmptiedWhenALoginIsStored) {
  Machine machine;
  machine.set("ANTHROPIC_API_KEY=secret-2");
  EXPECT_FALSE(changes(*machine.planned(asking("do it")), "ANTHROPIC_API_KEY"));
  machine.log_in();
  const auto plan = machine.planned(asking("do it"));
  EXPECT_EQ(value_in(*plan, "ANTHROPIC_API_KEY"), "");
  ASSERT_EQ(plan->notes.size(), 1u);
  EXPECT_FALSE(plan->notes[0].contains("secret"));
}

TEST(Key, OfTheRunItselfWins) {
  Machine machine;
  machine.log_in();
  machine.set("ANTHROPIC_API_KEY=secret-2");
  machine.host.own_env = {{"ANTHROPIC_API_KEY", "secret-3"}};
  Ask ask = asking("do it");
  const auto plan = machine.planned(ask);
  EXPECT_EQ(value_in(*plan, "ANTHROPIC_API_KEY"), "secret-3");
  EXPECT_TRUE(plan->notes.empty());
  ask.auth = Auth::login;
  EXPECT_EQ(value_in(*machine.planned(ask), "ANTHROPIC_API_KEY"), "");
}

TEST(Key, IsLeftAloneWhenThereIsNoneOrItIsAskedFor) {
  Machine machine;
  machine.log_in();
  machine.set("ANTHROPIC_API_KEY=");
  EXPECT_FALSE(changes(*machine.planned(asking("do it")), "ANTHROPIC_API_KEY"));
  machine.host.environment.back() = "ANTHROPIC_API_KEY=secret-2";
  Ask ask = asking("do it");
  ask.auth = Auth::api_key;
  EXPECT_FALSE(changes(*machine.planned(ask), "ANTHROPIC_API_KEY"));
}

TEST(Key, ForAnotherEndpointIsKeptAndTheLoginNeverSentThere) {
  Machine machine;
  machine.log_in();
  machine.set("ANTHROPIC_API_KEY=secret-2");
  machine.set("ANTHROPIC_BASE_URL=http://127.0.0.1:8080");
  EXPECT_FALSE(changes(*machine.planned(asking("do it")), "ANTHROPIC_API_KEY"));
}

TEST(Key, LoginEmptiesItWithoutALookAtTheFiles) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.auth = Auth::login;
  EXPECT_EQ(value_in(*machine.planned(ask), "ANTHROPIC_API_KEY"), "");
}

TEST(Permissions, SkippedOutsideASandboxWarnOnce) {
  Machine machine;
  const auto plan = machine.planned(asking("do it"));
  EXPECT_TRUE(plan->skips_permissions);
  ASSERT_EQ(plan->warnings.size(), 1u);
  EXPECT_FALSE(plan->warnings[0].contains('\n'));
  machine.set("IS_SANDBOX=1");
  EXPECT_TRUE(machine.planned(asking("do it"))->warnings.empty());
  machine.host.environment.pop_back();
  machine.host.sandbox = SandboxLevel::on;
  EXPECT_TRUE(machine.planned(asking("do it"))->warnings.empty());
}

TEST(Permissions, RootNeedsASandboxToSkipThem) {
  Machine machine;
  machine.host.is_root = true;
  Ask ask = asking("do it");
  for (const auto* mode : {"", "bypassPermissions"}) {
    ask.permission_mode = mode;
    const auto plan = machine.planned(ask);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, Code::usage);
    for (const auto* remedy :
         {"--sandbox", "IS_SANDBOX=1", "--permission-mode acceptEdits", "ordinary user"}) {
      EXPECT_TRUE(plan.error().hint.contains(remedy)) << remedy;
    }
  }
  ask.permission_mode = "acceptEdits";
  EXPECT_TRUE(machine.planned(ask));
  ask.extra_args = {"--dangerously-skip-permissions"};
  EXPECT_FALSE(machine.planned(ask));
  machine.set("IS_SANDBOX=1");
  EXPECT_TRUE(machine.planned(asking("do it")));
  machine.host.environment.back() = "IS_SANDBOX=0";
  EXPECT_FALSE(machine.planned(asking("do it")));
  machine.host.sandbox = SandboxLevel::on;
  EXPECT_TRUE(machine.planned(asking("do it"))->skips_permissions);
}

TEST(Permissions, AModeApprovesReadingAndTheUsersPatternsOnly) {
  const Machine machine;
  Ask ask = asking("do it");
  ask.tools = {"Read", "Edit", "Bash", "Bash(git *)", "Glob"};
  const auto approved = [&](const char* mode) {
    ask.permission_mode = mode;
    const auto words = machine.planned(ask)->command.argv;
    EXPECT_EQ(*(std::ranges::find(words, "--tools") + 1), "Read,Edit,Bash,Glob");
    return words.back();
  };
  EXPECT_EQ(approved("default"), "Read,Bash(git *),Glob");
  EXPECT_EQ(approved("acceptEdits"), "Read,Bash(git *),Glob");
  ask.tools = {"Edit", "Bash"};
  ask.permission_mode = "default";
  const auto words = machine.planned(ask)->command.argv;
  EXPECT_EQ(std::ranges::find(words, "--allowedTools"), words.end());
}

TEST(Permissions, APatternThatHoldsNothingBackIsTold) {
  Machine machine;
  machine.host.sandbox = SandboxLevel::on;
  Ask ask = asking("do it");
  ask.tools = {"Read", "Bash(git *)"};
  EXPECT_EQ(machine.planned(ask)->warnings.size(), 1u);
}

TEST(ClaudePlan, AVerbatimPromptIsOneArgumentAsLongAsItFits) {
  const Machine machine;
  auto ask = asking("/clear $(x) 'q'");
  ask.verbatim_prompt = true;
  auto plan = machine.planned(ask);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->command.argv.at(3), ask.prompt);
  EXPECT_EQ(plan->command.transport, process::Transport::pipe);
  EXPECT_TRUE(std::holds_alternative<process::StdinNull>(plan->command.input));
  for (const auto& prompt : {std::string(131'072, 'a'), std::string("-x")}) {
    ask.prompt = prompt;
    plan = machine.planned(ask);
    ASSERT_TRUE(plan);
    EXPECT_EQ(std::get<process::StdinText>(plan->command.input).bytes, prompt);
  }
}

TEST(ClaudePlan, ANamedAgentAndMcpServers) {
  const Machine machine;
  auto ask = asking("x");
  ask.agent_name = "reviewer";
  ask.mcp_config = "/srv/mcp.json";
  const auto plan = machine.planned(ask);
  ASSERT_TRUE(plan);
  const auto& argv = plan->command.argv;
  const auto agent = std::ranges::find(argv, "--agent"),
             servers = std::ranges::find(argv, "--mcp-config");
  ASSERT_TRUE(agent != argv.end() && servers != argv.end());
  EXPECT_EQ(*(agent + 1), "reviewer");
  EXPECT_EQ(*(servers + 1), "/srv/mcp.json");
  EXPECT_FALSE(machine.planned(ask, "custom"));
}

}  // namespace
}  // namespace ralph::backend
