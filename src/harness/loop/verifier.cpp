#include "harness/loop/verifier.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/text_tail.h"
#include "harness/loop/check_file.h"
#include "harness/loop/excerpt.h"
#include "harness/loop/file_identity.h"
#include "harness/run/file_watch.h"
#include "system/process/capture.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTail = std::size_t{8} << 10;

std::string reason_of(const process::Exit& exit, Millis limit) {
  switch (exit.ended_by) {
    case process::EndedBy::wall: return "took longer than " + format_duration(limit);
    case process::EndedBy::stop_request: return "was stopped";
    default: break;
  }
  if (exit.exit_code) return fmt::format("exit code {}", *exit.exit_code);
  if (exit.signal) return fmt::format("ended by signal {}", *exit.signal);
  return "its exit code is unknown";
}

struct Listener {
  const std::function<void(std::string_view)>& on_output;
  const std::stop_token& stop;
};

/// False: it failed, and `verification` says how.
Result<bool> run_script(const Verifier::Place& place, const std::string& name,
                        const std::string& script, const Listener& listener,
                        store::Verification& verification) {
  TextTail tail(kTail);
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
  verification.exit_code = ran.exit.exit_code;
  verification.tail = prompt_text(tail.text());
  return false;
}

}  // namespace

Result<Verifier> Verifier::make(Place place, std::vector<std::string> commands) {
  for (const auto& command : commands) {
    if (!is_blank(command)) continue;
    return fail(Code::usage, "a verification command is empty: it would always succeed");
  }
  TRY_ASSIGN(auto files, VerifierFiles::find(std::move(place), std::move(commands)));
  return Verifier(std::move(files));
}

/// What the directory must hold while a command runs: the scripts, whose number is stored, then the other files.
Result<std::vector<FileSwap::Wanted>> Verifier::wanted_in(const fs::path& folder, const Mode& mode,
                                                          std::size_t& scripts) const {
  auto wanted = files_.scripts();
  if (!mode.elsewhere.empty()) {
    std::erase_if(wanted, [&](const FileSwap::Wanted& script) {
      std::error_code ignored;
      return files_.is_installed(script.path) &&
             !fs::exists(fs::symlink_status(folder / script.path, ignored));
    });
  }
  scripts = wanted.size();
  std::set<std::string> known;
  for (const auto& script : wanted) known.insert(script.path);
  auto more = mode.files;
  if (mode.start != nullptr) {
    TRY_ASSIGN(auto files, mode.start->wanted(folder, mode.optional));
    std::ranges::move(files, std::back_inserter(more));
  }
  for (auto& file : more) {
    if (!known.contains(file.path)) wanted.push_back(std::move(file));
  }
  return wanted;
}

/// The files that the agent left in another version. In a clone, git's filters may have made the difference.
void Verifier::find_changed_files(const FileSwap& files,
                                  const std::vector<FileSwap::Wanted>& wanted, const Mode& mode,
                                  store::Verification& verification,
                                  std::string& old_scripts) const {
  std::map<std::string_view, const FileVersion*> versions;
  for (const auto& file : wanted) versions[file.path] = &file.version;
  for (const auto& path : files.changed()) {
    const auto& scripts = files_.scripts();
    const bool script = std::ranges::find(scripts, path, &FileSwap::Wanted::path) != scripts.end();
    if (script) old_scripts += fmt::format("{}'{}'", old_scripts.empty() ? "" : ", ", path);
    if (is_cache(path) ||
        (!mode.elsewhere.empty() && holds(files_.place().workspace, path, *versions[path]))) {
      continue;
    }
    const auto remedy =
        script ? fmt::format(" (--protect '!{}' lets the agent change it)", path) : "";
    verification.findings.push_back(
        {fmt::format("'{}' was changed; verification used the version of the loop's start{}", path,
                     remedy),
         {path}});
  }
}

