#include "harness/run/sandbox.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/text.h"
#include "harness/run/model_route.h"
#include "harness/run/mounts_impl.h"
#include "harness/run/sandbox_env_impl.h"
#include "harness/run/sandbox_places_impl.h"
#include "system/process/capture.h"
#include "system/process/environment.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Host;
using backend::SandboxLevel;

constexpr std::chrono::seconds kProbeLimit{10};
constexpr std::size_t kLongestComplaint = 2000;

/// Own processes, semaphores and host name. User namespaces stay allowed: our agent confines its commands by them.
constexpr auto kBase = std::to_array<std::string_view>({
    "--die-with-parent",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
});

/// Root could remount what is read-only and write the kernel's settings: it keeps only the right to
/// everybody's files.
constexpr auto kForRoot = std::to_array<std::string_view>({
    "--cap-drop", "ALL",           "--cap-add",           "CAP_DAC_OVERRIDE",    "--cap-add",
    "CAP_CHOWN",  "--cap-add",     "CAP_FOWNER",          "--ro-bind-try",       "/proc/sys",
    "/proc/sys",  "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger", "--ro-bind-try",
    "/proc/irq",  "/proc/irq",     "--ro-bind-try",       "/proc/bus",           "/proc/bus",
});

Result<fs::path> real_folder(const fs::path& path, std::string_view what) {
  std::error_code error;
  auto real = fs::canonical(path, error);
  if (error)
    return fail_errno(error.value(), fmt::format("cannot use {} '{}'", what, path.string()));
  return real;
}

Result<fs::path> home_of(const Host& host) {
  const fs::path home = backend::variable(host, "HOME").value_or("");
  if (!home.is_absolute()) {
    return fail(Code::usage, "cannot create a sandbox: HOME is not set to a directory",
                "set HOME, or run without --sandbox");
  }
  return real_folder(home, "the home directory");
}

Result<> check_workspace(const fs::path& workspace, const fs::path& home) {
  if (!is_below(home, workspace)) return {};
  const auto what = workspace == home ? std::string("is the home directory")
                                      : fmt::format("holds the home directory '{}'", home.string());
  return fail(
      Code::usage,
      fmt::format("the workspace '{}' {}, which the sandbox hides", workspace.string(), what),
      "work in another directory, or run without --sandbox");
}

/// A sandbox for one workspace, before anything is put into it.
struct Frame {
  fs::path bwrap, workspace, home;
  Mounts mounts;
};

Result<Frame> make_frame(const Host& host) {
  Frame frame;
  TRY_ASSIGN(frame.workspace, real_folder(host.workspace, "the workspace"));
  TRY_ASSIGN(frame.home, home_of(host));
  TRY(check_workspace(frame.workspace, frame.home));
  auto bwrap = trusted_program("bwrap", host);
  if (!bwrap) {
    return fail(Code::unavailable,
                fmt::format("cannot create a sandbox: {}", bwrap.error().message),
                "apt-get install bubblewrap");
  }
  frame.bwrap = *std::move(bwrap);
  hide_places(frame.mounts, frame.home, frame.workspace);
  show_git_settings(frame.mounts, host, frame.home);
  return frame;
}

/// The words in front of a command line, but for its working directory.
std::vector<std::string> words_of(const Frame& frame, const Host& host) {
  std::vector<std::string> words{frame.bwrap.string()};
  words.insert(words.end(), kBase.begin(), kBase.end());
  if (host.sandbox == SandboxLevel::strict) words.emplace_back("--unshare-net");
  if (host.is_root) words.insert(words.end(), kForRoot.begin(), kForRoot.end());
  const auto mounted = frame.mounts.words();
  words.insert(words.end(), mounted.begin(), mounted.end());
  return words;
}

/// Starts `true` in the sandbox, so that a refusal is told before the agent's run begins.
Result<> probe(process::Command command, const Host& host) {
  command.argv.push_back(backend::find_program("true", host).value_or("/bin/true").string());
  command.transport = process::Transport::pipe;
  command.input = process::StdinNull{};
  TRY_ASSIGN(const auto ran,
             process::capture(command, {.wall = kProbeLimit, .bytes = kLongestComplaint}));
  if (ran.exit.exit_code == 0) return {};
  auto said = trim_end(ran.err, "\n");
  if (said.empty())
    said = ran.exit.ended_by == process::EndedBy::wall ? "no answer in 10 s" : "it said nothing";
  return fail(
      Code::unavailable, fmt::format("cannot create a sandbox: bwrap failed: {}", said),
      "allow unprivileged user namespaces (in a container: run it with the rights bubblewrap "
      "needs), or run without --sandbox");
}

