#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/process/capture.h"
#include "system/process/command.h"

namespace ralph::git {

/// One call of git.
struct Call {
  std::vector<std::string> words;            // "write-tree"
  std::string input = {};                    // its stdin
  std::filesystem::path index = {};          // instead of the user's
  std::vector<process::EnvChange> env = {};  // beside what every call gets
};

/// The time limit of a call, and the stop token that ends it. A call that changes something of the user's has no time limit: ended in
/// its middle it would leave a lock, or half of its work. `stop` ends the call that runs when the stop is requested; a later one
/// may take five seconds.
struct CallLimits {
  Millis timeout{120'000};  // zero: none
  std::stop_token stop = {};
};

/// Whether a subcommand writes to the repository or to the directory.
bool changes_something(std::string_view subcommand);

/// The `git` program, and the repository it works on. Of our environment's GIT_* it gets only what says who the
/// user is and where his settings are; programs that git could start by itself are switched off.
class Program {
 public:
  /// Code::not_found: it is not installed. Relative directories of PATH, which could be the agent's, do not count.
  static Result<Program> find();

  /// From now on it looks for no repository, wherever `.git` leads by then.
  void pin(std::filesystem::path root, std::filesystem::path git_folder);
  /// Every call goes through this, which puts it into a sandbox. Empty: none.
  using Wrap = std::function<Result<process::Command>(process::Command)>;
  void wrap_with(Wrap wrap) { wrap_ = std::move(wrap); }
  /// Where it starts: the repository's root, once pinned.
  void set_limits(CallLimits limits) { limits_ = std::move(limits); }
  void start_in(std::filesystem::path folder) { root_ = std::move(folder); }
  /// From now on no setting of the user or of the machine has a say: an agent may have written them.
  void ignore_user_settings() { ignores_user_settings_ = true; }

  /// An error: git could not be started, or had to be ended. An exit code other than 0 is not an error here.
  Result<process::Captured> run(const Call& call) const;
  /// The output. An exit code other than 0 is an error that quotes git.
  Result<std::string> ask(const Call& call) const;
  /// The same for one id, name or path: without the newline at its end.
  Result<std::string> ask_line(const Call& call) const;
  /// The error of a call that failed, with git's message.
  Error explain(const Call& call, const process::Captured& captured) const;

  const std::filesystem::path& root() const { return root_; }
  const std::filesystem::path& git_folder() const { return git_folder_; }

 private:
  process::Command command(const Call& call) const;

  Millis timeout_of(const Call& call) const;

  std::string path_;
  CallLimits limits_;
  std::filesystem::path root_, git_folder_;
  Wrap wrap_;
  bool ignores_user_settings_ = false;
};

}  // namespace ralph::git
