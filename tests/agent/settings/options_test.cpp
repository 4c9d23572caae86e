#include "agent/settings/options.h"

#include <gtest/gtest.h>

namespace {

using namespace ralph;
using settings::Format;
using settings::Options;
using Words = std::vector<std::string>;

Options good(const Words& words, bool interactive = false) {
  const auto options = settings::parse_options(words, interactive);
  EXPECT_TRUE(options.has_value()) << (options ? "" : options.error().message);
  return options.value_or(Options{});
}

std::string bad(const Words& words, bool interactive = false) {
  const auto options = settings::parse_options(words, interactive);
  EXPECT_FALSE(options.has_value());
  return options ? "" : options.error().message;
}

TEST(AgentOptions, ThePromptIsTheFirstWordThatIsNoOption) {
  EXPECT_EQ(good({"-p", "say hi"}).prompt, "say hi");
  EXPECT_EQ(good({"say hi", "-p"}).prompt, "say hi");
  EXPECT_EQ(good({"-p", "alpha", "beta"}).prompt, "alpha");
  EXPECT_EQ(good({"-p", "--", "--alpha"}).prompt, "--alpha");
  EXPECT_EQ(good({"-p", "-"}).prompt, "-");
  EXPECT_EQ(good({"-p"}).prompt, "");
}

TEST(AgentOptions, ValuesComeAsOneWordOrTwo) {
  for (const auto& options :
       {good({"-p", "--model", "opus", "x"}), good({"-p", "--model=opus", "x"})}) {
    EXPECT_EQ(options.model, "opus");
    EXPECT_EQ(options.prompt, "x");
  }
  EXPECT_EQ(good({"--system-prompt=a=b"}).system_prompt, "a=b");
  EXPECT_EQ(good({"--model", "--verbose"}).model, "--verbose");
  EXPECT_EQ(good({"--model", "a", "--model", "b"}).model, "b");
}

TEST(AgentOptions, AnEmptyValueIsSomethingElseThanNone) {
  EXPECT_EQ(good({}).setting_sources, std::nullopt);
  EXPECT_EQ(good({"--setting-sources="}).setting_sources, Words{});
  EXPECT_EQ(good({"--setting-sources", ""}).setting_sources, Words{});
  EXPECT_EQ(good({"--setting-sources", "user, project"}).setting_sources,
            (Words{"user", "project"}));
  EXPECT_EQ(good({}).tools, std::nullopt);
  EXPECT_EQ(good({"--tools="}).tools, Words{});
  EXPECT_EQ(good({"--tools", ""}).tools, Words{});
  EXPECT_EQ(good({"--tools=default"}).tools, std::nullopt);
  EXPECT_EQ(good({"--tools", "Bash,Edit"}).tools, (Words{"Bash", "Edit"}));
  EXPECT_EQ(good({}).system_prompt, std::nullopt);
  EXPECT_EQ(good({"--system-prompt", ""}).system_prompt, "");
  EXPECT_EQ(good({"--session-id", "", "--json-schema", ""}).session_id, "");
}

TEST(AgentOptions, ListsTakeAllWordsUpToTheNextOption) {
  const auto options =
      good({"-p", "x", "--allowedTools", "Bash(git *),Edit", "Read Write", "--add-dir", "/a b",
            "/c", "--allowed-tools=Glob", "--disallowed-tools", "WebFetch"});
  EXPECT_EQ(options.allowed_tools, (Words{"Bash(git *)", "Edit", "Read", "Write", "Glob"}));
  EXPECT_EQ(options.add_dirs, (Words{"/a b", "/c"}));
  EXPECT_EQ(options.disallowed_tools, Words{"WebFetch"});
  EXPECT_EQ(options.prompt, "x");
  EXPECT_EQ(good({"--tools", "Bash", "--", "prompt"}).prompt, "prompt");
  EXPECT_EQ(good({"--tools=Bash", "prompt"}).prompt, "prompt");
  EXPECT_EQ(good({"--allowedTools", "Bash(a, b (c) d) X"}).allowed_tools,
            (Words{"Bash(a, b (c) d)", "X"}));
}

TEST(AgentOptions, ShortOptionsMayBeBundled) {
  const auto options = good({"-pcn", "title", "x"});
  EXPECT_TRUE(options.print && options.continue_last);
  EXPECT_EQ(options.session_name, "title");
  EXPECT_EQ(options.prompt, "x");
  EXPECT_EQ(good({"-p", "-ntitle"}).session_name, "title");
  EXPECT_EQ(good({"-p", "-rabc"}).resume, "abc");
  EXPECT_EQ(bad({"-px"}), "error: unknown option '-x'");
}

TEST(AgentOptions, TheFormatsAndThePipeMakeItPrint) {
  EXPECT_FALSE(good({"x"}, true).print);
  EXPECT_TRUE(good({"x"}, false).print);
  const auto options =
      good({"--output-format", "stream-json", "--verbose", "--input-format", "stream-json"}, true);
  EXPECT_TRUE(options.print);
  EXPECT_EQ(options.input, Format::stream_json);
  EXPECT_EQ(options.output, Format::stream_json);
}

TEST(AgentOptions, VersionAndHelpComeBeforeComplaints) {
  EXPECT_TRUE(good({"-v"}).version);
  EXPECT_TRUE(good({"-pv"}).version);
  EXPECT_TRUE(good({"--bogus", "--version"}).version);
  EXPECT_TRUE(good({"-p", "--bogus", "--help"}).help);
}

TEST(AgentOptions, UnknownOptionsAreNamedWithAGuess) {
  const std::pair<Words, std::string> cases[] = {
      {{"-p", "hi", "--bogus"}, "error: unknown option '--bogus'"},
      {{"--modle", "x"}, "error: unknown option '--modle'\n(Did you mean --model?)"},
      {{"--no-verbose"}, "error: unknown option '--no-verbose'\n(Did you mean --verbose?)"},
      {{"--print=3"}, "error: unknown option '--print=3'\n(Did you mean --print?)"},
      {{"--allowedtools"},
       "error: unknown option '--allowedtools'\n(Did you mean --allowed-tools?)"},
      {{"--VERBOSE"}, "error: unknown option '--VERBOSE'"},
      {{"--out", "json"}, "error: unknown option '--out'"},
      {{"--=x"}, "error: unknown option '--=x'"},
      {{"-x"}, "error: unknown option '-x'"},
  };
  for (const auto& [words, message] : cases) EXPECT_EQ(bad(words), message);
}

TEST(AgentOptions, WrongValuesAreNamed) {
  const std::pair<Words, std::string> cases[] = {
      {{"--output-format", "xml"},
       "error: option '--output-format <format>' argument 'xml' is invalid. Allowed choices are "
       "text, json, "
       "stream-json."},
      {{"--bogus", "--input-format="},
       "error: option '--input-format <format>' argument '' is invalid. Allowed choices are text, "
       "stream-json."},
      {{"--permission-mode", "x"},
       "error: option '--permission-mode <mode>' argument 'x' is invalid. Allowed choices are "
       "acceptEdits, auto, "
       "bypassPermissions, manual, dontAsk, plan."},
      {{"--model"}, "error: option '--model <model>' argument missing"},
      {{"--allowed-tools"},
       "error: option '--allowedTools, --allowed-tools <tools...>' argument missing"},
      {{"-n"}, "error: option '-n, --name <name>' argument missing"},
      {{"--max-turns", "abc"},
       "error: option '--max-turns <turns>' argument 'abc' is invalid. must be a number"},
      {{"--max-budget-usd", "0"},
       "error: option '--max-budget-usd <amount>' argument '0' is invalid. --max-budget-usd must "
       "be a positive number "
       "greater than 0"},
      {{"--setting-sources", "user,,local"},
       "Error processing --setting-sources: Invalid setting source: . Valid options are: user, "
       "project, local"},
      {{"--json-schema", "[]"}, "Error: --json-schema must be a JSON object"},
  };
  for (const auto& [words, message] : cases) EXPECT_EQ(bad(words), message);
  EXPECT_TRUE(bad({"--json-schema", "{"}).starts_with("Error: --json-schema is not valid JSON: "));
}

TEST(AgentOptions, NumbersAreReadAsJavaScriptDoes) {
  EXPECT_EQ(good({"--max-turns", "3"}).max_turns, 3);
  EXPECT_EQ(good({"--max-turns", "1.5"}).max_turns, 2);
  EXPECT_EQ(good({"--max-turns", " 0x10 "}).max_turns, 16);
  for (const auto* none : {"0", "-1", "", "Infinity"}) {
    EXPECT_EQ(good({"--max-turns", none}).max_turns, std::nullopt) << none;
  }
  EXPECT_EQ(good({"--max-budget-usd", "1e-9"}).max_budget_usd, 1e-9);
  EXPECT_EQ(good({"--max-thinking-tokens=8000"}).max_thinking_tokens, 8000);
  for (const auto* wrong : {"1x", "nan", "inf", "--", "+", "1e", "0xg", "1 2"}) {
    bad({"--max-budget-usd", wrong});
  }
}

TEST(AgentOptions, OptionsThatNeedOthersSaySo) {
  const std::string uuid = "11111111-1111-4111-8111-111111111111";
  const std::pair<Words, std::string> cases[] = {
      {{"-p", "--output-format", "stream-json"},
       "Error: When using --print, --output-format=stream-json requires --verbose"},
      {{"-p", "--include-partial-messages", "--output-format", "json"},
       "Error: --include-partial-messages requires --print and --output-format=stream-json."},
      {{"-p", "--input-format", "stream-json", "--include-partial-messages"},
       "Error: --input-format=stream-json requires output-format=stream-json."},
      {{"-p", "--replay-user-messages", "--output-format", "stream-json"},
       "Error: --replay-user-messages requires both --input-format=stream-json and "
       "--output-format=stream-json."},
      {{"-p", "--await-initialize", "--replay-user-messages"},
       "Error: --await-initialize requires --input-format=stream-json."},
      {{"--session-id", "abc", "--output-format", "stream-json"},
       "Error: Invalid session ID. Must be a valid UUID."},
      {{"--session-id", uuid, "--continue"},
       "Error: --session-id can only be used with --continue or --resume if --fork-session is also "
       "specified."},
      {{"-p", "--resume"},
       "Error: --resume requires a valid session ID or session title when used with --print. "
       "Usage: claude -p "
       "--resume <session-id|title>"},
      {{"-p", "--resume-session-at", "x"}, "Error: --resume-session-at requires --resume"},
  };
  for (const auto& [words, message] : cases) EXPECT_EQ(bad(words), message);
  EXPECT_EQ(good({"--session-id", uuid, "--continue", "--fork-session"}).session_id, uuid);
  EXPECT_EQ(good({"--resume"}, true).resume, "");
}

TEST(AgentOptions, CommandsAreNoPromptsUnlessItPrints) {
  EXPECT_TRUE(
      bad({"mcp", "list"}).starts_with("error: 'claude mcp' is not available in ralph's agent"));
  EXPECT_TRUE(
      bad({"--model", "opus", "doctor", "--fix"}).starts_with("error: 'claude doctor' is not"));
  EXPECT_EQ(good({"-p", "mcp"}).prompt, "mcp");
  EXPECT_EQ(good({"mcp", "-p"}).prompt, "mcp");
  EXPECT_EQ(good({"please", "mcp"}).prompt, "please");
}

TEST(AgentOptions, AnUnknownEffortIsOnlyWarnedOf) {
  EXPECT_EQ(good({"--effort", "high"}).effort, "high");
  EXPECT_TRUE(good({"--effort", "high"}).warnings.empty());
  const auto options = good({"--effort", "bogus"});
  EXPECT_EQ(options.effort, "");
  ASSERT_EQ(options.warnings.size(), 1U);
  EXPECT_TRUE(options.warnings[0].starts_with("Warning: Unknown --effort value 'bogus'"));
}

TEST(AgentOptions, WhatTheSdksPassIsAccepted) {
  const auto options = good({"--output-format",
                             "stream-json",
                             "--verbose",
                             "--input-format",
                             "stream-json",
                             "--model=opus",
                             "--fallback-model=sonnet,haiku",
                             "--agent=a",
                             "--betas=b1,b2",
                             "--effort=high",
                             "--thinking=adaptive",
                             "--max-thinking-tokens=1",
                             "--thinking-display=summarized",
                             "--max-turns=3",
                             "--max-budget-usd=1.5",
                             "--task-budget=1000",
                             "--json-schema={\"type\":\"object\"}",
                             "--permission-mode=default",
                             "--allow-dangerously-skip-permissions",
                             "--permission-prompt-tool=stdio",
                             "--permission-prompts=host",
                             "--resume=11111111-1111-4111-8111-111111111111",
                             "--fork-session",
                             "--resume-session-at=x",
                             "--resume-drops-turn=y",
                             "--session-id=11111111-1111-4111-8111-111111111112",
                             "--no-session-persistence",
                             "--allowedTools=A,B",
                             "--disallowedTools=C",
                             "--tools=",
                             "--mcp-config",
                             "{\"mcpServers\":{}}",
                             "--strict-mcp-config",
                             "--setting-sources=",
                             "--settings",
                             "{}",
                             "--managed-settings",
                             "{}",
                             "--add-dir=/a",
                             "--add-dir=/b",
                             "--plugin-dir=/p",
                             "--plugin-dir-no-mcp=/p",
                             "--include-partial-messages",
                             "--include-hook-events",
                             "--session-mirror",
                             "--debug",
                             "--debug-file=/d",
                             "--await-initialize",
                             "--channels=server:x",
                             "--replay-user-messages",
                             "--agents={}",
                             "--append-system-prompt=x",
                             "--debug-to-stderr"});
  EXPECT_EQ(options.fallback_models, (Words{"sonnet", "haiku"}));
  EXPECT_EQ(options.betas, (Words{"b1", "b2"}));
  EXPECT_EQ(options.add_dirs, (Words{"/a", "/b"}));
  EXPECT_EQ(options.mcp_config, Words{"{\"mcpServers\":{}}"});
  EXPECT_FALSE(options.persist);
  EXPECT_EQ(options.prompt, "");
}

TEST(AgentOptions, OptionsThatRestrictAreNeverIgnored) {
  for (const auto* option : {"--restricted", "--worktree", "--safe-mode", "--plan-mode-required",
                             "--project-config-root"}) {
    const auto refused = settings::parse_options(Words{"-p", "hi", option, "x"}, false);
    ASSERT_FALSE(refused) << option;
    EXPECT_NE(refused.error().message.find(option), std::string::npos) << refused.error().message;
  }
  for (const auto& words :
       {Words{"--system-prompt-snapshot", "off"}, Words{"--json-schema", ""},
        Words{"--add-dir", "/nonexist"}, Words{"--resume", "x", "--resume-session-at", "y"}}) {
    Words all{"-p", "hi"};
    all.insert(all.end(), words.begin(), words.end());
    const auto options = settings::parse_options(all, false);
    ASSERT_TRUE(options) << words.front() << options.error().message;
    ASSERT_EQ(options->warnings.size(), 1U) << words.front();
    EXPECT_NE(options->warnings[0].find(words[words.size() > 2 ? 2 : 0]), std::string::npos);
  }
}

TEST(AgentOptions, HelpNamesWhatHasAnEffect) {
  const auto help = settings::options_help();
  EXPECT_NE(help.find("--max-turns <turns>"), help.npos);
  EXPECT_NE(help.find("--allowedTools, --allowed-tools <tools...>\n"), help.npos);
}

/// A rule that was meant to allow is missed; one that was meant to deny must not be.
TEST(AgentOptions, RulesWhoseParenthesesDoNotMatchAreReported) {
  for (const auto* const rule : {"Bash(touch:*", "Bash)", "(x)", "Bash(a)b"}) {
    const auto options = good({"-p", "x", "--allowedTools", rule});
    ASSERT_EQ(options.warnings.size(), 1U) << rule;
    EXPECT_TRUE(options.warnings[0].contains(rule)) << options.warnings[0];
    EXPECT_TRUE(bad({"-p", "x", "--disallowedTools", rule}).contains("--disallowedTools")) << rule;
  }
  EXPECT_TRUE(good({"-p", "x", "--allowedTools", "Bash(echo (a))", "Edit"}).warnings.empty());
}

}  // namespace