/// Completes a command: bwrap's words, the working directory, the environment, then its own words.
Result<process::Command> wrapped(std::vector<std::string> words, const Host& host,
                                 process::Command command, const backend::Backend* backend,
                                 EnvFor whom, std::vector<std::string>* removed) {
  TRY_ASSIGN(const auto cwd, real_folder(command.cwd.empty() ? host.workspace : command.cwd,
                                         "the working directory"));
  auto env = sandbox_env(host, command.env, backend, whom);
  words.insert(words.end(), env.words.begin(), env.words.end());
  words.insert(words.end(), {"--chdir", cwd.string(), "--"});
  words.insert(words.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(words);
  command.env.insert(command.env.end(), env.changes.begin(), env.changes.end());
  const auto& agent = backend == nullptr ? backend::default_backend() : *backend;
  command.env.push_back({std::string(agent.permissions.sandbox_variable), "1"});
  command.env.push_back({"TMPDIR", "/tmp"});
  command.sandbox_filter = host.sandbox == SandboxLevel::strict
                               ? process::SandboxFilter::keyrings_and_sockets
                               : process::SandboxFilter::keyrings;
  command.wrapper_depth = 2;  // bwrap, its reaper, then the program
  if (removed != nullptr) *removed = std::move(env.removed);
  return command;
}

/// git works on an index of ours, which lies in a directory of its own under the hidden /tmp. For git only: the environment
/// of other commands may be the agent's.
std::vector<std::string> show_index(const process::Command& command) {
  for (const auto& change : command.env) {
    if (change.name != "GIT_INDEX_FILE" || !change.value) continue;
    const auto folder = fs::path(*change.value).parent_path().string();
    return {"--bind", folder, folder};
  }
  return {};
}

Wrap wrap_of(const Frame& frame, const Host& host, bool is_git) {
  return [words = words_of(frame, host), host,
          is_git](process::Command command) -> Result<process::Command> {
    auto all = words;
    if (is_git) {
      const auto index = show_index(command);
      all.insert(all.end(), index.begin(), index.end());
    }
    return wrapped(std::move(all), host, std::move(command), nullptr, EnvFor::command, nullptr);
  };
}

void tell_removed(const std::vector<std::string>& removed, backend::Plan& plan) {
  if (removed.empty()) return;
  plan.notes.push_back(fmt::format(
      "not passed into the sandbox: {} ('env' in the settings, or --env, passes a variable on)",
      fmt::join(removed, ", ")));
}

}  // namespace

Result<fs::path> trusted_program(std::string_view name, const Host& host) {
  TRY_ASSIGN(auto found, process::find_program(name, host.environment, "/"));
  std::error_code error;
  const auto real = fs::canonical(found, error);
  const auto workspace = fs::weakly_canonical(host.workspace, error);
  if (!fs::path(found).is_absolute() || is_below(real, workspace) ||
      is_below(fs::path(found).lexically_normal(), workspace)) {
    return fail(Code::not_found,
                fmt::format("program '{}' was found only where the agent can write it ('{}')", name,
                            found));
  }
  return fs::path(std::move(found));
}

Result<> put_into_sandbox(backend::Plan& plan, const Host& host, std::string_view run_id) {
  TRY_ASSIGN(auto frame, make_frame(host));
  frame.mounts.show_program(plan.program, host);
  TRY(show_workspace(frame.mounts, host));
  TRY(show_agent_state(frame.mounts, plan, host, frame.home, run_id));
  auto command = std::move(plan.command);
  command.argv.front() = real_parent(plan.program).string();
  if (host.sandbox == SandboxLevel::strict) {
    TRY(route_to_model(frame.mounts, plan, command, host, run_id));
  }
  const auto words = words_of(frame, host);
  auto empty = command;
  empty.argv.clear();
  TRY_ASSIGN(empty, wrapped(words, host, std::move(empty), plan.backend, EnvFor::agent, nullptr));
  TRY(probe(std::move(empty), host));
  std::vector<std::string> removed;
  TRY_ASSIGN(plan.command,
             wrapped(words, host, std::move(command), plan.backend, EnvFor::agent, &removed));
  if (plan.route) {
    const auto env = environment_of_route(*plan.backend, *plan.route);
    plan.command.env.insert(plan.command.env.end(), env.begin(), env.end());
  }
  tell_removed(removed, plan);
  return {};
}

Result<Wrap> sandbox_for_commands(const Host& host) {
  if (!host.sandboxed()) return Wrap{};
  TRY_ASSIGN(auto frame, make_frame(host));
  // What direnv was allowed to load.
  for (const auto* name : {".config/direnv", ".local/share/direnv"}) {
    frame.mounts.show(frame.home / name, Mounts::Access::read_only);
  }
  TRY(show_workspace(frame.mounts, host));
  return wrap_of(frame, host, false);
}

Result<Wrap> sandbox_for_git(const Host& host) {
  if (!host.sandboxed()) return Wrap{};
  TRY_ASSIGN(auto frame, make_frame(host));
  TRY(show_repository(frame.mounts, frame.workspace));
  auto writable = host;
  writable.read_only.clear();  // git puts back files of any commit
  TRY(show_workspace(frame.mounts, writable));
  return wrap_of(frame, host, true);
}

bool decides_sandbox(std::string_view variable) {
  return variable == "HOME" || variable.starts_with("XDG_") || backend::configures_agent(variable);
}

Result<> check_sandbox(const Host& host) {
  TRY_ASSIGN(auto frame, make_frame(host));
  TRY(show_workspace(frame.mounts, host));
  process::Command command;
  command.cwd = host.workspace;
  command.env = backend::environment_changes(host);
  TRY_ASSIGN(command, wrapped(words_of(frame, host), host, std::move(command), nullptr,
                              EnvFor::command, nullptr));
  return probe(std::move(command), host);
}

}  // namespace ralph::run
