// Runs a bash command line under the confinement of a grant, as the Bash tool does, without deciding whether it is
// allowed. For the attacks: what the kernel holds when the analysis of commands is mistaken.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agent/tool/background.h"
#include "agent/tool/bash_confinement.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/tool.h"

namespace {

namespace fs = std::filesystem;
using namespace ralph;

struct Wanted {
  permission::Grant grant = permission::Grant::none;
  tool::Workspace::Setup setup;
  std::string command;
  bool print = false;
  bool background = false;
  int repeat = 0;
};

[[noreturn]] void usage() {
  std::fputs(
      "usage: confined --grant reading|editing|user --workspace DIR [--add-dir DIR]... [--deny "
      "PATTERN]...\n"
      "       [--print] [--background] [--repeat N] [--support "
      "landlock=N,seccomp=0|1,mounts=0|1,bwrap=PATH] -- COMMAND\n",
      stderr);
  std::exit(2);
}

permission::Grant grant_of(std::string_view text) {
  for (const auto grant :
       {permission::Grant::reading, permission::Grant::editing, permission::Grant::user}) {
    if (text == permission::to_string(grant)) return grant;
  }
  usage();
}

process::ConfinementSupport support_of(std::string_view text) {
  process::ConfinementSupport support;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto part = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) usage();
    const auto name = part.substr(0, equals);
    const std::string value(part.substr(equals + 1));
    if (name == "landlock")
      support.landlock_abi = std::atoi(value.c_str());
    else if (name == "seccomp")
      support.seccomp = value == "1";
    else if (name == "mounts")
      support.mounts = value == "1";
    else if (name == "bwrap")
      support.bubblewrap = value;
    else
      usage();
  }
  return support;
}

Wanted read_arguments(int argc, char** argv) {
  Wanted wanted;
  int at = 1;
  for (; at < argc && std::string_view(argv[at]) != "--"; ++at) {
    const std::string_view option = argv[at];
    if (option == "--print") {
      wanted.print = true;
      continue;
    }
    if (option == "--background") {
      wanted.background = true;
      continue;
    }
    if (at + 1 >= argc) usage();
    const std::string value = argv[++at];
    if (option == "--grant")
      wanted.grant = grant_of(value);
    else if (option == "--workspace")
      wanted.setup.root = fs::canonical(value);
    else if (option == "--add-dir")
      wanted.setup.directories.push_back(fs::canonical(value));
    else if (option == "--deny")
      wanted.setup.unreadable.push_back(value);
    else if (option == "--repeat")
      wanted.repeat = std::atoi(value.c_str());
    else if (option == "--support")
      wanted.setup.support = support_of(value);
    else
      usage();
  }
  if (wanted.grant == permission::Grant::none || wanted.setup.root.empty()) usage();
  if (at + 1 < argc) wanted.command = argv[at + 1];
  if (wanted.command.empty() && !wanted.print) usage();
  return wanted;
}

int print(const Wanted& wanted) {
  const tool::Workspace workspace(wanted.setup);
  const auto confinement = tool::confinement_of(wanted.grant, workspace, {});
  if (!confinement) {
    std::fprintf(stderr, "confined: %s\n", describe(confinement.error()).c_str());
    return 1;
  }
  std::fputs(*confinement ? to_text(**confinement).c_str() : "unconfined\n", stdout);
  return 0;
}

int run(Wanted wanted) {
  tool::BackgroundTasks tasks;
  const char* const temporary = std::getenv("TMPDIR");
  wanted.setup.output_folder = fs::path(temporary == nullptr ? "/tmp" : temporary) /
                               ("confined-" + std::to_string(::getpid())) / "tool-results";
  wanted.setup.tasks = &tasks;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    wanted.setup.variables.emplace_back(*entry);
  }
  tool::Workspace workspace(wanted.setup);
  json::Document input{{"command", wanted.command}};
  if (wanted.background) input["run_in_background"] = true;
  const auto& bash = tool::bash_tool();
  auto access = bash.access(input, workspace);
  access.grant = wanted.grant;
  for (int i = 0; i < wanted.repeat; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    (void)bash.run(input, access, workspace, {});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    std::printf("%.3f ms\n", took.count());
  }
  const auto outcome = bash.run(input, access, workspace, {});
  const auto content = nlohmann::json::parse(outcome.content);
  std::puts((content.is_string() ? content.get<std::string>() : content.dump()).c_str());
  if (wanted.background) (void)tasks.wait_for_finish({});
  return outcome.is_error.value_or(false) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  auto wanted = read_arguments(argc, argv);
  return wanted.print ? print(wanted) : run(std::move(wanted));
}
