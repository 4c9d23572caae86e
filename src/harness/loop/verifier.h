#pragma once
#include <filesystem>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/loop/verifier_files.h"

namespace ralph::loop {

/// Runs the commands that decide whether DONE is true, as they were before the start: `sh -c` each, in the workspace, and
/// `.ralph/check` when it is an executable file. Scripts of the workspace are run in their version of the start.
class Verifier {
 public:
  using Place = VerifierPlace;
  static Result<Verifier> make(Place place, std::vector<std::string> commands);

  const VerifierFiles& files() const { return files_; }
  VerifierFiles& files() { return files_; }

  /// How one run differs from the plain one.
  struct Mode {
    std::vector<FileSwap::Wanted> files = {};   // versions to verify with, beside the scripts
    const StartFiles* start = nullptr;          // files of --protect
    std::set<std::string> optional = {};        // of those: left out where they are missing
    std::filesystem::path elsewhere = {};       // run there instead of in the workspace
    std::filesystem::path elsewhere_root = {};  // with this one's `.ralph`
    std::vector<process::EnvChange> env = {};   // there; instead of that of the place
    std::function<Result<process::Command>(process::Command)> wrap = {};  // there
    const store::UserState* user =
        nullptr;  // stores the list of swapped files; null: a crash loses it
  };
  /// Runs them in order until one fails; nothing of a command is left running. Code::permission: `.ralph/check`, a file
  /// in `.ralph/` or a program is not what it was at the start, or a script was written to during the run. `on_output`
  /// gets their output as it arrives.
  Result<store::Verification> run(const std::function<void(std::string_view)>& on_output,
                                  const std::stop_token& stop, const Mode& mode) const;
  Result<store::Verification> run(const std::function<void(std::string_view)>& on_output,
                                  const std::stop_token& stop) const {
    return run(on_output, stop, Mode());
  }

 private:
  explicit Verifier(VerifierFiles files) : files_(std::move(files)) {}
  Result<std::vector<FileSwap::Wanted>> wanted_in(const std::filesystem::path& folder,
                                                  const Mode& mode, std::size_t& scripts) const;
  void find_changed_files(const FileSwap& files, const std::vector<FileSwap::Wanted>& wanted,
                          const Mode& mode, store::Verification& verification,
                          std::string& old_scripts) const;
  Result<bool> run_one(const Place& place, const Mode& mode, bool first,
                       const std::function<Result<bool>()>& command,
                       store::Verification& verification) const;
  Result<> run_commands(const Place& place, const Mode& mode,
                        const std::function<void(std::string_view)>& on_output,
                        const std::stop_token& stop, store::Verification& verification) const;

  VerifierFiles files_;
};

}  // namespace ralph::loop
