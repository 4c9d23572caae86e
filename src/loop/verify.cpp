#include "loop/verify.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/unique_fd.h"
#include "loop/excerpt.h"
#include "process/capture.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTail = std::size_t{8} << 10;
constexpr std::size_t kLargestCheck = std::size_t{16} << 20;
constexpr const char* kFolder = ".ralph";
constexpr const char* kCheck = "check";
/// What is run: the bytes that were looked at, beside the file they are from so that `dirname "$0"` is the same.
constexpr const char* kCopy = "check.running";

/// Keeps the end of a text, and a byte more: what is cut is seen to be cut, and not within a character.
class Tail {
 public:
  void add(std::string_view bytes) {
    text_ += bytes;
    if (text_.size() > 2 * kTail) text_.erase(0, text_.size() - kTail - 1);
  }
  std::string text() const { return prompt_text(end_of(text_, kTail).text); }

 private:
  std::string text_;
};

Result<UniqueFd> open_folder(const fs::path& workspace) {
  const auto path = workspace / kFolder;
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return fail_errno(errno, fmt::format("cannot open the folder '{}'", path.native()));
  return fd;
}

/// The bytes of `.ralph/check`; nullopt: there is none. Never a link's, never those of a file that cannot be executed.
Result<std::optional<std::string>> read_check(const fs::path& workspace) {
  struct stat info{};
  const auto path = workspace / kFolder / kCheck;
  if (::lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  TRY_ASSIGN(const auto folder, open_folder(workspace));
  const UniqueFd fd(::openat(folder.get(), kCheck, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ELOOP) {
    return fail(Code::config, fmt::format("'{}' is a symbolic link", path.native()),
                "put the check itself there");
  }
  if (!fd) return fail_errno(errno, fmt::format("cannot open '{}'", path.native()));
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fail(Code::config, fmt::format("'{}' is not a regular file", path.native()));
  }
  if ((info.st_mode & S_IXUSR) == 0) {
    return fail(Code::config, fmt::format("'{}' cannot be executed", path.native()),
                fmt::format("chmod +x '{}', or remove it", path.native()));
  }
  TRY_ASSIGN(auto bytes, read_fd(fd.get(), path.native(), kLargestCheck));
  return bytes;
}

/// The checked bytes as a file that can be run, gone at the end of the scope.
class CheckCopy {
 public:
  CheckCopy(const CheckCopy&) = delete;
  CheckCopy& operator=(const CheckCopy&) = delete;
  CheckCopy() = default;
  ~CheckCopy() {
    if (folder_) ::unlinkat(folder_.get(), kCopy, 0);
  }

  Result<> make(const fs::path& workspace, std::string_view bytes) {
    TRY_ASSIGN(folder_, open_folder(workspace));
    ::unlinkat(folder_.get(), kCopy, 0);  // of a ralph that was killed
    const UniqueFd fd(
        ::openat(folder_.get(), kCopy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700));
    const auto name = (workspace / kFolder / kCopy).native();
    if (!fd || ::fchmod(fd.get(), 0700) != 0) {
      return fail_errno(errno, fmt::format("cannot create '{}'", name));
    }
    return write_all(fd.get(), bytes, name);
  }

 private:
  UniqueFd folder_;
};

/// The NAMEs of `.ralph/NAME` in the commands, but for those that ralph itself writes.
std::set<std::string> named_in(const std::vector<std::string>& commands) {
  constexpr std::string_view kPrefix = ".ralph/";
  constexpr std::string_view kNameBytes =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  std::set<std::string> names;
  for (const auto& command : commands) {
    for (auto at = command.find(kPrefix); at != command.npos; at = command.find(kPrefix, at)) {
      at += kPrefix.size();
      const auto end = std::min(command.find_first_not_of(kNameBytes, at), command.size());
      names.insert(command.substr(at, end - at));
    }
  }
  for (const auto own : {"", ".", "..", "lock", kCheck, kCopy}) names.erase(own);
  return names;
}

/// Of the regular file `.ralph/NAME`; empty: there is none. A link is an error.
Result<std::string> digest_of_named(const fs::path& workspace, const std::string& name) {
  struct stat info{};
  const auto path = workspace / kFolder / name;
  if (::lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  TRY_ASSIGN(const auto folder, open_folder(workspace));
  const UniqueFd fd(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd && errno == ELOOP) {
    return fail(Code::config, fmt::format("'{}' is a symbolic link", path.native()),
                "verification names it: put the file itself there");
  }
  if (!fd) return fail_errno(errno, fmt::format("cannot open '{}'", path.native()));
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  TRY_ASSIGN(const auto bytes, read_fd(fd.get(), path.native(), kLargestCheck));
  return sha256_hex(bytes);
}

/// Lengths keep ["a", "b"] and ["ab"] apart.
std::string digest_of(const std::vector<std::string>& commands, std::string_view check_digest) {
  std::string all;
  for (const auto& command : commands) all += fmt::format("{}:{}\n", command.size(), command);
  return sha256_hex(all + "check " + std::string(check_digest));
}

std::string reason_of(const process::Exit& exit, Millis limit) {
  switch (exit.ended_by) {
    case process::EndedBy::wall: return "took longer than " + format_duration(limit);
    case process::EndedBy::stop_request: return "was stopped";
    default: break;
  }
  if (exit.exit_code) return fmt::format("exit code {}", *exit.exit_code);
  if (exit.signal) return fmt::format("ended by signal {}", *exit.signal);
  return "could not be watched to its end";
}

struct Listener {
  const std::function<void(std::string_view)>& on_output;
  const std::stop_token& stop;
};

/// False: it failed, and `verification` says how.
Result<bool> run_script(const Verifier::Place& place, const std::string& name,
                        const std::string& script, const Listener& listener,
                        Verification& verification) {
  Tail tail;
  const auto show = [&](std::string_view bytes) {
    tail.add(bytes);
    if (listener.on_output) listener.on_output(bytes);
  };
  process::Command command{
      .argv = {"/bin/sh", "-c", script}, .cwd = place.workspace, .env = place.env, .terminal = {}};
  if (place.wrap) {
    TRY_ASSIGN(command, place.wrap(std::move(command)));
  }
  TRY_ASSIGN(const auto ran,
             process::capture(command, {.wall = place.limit, .bytes = 0}, listener.stop, show));
  verification.duration += ran.exit.duration;
  if (ran.ok() && ran.exit.ended_by == process::EndedBy::nothing) return true;
  verification.command = name;
  verification.reason = reason_of(ran.exit, place.limit);
  verification.tail = tail.text();
  return false;
}

std::unexpected<Error> changed(std::string_view what, std::string_view name = kCheck) {
  return fail(Code::permission, fmt::format("'.ralph/{}' {} since the loop began", name, what),
              "look at what it does now before you let a loop go on with it");
}

}  // namespace

Result<Verifier> Verifier::make(Place place, std::vector<std::string> commands) {
  for (const auto& command : commands) {
    if (command.find_first_not_of(" \t\r\n") != command.npos) continue;
    return fail(Code::usage, "a command of verification is empty: it would always succeed");
  }
  Verifier verifier;
  TRY_ASSIGN(const auto check, read_check(place.workspace));
  if (check) {
    verifier.check_ = place.workspace / kFolder / kCheck;
    verifier.check_digest_ = sha256_hex(*check);
  }
  auto digests = verifier.check_digest_;
  for (const auto& name : named_in(commands)) {
    TRY_ASSIGN(auto digest, digest_of_named(place.workspace, name));
    digests += fmt::format("\n{} {}", name, digest);
    verifier.named_.push_back({name, std::move(digest)});
  }
  verifier.digest_ = digest_of(commands, digests);
  verifier.place_ = std::move(place);
  verifier.commands_ = std::move(commands);
  return verifier;
}

std::vector<std::string> Verifier::names() const {
  auto names = commands_;
  if (!check_.empty()) names.emplace_back(".ralph/check");
  return names;
}

Result<> Verifier::named_unchanged() const {
  for (const auto& [name, digest] : named_) {
    const auto now = digest_of_named(place_.workspace, name);
    if (!now) return changed("was replaced", name);
    if (*now == digest) continue;
    return changed(digest.empty() ? "was added"
                   : now->empty() ? "was removed"
                                  : "was changed",
                   name);
  }
  return {};
}

Result<Verification> Verifier::run(const std::function<void(std::string_view)>& on_output,
                                   std::stop_token stop) const {
  const auto check = read_check(place_.workspace);
  if (!check) return changed("was replaced");
  if (check->has_value() != !check_.empty()) return changed(*check ? "was added" : "was removed");
  if (*check && sha256_hex(**check) != check_digest_) return changed("was changed");

  Verification verification;
  const auto passes = [&](const std::string& name, const std::string& script) {
    return run_script(place_, name, script, {on_output, stop}, verification);
  };
  for (const auto& command : commands_) {
    TRY(named_unchanged());
    TRY_ASSIGN(const bool passed, passes(command, command));
    if (!passed) return verification;
  }
  if (*check) {
    CheckCopy copy;
    TRY(copy.make(place_.workspace, **check));
    TRY_ASSIGN(const bool passed,
               passes(".ralph/check", fmt::format("exec ./{}/{}", kFolder, kCopy)));
    if (!passed) return verification;
  }
  verification.passed = true;
  return verification;
}

}  // namespace ralph::loop
