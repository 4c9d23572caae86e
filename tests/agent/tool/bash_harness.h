#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <dirent.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/tool/background.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/tool.h"
#include "support/eventually.h"
#include "support/temp_folder.h"

namespace ralph::tool {

/// Ids of live processes whose environment holds "RALPH_TEST_MARK=mark"; zombies have none.
inline std::vector<int> alive_with_mark(const std::string& mark) {
  std::vector<int> found;
  DIR* const proc = ::opendir("/proc");
  while (const dirent* entry = ::readdir(proc)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    for (std::string variable; std::getline(file, variable, '\0');) {
      if (variable == "RALPH_TEST_MARK=" + mark) found.push_back(pid);
    }
  }
  ::closedir(proc);
  return found;
}

using test::eventually;

/// What a call brought, read.
struct Answer {
  std::string content;
  std::optional<bool> is_error;
  nlohmann::json detail;
  std::string task;
};

/// A session's folders and tasks; everything its commands start carries `mark`.
struct Session {
  test::TempFolder folder;
  std::string mark = random_hex(8);
  BackgroundTasks tasks;
  Workspace::Setup setup = standard();
  std::optional<Workspace> made;
  Grant grant = Grant::user;

  Workspace& workspace() {
    if (!made) made.emplace(setup);
    return *made;
  }

  Answer call(const nlohmann::json& input, const std::stop_token& stop = {}) {
    const auto outcome = bash_tool().run(json::parse(input.dump(-1, ' ', true)).value(), access(),
                                         workspace(), stop);
    return {nlohmann::json::parse(outcome.content).get<std::string>(), outcome.is_error,
            nlohmann::json::parse(outcome.detail), outcome.task};
  }
  Access access() { return {Access::Kind::run, {}, {}, workspace().cwd(), grant}; }
  Answer run(const std::string& command) { return call({{"command", command}}); }

  bool exists(std::string_view name) const { return std::filesystem::exists(root() / name); }
  bool reached(std::string_view name) const {
    return eventually([&] { return exists(name); });
  }
  bool nothing_alive() const { return alive_with_mark(mark).empty(); }
  std::filesystem::path root() const { return setup.root; }

 private:
  Workspace::Setup standard() {
    const auto base = std::filesystem::canonical(folder.path());
    std::filesystem::create_directories(base / "work/sub");
    Workspace::Setup made_setup;
    made_setup.root = base / "work";
    made_setup.output_folder = base / "out/tool-results";
    made_setup.environment = {{"RALPH_TEST_MARK", mark}};
    made_setup.tasks = &tasks;
    return made_setup;
  }
};

}  // namespace ralph::tool
