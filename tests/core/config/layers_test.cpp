#include "core/config/layers.h"

#include <string>

#include <gtest/gtest.h>

namespace ralph::config {
namespace {

Result<Loaded> from_file(std::string_view text, const std::filesystem::path& name = "ralph.yml") {
  Layers layers(".", "/home/me");
  layers.add_file(text, name);
  return std::move(layers).finish();
}

Result<Loaded> from_environment(const std::vector<std::string>& entries) {
  Layers layers(".", "/home/me");
  layers.add_environment(entries);
  return std::move(layers).finish();
}

Result<Loaded> from_flags(const std::vector<FlagValue>& flags) {
  Layers layers(".", "/home/me");
  layers.add_flags(flags);
  return std::move(layers).finish();
}

std::string error_of(const Result<Loaded>& loaded) {
  return loaded ? "no error" : loaded.error().message;
}

using Words = std::vector<std::string>;

TEST(SettingsTable, EveryRowIsWholeAndItsDefaultIsValid) {
  const auto loaded = from_file("");
  ASSERT_TRUE(loaded) << error_of(loaded);
  for (const auto& row : settings_table()) {
    EXPECT_FALSE(row.help.empty()) << row.key;
    EXPECT_EQ(row.kind == Kind::choice, !row.choices.empty()) << row.key;
    EXPECT_EQ(find_setting(row.key), &row);
    EXPECT_FALSE(is_foreign_key(row.key)) << row.key;
    EXPECT_EQ(to_text(loaded->settings.value(row.id), row.kind), row.fallback) << row.key;
    EXPECT_EQ(describe(loaded->settings.origin(row.id)), "default");
    EXPECT_FALSE(loaded->settings.given(row.id));
  }
  EXPECT_EQ(variable_of(setting(Key::max_cost)), "RALPH_MAX_COST");
  EXPECT_EQ(flag_of(setting(Key::max_cost)), "--max-cost");
}

TEST(SettingsTable, DefaultsASupervisedRunNeeds) {
  const auto settings = from_file("")->settings;
  EXPECT_EQ(settings.text(Key::backend), "auto");
  EXPECT_EQ(settings.text(Key::mode), "coder");
  EXPECT_EQ(settings.duration(Key::timeout), std::chrono::hours(4));
  EXPECT_EQ(settings.duration(Key::idle_timeout), std::chrono::minutes(10));
  EXPECT_EQ(settings.duration(Key::after_end_timeout), std::chrono::seconds(5));
  EXPECT_EQ(settings.size(Key::max_line), std::size_t{64} << 20);
  EXPECT_EQ(settings.integer(Key::retries), 1);
  EXPECT_EQ(settings.money(Key::max_cost), std::nullopt);
  EXPECT_EQ(settings.integer(Key::max_turns), std::nullopt);
  EXPECT_EQ(settings.text(Key::log_dir), ".ralph/logs");
}

TEST(SettingsFile, EveryKindIsRead) {
  const auto loaded = from_file(R"(backend: claude
mode: planner
verbose: true
retries: 3
max_cost: 2.50
timeout: 1h30m
idle_timeout: 90
max_line: 10MB
allowed_tools: [Read, 'Bash(git log, x)']
extra_args: [--a, "b c"]
command: my-agent --fast
env: {A: 1, B: "x y", C: }
log_dir: logs
prompt: |
  First line.
  Second.
)",
                                "sub/ralph.yml");
  ASSERT_TRUE(loaded) << error_of(loaded);
  const auto& settings = loaded->settings;
  EXPECT_EQ(settings.text(Key::backend), "claude");
  EXPECT_EQ(settings.text(Key::mode), "planner");
  EXPECT_TRUE(settings.boolean(Key::verbose));
  EXPECT_EQ(settings.integer(Key::retries), 3);
  EXPECT_EQ(settings.money(Key::max_cost), 2.5);
  EXPECT_EQ(settings.duration(Key::timeout), std::chrono::minutes(90));
  EXPECT_EQ(settings.duration(Key::idle_timeout), std::chrono::seconds(90));
  EXPECT_EQ(settings.size(Key::max_line), 10'000'000u);
  EXPECT_EQ(settings.list(Key::allowed_tools), (Words{"Read", "Bash(git log, x)"}));
  EXPECT_EQ(settings.list(Key::extra_args), (Words{"--a", "b c"}));
  EXPECT_EQ(settings.list(Key::command), (Words{"my-agent", "--fast"}));
  EXPECT_EQ(settings.map(Key::env), (std::vector<Pair>{{"A", "1"}, {"B", "x y"}, {"C", ""}}));
  EXPECT_EQ(settings.text(Key::log_dir), "sub/logs");
  EXPECT_EQ(settings.text(Key::prompt), "First line.\nSecond.\n");
  EXPECT_EQ(settings.origin(Key::timeout), (Origin{Origin::Kind::file, "sub/ralph.yml", 6}));
  EXPECT_EQ(describe(settings.env_origin(1)), "sub/ralph.yml:12");
  EXPECT_TRUE(loaded->notes.empty());
}

TEST(SettingsFile, JsonIsReadToo) {
  const auto loaded = from_file("{\"model\": \"opus\",\n \"quiet\": true}", "c.json");
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded->settings.text(Key::model), "opus");
  EXPECT_EQ(describe(loaded->settings.origin(Key::quiet)), "c.json:2");
}

