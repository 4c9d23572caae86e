#include "run/sandbox.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include "process/supervise.h"
#include "run/mounts_impl.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Host;

constexpr std::chrono::seconds kProbeLimit{10};
constexpr std::size_t kLongestComplaint = 2000;

/// Private to the sandbox, or sockets through which a program reaches beyond it: a read-only mount
/// does not keep it from connecting.
constexpr auto kHidden = std::to_array<std::string_view>({
    "/tmp",
    "/var/tmp",
    "/run/user",
    "/run/dbus",
    "/run/systemd/private",
    "/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
});

/// Read by git; anything else of the home's configuration may hold secrets.
constexpr auto kGitFiles =
    std::to_array<std::string_view>({".gitconfig", ".config/git/config", ".config/git/ignore"});

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
    return fail(Code::usage, "a sandbox hides the home, but HOME is not set to a folder",
                "set HOME, or run without --sandbox");
  }
  return real_folder(home, "the home");
}

/// The home that the system knows; HOME may be another.
fs::path home_of_user() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> buffer{};
  ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
  std::error_code error;
  return found == nullptr ? fs::path{} : fs::canonical(found->pw_dir, error);
}

Result<> check_workspace(const fs::path& workspace, const fs::path& home) {
  if (!contains(workspace, home)) return {};
  const auto what = workspace == home ? std::string("is the home")
                                      : fmt::format("holds the home '{}'", home.string());
  return fail(
      Code::usage,
      fmt::format("the workspace '{}' {}, which a sandbox has to hide", workspace.string(), what),
      "work in a folder of its own, or run without --sandbox");
}

/// An agent that keeps its files in the home itself would open all of it.
Result<> check_state(const fs::path& state, const fs::path& home) {
  std::error_code error;
  const auto real = fs::weakly_canonical(state, error);
  if (error || !contains(real, home)) return {};
  return fail(
      Code::usage,
      fmt::format("the agent keeps its files in '{}', which holds the home: a sandbox could "
                  "not hide it",
                  state.string()),
      "give the agent a folder of its own, or run without --sandbox");
}

void hide_places(Mounts& mounts, const fs::path& home, const fs::path& workspace) {
  for (const auto place : kHidden) mounts.hide(place);
  mounts.hide(home);
  const auto users = home_of_user();
  if (!users.empty() && users != "/" && !contains(workspace, users)) mounts.hide(users);
}

/// `--bind-try`: an agent that never ran here has no files yet, and making some is not our business.
Result<> show_state(Mounts& mounts, const backend::Plan& plan, const Host& host,
                    const fs::path& home, std::vector<std::string>& notes) {
  if (plan.backend == nullptr) return {};
  std::error_code error;
  const auto paths = backend::state_paths(*plan.backend, host);
  for (const auto& path : paths) {
    TRY(check_state(path, home));
    mounts.show(path, Mounts::Access::writable);
  }
  if (!paths.empty() && !fs::exists(paths.front(), error)) {
    notes.push_back(
        fmt::format("'{0}' does not exist: what the agent keeps, sessions too, goes with the "
                    "sandbox (mkdir '{0}' "
                    "keeps it)",
                    paths.front().string()));
  }
  return {};
}

/// The words in front of the agent's own command line.
Result<std::vector<std::string>> wrapper(const backend::Plan& plan, const Host& host,
                                         std::vector<std::string>& notes) {
  const auto bwrap = backend::find_program("bwrap", host);
  if (!bwrap) {
    return fail(Code::unavailable, fmt::format("no sandbox: {}", bwrap.error().message),
                "apt-get install bubblewrap");
  }
  TRY_ASSIGN(const auto workspace, real_folder(host.workspace, "the workspace"));
  TRY_ASSIGN(const auto cwd, real_folder(plan.command.cwd.empty() ? workspace : plan.command.cwd,
                                         "the working folder"));
  TRY_ASSIGN(const auto home, home_of(host));
  TRY(check_workspace(workspace, home));

  Mounts mounts;
  hide_places(mounts, home, workspace);
  mounts.show_program(plan.program, host);
  for (const auto file : kGitFiles) mounts.show(home / file, Mounts::Access::read_only);
  TRY(show_state(mounts, plan, host, home, notes));
  mounts.show(host.workspace, Mounts::Access::writable);

  std::vector<std::string> words{bwrap->string(),
                                 "--die-with-parent",
                                 "--unshare-pid",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc"};
  if (host.is_root) words.insert(words.end(), kForRoot.begin(), kForRoot.end());
  const auto mounted = mounts.words();
  words.insert(words.end(), mounted.begin(), mounted.end());
  words.insert(words.end(), {"--chdir", cwd.string(), "--"});
  return words;
}

/// Starts `true` in the sandbox, so that a refusal is told before the agent's run begins.
Result<> probe(std::vector<std::string> words, const backend::Plan& plan, const Host& host) {
  words.push_back(backend::find_program("true", host).value_or("/bin/true").string());
  const process::Command command{
      .argv = std::move(words), .cwd = plan.command.cwd, .env = plan.command.env};
  TRY_ASSIGN(auto child, process::start(command));
  std::string said;
  const process::Sink keep = [&](std::string_view bytes) -> Result<> {
    said += bytes.substr(0, kLongestComplaint - std::min(kLongestComplaint, said.size()));
    return {};
  };
  process::Watch watch;
  watch.arm(process::Limit::wall, kProbeLimit);
  const auto exit = process::supervise(std::move(child), {{}, keep}, watch, {});
  if (exit.exit_code == 0) return {};
  while (said.ends_with('\n')) said.pop_back();
  if (said.empty())
    said = exit.ended_by == process::EndedBy::wall ? "no answer in 10 s" : "it said nothing";
  return fail(
      Code::unavailable, fmt::format("no sandbox: bwrap was refused: {}", said),
      "allow unprivileged user namespaces (in a container: run it with the rights bubblewrap "
      "needs), or run without --sandbox");
}

}  // namespace

Result<> put_into_sandbox(backend::Plan& plan, const Host& host) {
  TRY_ASSIGN(auto words, wrapper(plan, host, plan.notes));
  plan.command.env.push_back({"IS_SANDBOX", "1"});
  plan.command.env.push_back({"TMPDIR", "/tmp"});
  TRY(probe(words, plan, host));
  words.push_back(real_parent(plan.program).string());
  words.insert(words.end(), plan.command.argv.begin() + 1, plan.command.argv.end());
  plan.command.argv = std::move(words);
  plan.command.wrapper_depth = 2;  // bwrap, its reaper, then the agent
  return {};
}

Result<> check_sandbox(const Host& host) {
  backend::Plan plan;
  plan.command.cwd = host.workspace;
  plan.command.env = host.own_env;
  std::vector<std::string> notes;
  TRY_ASSIGN(auto words, wrapper(plan, host, notes));
  return probe(std::move(words), plan, host);
}

}  // namespace ralph::run