/// One command, with the files of the start in place while it runs.
Result<bool> Verifier::run_one(const Place& place, const Mode& mode, bool first,
                               const std::function<Result<bool>()>& command,
                               store::Verification& verification) const {
  std::size_t scripts = 0;
  TRY_ASSIGN(auto wanted, wanted_in(place.workspace, mode, scripts));
  if (!first) allow_execution(place.workspace, std::span(wanted).first(scripts));
  TRY_ASSIGN(auto files, FileSwap::begin({place.workspace, place.root()}, wanted, mode.user));
  std::string old_scripts;
  auto seen = verification.findings;
  find_changed_files(files, wanted, mode, verification, old_scripts);
  if (!first) verification.findings = std::move(seen);
  // A command may reinstall its programs.
  std::erase_if(wanted, [&](const FileSwap::Wanted& file) {
    return is_cache(file.path) || files_.is_installed(file.path);
  });
  std::vector<std::string> paths;
  for (const auto& file : wanted) paths.push_back(file.path);
  auto watch = run::FileWatch::on(place.workspace, paths);
  if (!watch && first) verification.findings.push_back({describe(watch.error())});
  const auto passed = command();
  const auto written = watch ? watch->changed() : std::vector<std::string>();
  const bool intact = std::ranges::all_of(wanted, [&](const FileSwap::Wanted& file) {
    return holds(place.workspace, file.path, file.version);
  });
  TRY_ASSIGN(const auto kept, files.end());
  TRY(passed);
  const auto when = "during verification" + (kept.empty() ? "" : " (" + kept.front() + ")");
  if (!written.empty()) return changed("was written to", written.front(), when);
  if (!intact) return changed("was changed", "a protected file or a script", when);
  if (!*passed && !old_scripts.empty()) {
    verification.reason += fmt::format("; {} ran in the version of the loop's start", old_scripts);
  }
  return *passed;
}

Result<> Verifier::run_commands(const Place& place, const Mode& mode,
                                const std::function<void(std::string_view)>& on_output,
                                const std::stop_token& stop,
                                store::Verification& verification) const {
  const auto folder = ralph_files_in(place);
  const auto folder_same = [&]() -> Result<> {
    if (!files_.uses_ralph_files() || ralph_files_in(place) == folder) return {};
    return changed("was changed", "a file in .ralph", "during verification");
  };
  auto outside = files_.watch_outside();
  if (!outside) verification.findings.push_back({describe(outside.error())});
  const auto passes = [&](const std::string& name, const std::string& script) -> Result<bool> {
    TRY_ASSIGN(const bool passed, run_script(place, name, script, {on_output, stop}, verification));
    const auto written = outside ? outside->changed() : std::vector<std::string>();
    if (!written.empty()) return changed("was written to", written.front(), "during verification");
    TRY(files_.named_outside_unchanged());
    return passed;
  };
  bool first = true;
  for (const auto& command : files_.commands()) {
    TRY(files_.named_unchanged());
    TRY(folder_same());
    TRY_ASSIGN(const bool passed,
               run_one(place, mode, first, [&] { return passes(command, command); }, verification));
    if (!passed) return {};
    first = false;
  }
  if (files_.has_check()) {
    TRY(folder_same());
    const auto run_check = [&]() -> Result<bool> {
      CheckCopy copy;
      TRY(copy.make(place.root(), files_.check_bytes()));
      const auto file = fmt::format("{}/{}", kRalphFolder, kCheckCopy);
      auto copy_watch = run::FileWatch::on(place.root(), {file});
      const auto way = (place.root().lexically_relative(place.workspace) / file).lexically_normal();
      auto passed = passes(".ralph/check", fmt::format("exec ./{}", way.native()));
      if (copy_watch && !copy_watch->changed().empty()) {
        return changed("was written to", ".ralph/check", "while it ran");
      }
      return passed;
    };
    TRY_ASSIGN(const bool passed, run_one(place, mode, first, run_check, verification));
    if (!passed) return {};
  }
  TRY(folder_same());
  verification.passed = true;
  return {};
}

Result<store::Verification> Verifier::run(const std::function<void(std::string_view)>& on_output,
                                          const std::stop_token& stop, const Mode& mode) const {
  store::Verification verification;
  TRY(files_.unchanged(mode.start, verification.findings));
  auto place = files_.place();
  if (!mode.elsewhere.empty()) {
    place = {mode.elsewhere, mode.env, place.limit, mode.wrap, mode.elsewhere_root};
  }
  TRY(run_commands(place, mode, on_output, stop, verification));
  return verification;
}

}  // namespace ralph::loop