TEST(SettingsFile, EveryBadValueIsNamedWithWhatIsAllowed) {
  const std::pair<const char*, const char*> cases[] = {
      {"verbose: yes", "verbose: 'yes' is not a boolean; write true or false"},
      {"quiet: on", "quiet: 'on' is not a boolean; write true or false"},
      {"json: 1", "json: '1' is not a boolean; write true or false"},
      {"mode: pilot", "mode: 'pilot' is not one of planner|coder"},
      {"transport: tcp", "transport: 'tcp' is not one of pipe|pty|auto"},
      {"output_format: xml", "output_format: 'xml' is not one of stream-json|text"},
      {"retries: -1", "retries: '-1' is not a whole number from 0 to 2147483647"},
      {"retries: 1.5", "retries: '1.5' is not a whole number from 0 to 2147483647"},
      {"max_turns: 0", "max_turns: '0' is not a whole number from 1 to 2147483647"},
      {"max_turns: 99999999999999999999",
       "max_turns: '99999999999999999999' is not a whole number from 1 to 2147483647"},
      {"max_cost: 0", "max_cost: '0' is not an amount of US dollars above 0, like 2.50"},
      {"max_cost: inf", "max_cost: 'inf' is not an amount of US dollars above 0, like 2.50"},
      {"max_cost: 5 EUR", "max_cost: '5 EUR' is not an amount of US dollars above 0, like 2.50"},
      {"timeout: soon",
       "timeout: 'soon' is not a duration; write for example 90s, 5m or 1h30m (0: none)"},
      {"max_line: 1 PB",
       "max_line: '1 PB' is not a size; write for example 64MiB, 10MB or 1048576 (bytes)"},
      {"model: [a]", "model: expects one value, not a list"},
      {"model: {a: b}", "model: expects one value, not several"},
      {"allowed_tools: {a: b}", "allowed_tools: expects a list, not names and values"},
      {"allowed_tools: [[a]]", "allowed_tools: expects a list of words"},
      {"env: [A]", "env: expects one value, not a list"},
      {"env: {1A: x}", "env: '1A' is not a valid variable name"},
      {"env: {A: [x]}", "env: the value of A is not a text"},
      {"log_dir: ''", "log_dir: '' is not a path"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_of(from_file(std::string("\n") + text)),
              std::string("ralph.yml:2: ") + message);
  }
}

TEST(SettingsFile, AnUnknownKeyGetsASuggestion) {
  EXPECT_EQ(error_of(from_file("model: x\n\nmax_cots: 3\n")),
            "ralph.yml:3: unknown key 'max_cots'; did you mean 'max_cost'?");
  EXPECT_EQ(error_of(from_file("colour_of_sky: 3\n")), "ralph.yml:1: unknown key 'colour_of_sky'");
}

