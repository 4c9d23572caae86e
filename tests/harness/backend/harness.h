#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "harness/backend/plan.h"
#include "system/process/harness.h"

/// What the tests of this module share: a machine in a temp folder, with a home, a PATH and a workspace.
namespace ralph::backend {

using Words = std::vector<std::string>;

struct Machine {
  process::TempFolder folder;
  Host host;

  explicit Machine(const Words& programs = {"claude"}) {
    for (const auto* name : {"bin", "home", "home/.claude", "work"}) {
      std::filesystem::create_directories(folder / name);
    }
    for (const auto& name : programs) install(name);
    host.workspace = folder / "work";
    host.environment = {"PATH=" + (folder / "bin").string(), "HOME=" + (folder / "home").string()};
  }

  void install(const std::string& name, mode_t mode = 0755) const {
    folder.write("bin/" + name, "#!/bin/sh\n", mode);
  }
  void log_in() const {
    folder.write("home/.claude/.credentials.json",
                 R"({"claudeAiOauth":{"accessToken":"secret-1"}})");
  }
  void set(const std::string& variable) { host.environment.push_back(variable); }

  Result<Plan> planned(const Ask& ask, std::string_view backend = "claude") const {
    return plan(*find_backend(backend), ask, host, "r1");
  }
};

inline Ask asking(std::string prompt) {
  Ask ask;
  ask.prompt = std::move(prompt);
  return ask;
}

inline Ask commanding(Words command, std::string prompt = "do it") {
  Ask ask = asking(std::move(prompt));
  ask.command = std::move(command);
  return ask;
}

/// The last change to a variable; a failed test when there is none.
inline std::optional<std::string> value_in(const Plan& plan, std::string_view name) {
  std::optional<std::optional<std::string>> found;
  for (const auto& change : plan.command.env) {
    if (change.name == name) found = change.value;
  }
  EXPECT_TRUE(found.has_value()) << name << " is left alone";
  return found.value_or(std::nullopt);
}

inline bool changes(const Plan& plan, std::string_view name) {
  return std::ranges::any_of(plan.command.env, [&](auto& change) { return change.name == name; });
}

inline const std::string& stdin_of(const Plan& plan) {
  static const std::string kNone = "(no text on stdin)";
  const auto* const text = std::get_if<process::StdinText>(&plan.command.input);
  return text == nullptr ? kNone : text->bytes;
}

}  // namespace ralph::backend
