#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "mock/server.h"
#include "support/collect.h"
#include "system/process/harness.h"

/// Our agent as a process of its own, with real pipes, against a scripted API.
namespace ralph::agent_process {

using json::Document;

inline std::string ralph() { return RALPH_BUILD "/ralph"; }

// The two command lines of the loop this agent must be a drop-in for.
inline constexpr std::string_view kWorker =
    R"(MAX_THINKING_TOKENS=16384 ANTHROPIC_API_KEY= claude \
  -p \
  --model sonnet \
  --tools "Read,Write,Edit,Glob,Grep,Bash,Skill,StructuredOutput" \
  --verbose \
  --input-format stream-json \
  --output-format stream-json \
  --json-schema '{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}')";
inline constexpr std::string_view kSummarizer =
    R"(MAX_THINKING_TOKENS=16384 ANTHROPIC_API_KEY= claude \
  -p \
  --model haiku \
  --tools "Read,Glob,Grep,StructuredOutput" \
  --verbose \
  --input-format stream-json \
  --output-format stream-json \
  --json-schema '{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}')";

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

inline std::string user_line(std::string_view text) {
  return json::write(Document{
             {"type", "user"},
             {"message",
              {{"role", "user"},
               {"content", Document::array({Document{{"type", "text"}, {"text", text}}})}}}}) +
         "\n";
}

/// A finished agent with all it wrote.
struct Ran {
  process::Exit exit;
  std::string out;
  std::string err;

  int code() const { return exit.exit_code.value_or(-1); }
  std::vector<Document> events() const {
    std::vector<Document> events;
    for (const auto& line : lines_of(out)) {
      auto event = json::parse(line);
      if (event) events.push_back(*std::move(event));
      EXPECT_TRUE(event) << "not JSON: " << line;
    }
    return events;
  }
  std::vector<Document> of_type(std::string_view type, std::string_view subtype = {}) const {
    std::vector<Document> found;
    for (auto& event : events()) {
      const bool fits = subtype.empty() || event.value("subtype", "") == subtype;
      if (event.value("type", "") == type && fits) found.push_back(event);
    }
    return found;
  }
  Document result() const {
    const auto results = of_type("result");
    return results.empty() ? Document::object() : results.back();
  }
};

/// What our own dialect makes of a stream must be known to it, every line of it.
inline void expect_understood(std::string_view out) {
  test::Collector collector;
  stream::Decoder decoder(stream::make_claude_dialect(), {&collector}, "run");
  decoder.feed(out, 0);
  decoder.finish(0);
  EXPECT_EQ(decoder.skipped(), 0) << out;
  for (const auto& event : collector.events) {
    EXPECT_FALSE(event.contains("\"type\":\"unknown\"")) << event;
  }
}

/// A folder with a home and a workspace, and the API.
class Stage {
 public:
  explicit Stage(std::string_view scenario = R"({"steps":[{"text":"Hello."}]})") {
    std::filesystem::create_directories(work());
    std::filesystem::create_directories(home());
    std::filesystem::create_directories(folder_ / "bin");
    std::filesystem::create_symlink(ralph(), folder_ / "bin" / "claude");
    auto read = mock::read_scenario(scenario, "scenario");
    if (!read) {
      ADD_FAILURE() << read.error().message;
      return;
    }
    auto server = mock::Server::start(*std::move(read), {0, folder_ / "requests", Masker()});
    if (!server) {
      ADD_FAILURE() << server.error().message;
      return;
    }
    server_ = *std::move(server);
  }

  std::filesystem::path work() const { return folder_ / "work"; }
  std::filesystem::path home() const { return folder_ / "home"; }
  const process::TempFolder& folder() const { return folder_; }