TEST(SettingsFile, AllMistakesAreToldInLineOrder) {
  EXPECT_EQ(error_of(from_file("modle: x\nretries: many\nverbose: yes\n")),
            "3 errors in the settings:\n"
            "  ralph.yml:1: unknown key 'modle'; did you mean 'model'?\n"
            "  ralph.yml:2: retries: 'many' is not a whole number from 0 to 2147483647\n"
            "  ralph.yml:3: verbose: 'yes' is not a boolean; write true or false");
  std::string many;
  for (int i = 0; i < 50; ++i) many += "zzzzzzz" + std::to_string(i) + ": 1\n";
  const auto message = error_of(from_file(many));
  EXPECT_TRUE(message.ends_with("ralph.yml:20: unknown key 'zzzzzzz19'\n  … and 30 more"))
      << message;
}

TEST(SettingsFile, MustBeAMap) {
  EXPECT_EQ(error_of(from_file("- a\n")),
            "ralph.yml:1: expected settings like 'backend: claude', found a list");
  EXPECT_EQ(error_of(from_file("\nhello\n")),
            "ralph.yml:2: expected settings like 'backend: claude', found a text");
  EXPECT_TRUE(from_file("---\n~\n"));
}

TEST(SettingsFile, AnEmptyValueIsNotSet) {
  const auto loaded = from_file("timeout:\nmodel: ~\n");
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded->settings.duration(Key::timeout), std::chrono::hours(4));
  EXPECT_FALSE(loaded->settings.given(Key::model));
}

TEST(SettingsFile, SectionsOfOtherToolsGetOneNote) {
  const auto loaded = from_file("cli:\n  backend: claude\nhats:\n  a: {x: [1]}\nmax_runtime: 5\n");
  ASSERT_TRUE(loaded) << error_of(loaded);
  ASSERT_EQ(loaded->notes.size(), 1u);
  EXPECT_EQ(loaded->notes[0],
            "ralph.yml: ignored keys, not settings of 'ralph run': cli, hats, max_runtime");
}

TEST(SettingsFile, PtyModeIsReadAsTransport) {
  const auto on = from_file("backend: claude\npty_mode: true\n");
  ASSERT_TRUE(on) << error_of(on);
  EXPECT_EQ(on->settings.text(Key::transport), "pty");
  EXPECT_EQ(describe(on->settings.origin(Key::transport)), "ralph.yml:2");
  ASSERT_EQ(on->notes.size(), 1u);
  EXPECT_EQ(on->notes[0], "ralph.yml:2: pty_mode: true is read as transport: pty");
  EXPECT_EQ(from_file("pty_mode: false")->settings.text(Key::transport), "auto");
  EXPECT_EQ(error_of(from_file("pty_mode: maybe")), "ralph.yml:1: pty_mode: write true or false");
  EXPECT_FALSE(from_file("pty_mode: true\ntransport: pipe\n"));
}

TEST(SettingsFile, PathsBeginInTheFilesFolder) {
  const auto path = [](const std::string& text, const char* file) {
    return from_file("log_dir: " + text, file)->settings.text(Key::log_dir);
  };
  EXPECT_EQ(path("logs", "ralph.yml"), "logs");
  EXPECT_EQ(path("logs", ".ralph/config.yml"), ".ralph/logs");
  EXPECT_EQ(path("../logs", "/etc/ralph/c.yml"), "/etc/logs");
  EXPECT_EQ(path("/var/logs", "sub/c.yml"), "/var/logs");
  EXPECT_EQ(path("~/logs", "sub/c.yml"), "/home/me/logs");
  EXPECT_EQ(from_file("prompt_file: '-'", "sub/c.yml")->settings.text(Key::prompt_file), "-");
}

