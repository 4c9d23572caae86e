#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "loop/record.h"
#include "process/command.h"

namespace ralph::loop {

/// The commands that decide whether DONE is true, as they were before the start: `sh -c` each, in the workspace, and
/// `.ralph/check` when it is an executable file.
class Verifier {
 public:
  struct Place {
    std::filesystem::path workspace;
    std::vector<process::EnvChange> env;
    Millis limit{0};  // of each command; zero: none
    /// Puts each command into a sandbox; empty: there is none.
    std::function<Result<process::Command>(process::Command)> wrap = {};
  };
  static Result<Verifier> make(Place place, std::vector<std::string> commands);

  bool empty() const { return commands_.empty() && check_.empty(); }
  /// For the prompt and for people; `.ralph/check` by its name.
  std::vector<std::string> names() const;
  /// Of the commands' text, the content of `.ralph/check` and of the files `.ralph/NAME` that the commands name.
  const std::string& digest() const { return digest_; }

  /// Runs them in order until one fails; nothing of a command is left running. Code::permission: `.ralph/check` or a file
  /// `.ralph/NAME` that a command names is not what it was at the start. `on_output` gets what they print, as it comes.
  Result<Verification> run(const std::function<void(std::string_view)>& on_output,
                           std::stop_token stop) const;

 private:
  struct NamedFile {
    std::string name, digest;  // digest empty: there is no such file
  };
  Result<> named_unchanged() const;

  Place place_;
  std::vector<std::string> commands_;
  std::filesystem::path check_;  // empty: there is none
  std::vector<NamedFile> named_;
  std::string check_digest_, digest_;
};

}  // namespace ralph::loop