  /// Any program, in the workspace. Nothing of the tester's own setup is seen.
  process::Command command(std::vector<std::string> argv) const {
    process::Command command;
    command.argv = std::move(argv);
    command.cwd = work();
    command.env = {{"HOME", home().string()},
                   {"PATH", (folder_ / "bin").string() + ":" RALPH_BUILD "/tools:/usr/bin:/bin"},
                   {"ANTHROPIC_API_KEY", "sk-ant-test-key"},
                   {"ANTHROPIC_BASE_URL", server_ ? server_->url() : ""},
                   {"IS_SANDBOX", "1"},  // root may run agents
                   {"RALPH_TEST_MARK", mark_}};
    for (const auto* name : {"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_MODEL", "CLAUDE_CONFIG_DIR",
                             "XDG_CONFIG_HOME", "XDG_STATE_HOME", "RALPH_AGENT_SIGINT_EXIT"}) {
      command.env.push_back({name, std::nullopt});
    }
    return command;
  }
  /// `ralph agent -p` with stream-json output.
  process::Command agent(std::vector<std::string> more) const {
    std::vector<std::string> argv{ralph(),           "agent",       "-p",
                                  "--output-format", "stream-json", "--verbose"};
    argv.insert(argv.end(), more.begin(), more.end());
    return command(std::move(argv));
  }
  /// The same with stream-json input too, which stays open.
  process::Command talk(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--input-format", "stream-json"});
    auto made = agent(std::move(more));
    made.input = process::StdinOpen{};
    return made;
  }

  using OnOutput = std::function<void(std::string_view so_far, process::RunHandle&)>;
  /// Runs to its end; `on_output` sees all of stdout each time more has come.
  Ran run(const process::Command& command, const OnOutput& on_output = {}) const {
    process::RunHandle watch;
    return run(command, watch, on_output);
  }
  Ran run(const process::Command& command, process::RunHandle& watch,
          const OnOutput& on_output = {}) const {
    Ran ran;
    auto child = process::start(command);
    if (!child) {
      ADD_FAILURE() << describe(child.error());
      return ran;
    }
    watch.arm(process::Limit::wall, Millis{process::kLongWait});
    const auto out = [&](std::string_view bytes) -> Result<> {
      ran.out += bytes;
      if (on_output) on_output(ran.out, watch);
      return {};
    };
    ran.exit = process::supervise(*std::move(child), {out, process::append_to(ran.err), {}, {}},
                                  watch, {});
    EXPECT_EQ(ran.exit.ended_by, process::EndedBy::nothing) << "it had to be ended\n" << ran.err;
    return ran;
  }
  Ran ask(std::string prompt, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), std::move(prompt));
    return run(agent(std::move(more)));
  }
  /// Says the next of these lines after every result, then ends the input.
  Ran converse(const process::Command& command, const std::vector<std::string>& lines) const {
    process::RunHandle watch;
    return converse(command, lines, watch);
  }
  Ran converse(const process::Command& command, const std::vector<std::string>& lines,
               process::RunHandle& watch,
               const std::function<void(std::string_view so_far)>& look = {}) const {
    std::size_t said = 1, seen = 0;
    watch.write(lines.front());
    return run(command, watch, [&](std::string_view so_far, process::RunHandle& it) {
      if (look) look(so_far);
      for (;;) {
        const auto at = so_far.find("{\"type\":\"result\"", seen);
        if (at == so_far.npos || so_far.find('\n', at) == so_far.npos) return;
        seen = so_far.find('\n', at);
        if (said < lines.size()) {
          it.write(lines[said]);
        } else {
          it.close_stdin();
        }
        ++said;
      }
    });
  }

  /// What the API was asked, in order.
  std::vector<Document> requests() const {
    std::vector<Document> requests;
    for (const auto& line : lines_of(test::text_of(folder_ / "requests"))) {
      if (auto request = json::parse(line)) requests.push_back(*std::move(request));
    }
    return requests;
  }
  /// Everything that is in the home.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home())) {
      if (!entry.is_directory()) files.push_back(entry.path());
    }
    return files;
  }

 private:
  process::TempFolder folder_;
  std::string mark_ = random_hex(8);
  std::unique_ptr<mock::Server> server_;
};

/// Passes every line of the agent once.
inline Stage::OnOutput each_line(
    std::function<void(const Document&, process::RunHandle&)> on_line) {
  return [on_line = std::move(on_line), seen = std::size_t{0}](std::string_view so_far,
                                                               process::RunHandle& agent) mutable {
    for (auto end = so_far.find('\n', seen); end != so_far.npos; end = so_far.find('\n', seen)) {
      const auto parsed = json::parse(so_far.substr(seen, end - seen));
      seen = end + 1;
      if (parsed) on_line(*parsed, agent);
    }
  };
}

}  // namespace ralph::agent_process