TEST(SettingsEnvironment, EveryKindIsRead) {
  const auto loaded = from_environment({"RALPH_MODEL=opus", "RALPH_SANDBOX=1", "RALPH_JSON=0",
                                        "RALPH_ALLOWED_TOOLS=Read, Bash", "RALPH_ENV=A=1\nB=x=y",
                                        "RALPH_EXTRA_ARGS=[\"a b\", c]", "RALPH_COMMAND=x  y",
                                        "RALPH_TIMEOUT=", "RALPH_LOG=debug"});
  ASSERT_TRUE(loaded) << error_of(loaded);
  const auto& settings = loaded->settings;
  EXPECT_EQ(settings.text(Key::model), "opus");
  EXPECT_EQ(settings.origin(Key::model), (Origin{Origin::Kind::environment, "RALPH_MODEL", 0}));
  EXPECT_EQ(settings.text(Key::sandbox), "on");
  EXPECT_FALSE(settings.boolean(Key::json));
  EXPECT_TRUE(settings.given(Key::json));
  EXPECT_EQ(settings.list(Key::allowed_tools), (Words{"Read", "Bash"}));
  EXPECT_EQ(settings.list(Key::extra_args), (Words{"a b", "c"}));
  EXPECT_EQ(settings.list(Key::command), (Words{"x", "y"}));
  EXPECT_EQ(settings.map(Key::env), (std::vector<Pair>{{"A", "1"}, {"B", "x=y"}}));
  EXPECT_FALSE(settings.given(Key::timeout)) << "an empty variable is not set";
}

TEST(SettingsEnvironment, ABadValueNamesTheVariable) {
  EXPECT_EQ(error_of(from_environment({"RALPH_MAX_COST=lots"})),
            "RALPH_MAX_COST: 'lots' is not an amount of US dollars above 0, like 2.50");
  EXPECT_EQ(error_of(from_environment({"RALPH_VERBOSE=yes"})),
            "RALPH_VERBOSE: 'yes' is not a boolean; write true or false");
  EXPECT_EQ(error_of(from_environment({"RALPH_ENV=A"})),
            "RALPH_ENV: 'A' does not start with NAME=");
  EXPECT_FALSE(from_environment({"RALPH_EXTRA_ARGS=[a"}));
}

TEST(SettingsFlags, AreReadAsGiven) {
  const auto loaded = from_flags({{Key::model, {"haiku", "opus"}},
                                  {Key::verbose, {}},
                                  {Key::allowed_tools, {"Read", "Bash,Edit"}},
                                  {Key::env, {"A=1", "B=x\ny", "A=2"}},
                                  {Key::extra_args, {"--x", "a b, c"}}});
  ASSERT_TRUE(loaded) << error_of(loaded);
  const auto& settings = loaded->settings;
  EXPECT_EQ(settings.text(Key::model), "opus") << "the last one counts";
  EXPECT_TRUE(settings.boolean(Key::verbose));
  EXPECT_EQ(settings.list(Key::allowed_tools), (Words{"Read", "Bash", "Edit"}));
  EXPECT_EQ(settings.map(Key::env), (std::vector<Pair>{{"A", "2"}, {"B", "x\ny"}}));
  EXPECT_EQ(settings.list(Key::extra_args), (Words{"--x", "a b, c"}));
  EXPECT_EQ(settings.origin(Key::model), (Origin{Origin::Kind::flag, "--model", 0}));
  EXPECT_EQ(error_of(from_flags({{Key::env, {"A"}}})), "--env: 'A' is not of the form NAME=value");
  EXPECT_EQ(error_of(from_flags({{Key::mode, {"x"}}})), "--mode: 'x' is not one of planner|coder");
}

/// The model at each level that is switched on.
std::string model_of(bool user, bool project, bool environment, bool flag) {
  Layers layers(".", "");
  layers.add_file(user ? "model: user" : "", "user.yml");
  layers.add_file(project ? "model: project" : "", "ralph.yml");
  layers.add_environment(environment ? Words{"RALPH_MODEL=environment"} : Words{});
  layers.add_flags(flag ? std::vector<FlagValue>{{Key::model, {"flag"}}}
                        : std::vector<FlagValue>{});
  return std::move(layers).finish()->settings.text(Key::model);
}

TEST(SettingsPrecedence, FlagThenEnvironmentThenProjectThenUserThenDefault) {
  EXPECT_EQ(model_of(true, true, true, true), "flag");
  EXPECT_EQ(model_of(true, true, true, false), "environment");
  EXPECT_EQ(model_of(true, true, false, false), "project");
  EXPECT_EQ(model_of(true, false, false, false), "user");
  EXPECT_EQ(model_of(false, false, false, false), "");
}

TEST(SettingsPrecedence, VariablesOfAllLevelsAddUp) {
  Layers layers(".", "");
  layers.add_file("env: {A: file, B: file}", "ralph.yml");
  layers.add_flags(std::vector<FlagValue>{{Key::env, {"B=flag", "C=flag"}}});
  const auto settings = std::move(layers).finish()->settings;
  EXPECT_EQ(settings.map(Key::env),
            (std::vector<Pair>{{"A", "file"}, {"B", "flag"}, {"C", "flag"}}));
  EXPECT_EQ(describe(settings.env_origin(0)), "ralph.yml:1");
  EXPECT_EQ(describe(settings.env_origin(1)), "--env");
}

/// What -q and -v come to.
std::string loudness(std::string_view file, const Words& environment,
                     const std::vector<FlagValue>& flags) {
  Layers layers(".", "");
  layers.add_file(file, "ralph.yml");
  layers.add_environment(environment);
  layers.add_flags(flags);
  const auto settings = std::move(layers).finish()->settings;
  const bool quiet = settings.boolean(Key::quiet), verbose = settings.boolean(Key::verbose);
  return quiet && verbose ? "both" : quiet ? "quiet" : verbose ? "verbose" : "normal";
}

TEST(SettingsPrecedence, QuietAndVerboseAreOneChoice) {
  EXPECT_EQ(loudness("quiet: true", {"RALPH_VERBOSE=1"}, {}), "verbose");
  EXPECT_EQ(loudness("verbose: true", {"RALPH_QUIET=1"}, {}), "quiet");
  EXPECT_EQ(loudness("", {"RALPH_QUIET=1"}, {{Key::verbose, {}}}), "verbose");
  EXPECT_EQ(loudness("", {"RALPH_QUIET=1", "RALPH_VERBOSE=1"}, {}), "quiet");
  EXPECT_EQ(loudness("verbose: true\nquiet: true", {}, {}), "quiet");
  EXPECT_EQ(loudness("verbose: true", {"RALPH_VERBOSE=0", "RALPH_QUIET="}, {}), "verbose");
  EXPECT_EQ(loudness("quiet: false", {}, {}), "normal");
}

TEST(SettingsPrecedence, APromptOnAHigherLevelBeatsAPromptFile) {
  Layers layers(".", "");
  layers.add_file("prompt_file: PROMPT.md", "ralph.yml");
  layers.add_flags(std::vector<FlagValue>{{Key::prompt, {"Hello"}}});
  const auto settings = std::move(layers).finish()->settings;
  EXPECT_EQ(settings.text(Key::prompt), "Hello");
  EXPECT_EQ(settings.text(Key::prompt_file), "");
  EXPECT_EQ(error_of(from_file("prompt: a\nprompt_file: b\n")),
            "ralph.yml:1 (prompt) and ralph.yml:2 (prompt_file) cannot be combined");
}

TEST(Environment, AVariableThatLooksMistypedIsWorthAWarning) {
  const auto loaded = from_environment({"RALPH_MAX_COTS=5", "RALPH_MAX_COST=4", "RALPH_LOG=debug",
                                        "RALPH_OF_ANOTHER_PROGRAM=1", "RALPH_"});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->warnings,
            (Words{"RALPH_MAX_COTS is not a variable of ralph and is ignored; did "
                   "you mean RALPH_MAX_COST?"}));
}

}  // namespace
}  // namespace ralph::config
