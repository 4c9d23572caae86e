// Whether a DONE is true.
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/names.h"
#include "system/git/folder_scan.h"
#include "system/git/old_files.h"
#include "system/git/tree_files.h"
#include "harness/loop/clean_clone.h"
#include "harness/loop/command_files.h"
#include "harness/loop/loop_impl.h"
#include "harness/loop/verify_impl.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlain = "in the working tree";

FileVersion version_of(unsigned mode, std::string bytes) {
  using Kind = FileVersion::Kind;
  switch (mode) {
    case 0100644: return {Kind::file, std::move(bytes), 0644};
    case 0100755: return {Kind::file, std::move(bytes), 0755};
    case 0120000: return {Kind::link, std::move(bytes), 0};
    default: return {};
  }
}

}  // namespace

/// Each is told once, and is in the report.
void Loop::add_finding(std::string text) {
  if (std::ranges::find(findings_, text) != findings_.end()) return;
  note(stream::Level::warning, text);
  findings_.push_back(std::move(text));
}

/// What --protect and --verify-clean need is there before the first iteration.
Result<> Loop::prepare_verification() {
  const auto& options = setup_.options;
  TRY_ASSIGN(protect_, PathGlobs::make(options.protect));
  const auto* flag = options.verify_clean ? "--verify-clean" : "--protect";
  if ((options.verify_clean || !protect_.empty()) && (!git_ || state_.tree_at_start.empty())) {
    return fail(Code::usage, fmt::format("{} needs a git repository", flag),
                fmt::format("run 'git init' and commit, or leave {} out", flag));
  }
  if (options.verify_clean) {
    if (auto found = find_bubblewrap()) {
      bubblewrap_ = *std::move(found);
    } else {
      setup_.warnings.push_back(fmt::format(
          "verification runs in a clean clone, but with network and access to your files: {}",
          describe(found.error())));
    }
  }
  std::vector<std::string> free;
  for (auto& script : verifier_->scripts()) {
    if (protect_.excludes(script)) free.push_back(std::move(script));
  }
  verifier_->trust_scripts(free);
  // What git ignores was generated: the version of the start may be outdated.
  auto scripts = verifier_->scripts();
  std::erase_if(scripts, [&](const auto& path) { return verifier_->is_installed(path); });
  if (git_ && !scripts.empty()) {
    TRY_ASSIGN(const auto ignored,
               git::ignored_files(git_->program(), setup_.request.host.workspace, scripts));
    verifier_->trust_scripts(ignored);
  }
  auto recovered =
      FileSwap::recover({setup_.request.host.workspace, setup_.request.host.root()}, store_.user());
  if (!recovered.paths.empty()) {
    setup_.warnings.push_back(
        fmt::format("verification was interrupted: {} put back as the agent left {}",
                    join_names(recovered.paths), recovered.paths.size() == 1 ? "it" : "them"));
  }
  for (auto& warning : recovered.warnings) setup_.warnings.push_back(std::move(warning));
  return protect_.empty() ? Result<>() : read_protected();
}

/// What --protect and --verify-clean do, in one line.
std::string Loop::protection_notice() const {
  std::string text = "verification";
  if (const auto paths = start_files_.paths(); !paths.empty()) {
    text += fmt::format(" uses the current version of {}", join_names(paths));
    if (setup_.options.verify_clean) text += ", and";
  }
  if (setup_.options.verify_clean) text += " runs in a clean clone of the repository";
  return text == "verification" || verifier_->empty() ? std::string() : text;
}

/// Path in the workspace of a path of the repository; empty: it lies elsewhere.
std::string Loop::in_workspace(const std::string& path) const {
  const auto relative =
      (git_->root() / path).lexically_relative(setup_.request.host.workspace).native();
  return relative == ".." || relative.starts_with("../") ? std::string() : relative;
}

/// Reads the files of --protect. Says where it protects less than it seems to.
Result<> Loop::read_protected() {
  const auto& workspace = setup_.request.host.workspace;
  TRY_ASSIGN(start_files_, StartFiles::read(workspace, protect_));
  if (!start_files_.leading_out().empty()) {
    setup_.warnings.push_back(
        fmt::format("what protected links lead to outside of the workspace is not protected: {}",
                    join_names(start_files_.leading_out())));
  }
  const auto paths = start_files_.paths();
  for (const auto& pattern : setup_.options.protect) {
    if (pattern.starts_with('!')) continue;
    TRY_ASSIGN(const auto glob, PathGlobs::make({pattern}));
    if (std::ranges::any_of(paths, [&](const auto& path) { return glob.matches(path); })) continue;
    setup_.warnings.push_back(fmt::format("--protect '{}' matches no file yet", pattern));
  }
  if (paths.empty()) return {};
  if (auto ignored = git::ignored_files(git_->program(), workspace, paths)) {
    not_in_git_ = {ignored->begin(), ignored->end()};
  }
  return {};
}

/// A loop that is resumed has the files of its start from git, and knows by their digest whether these are they.
Result<> Loop::recover_protected() {
  if (protect_.empty() || start_files_.digest() == state_.protected_digest) return {};
  const auto now = content();
  if (now.empty()) return fail(Code::unavailable, "the files of the start cannot be read");
  TRY_ASSIGN(const auto files, git::tree_differences(git_->program(), state_.tree_at_start, now));
  for (const auto& file : files) {
    const auto path = in_workspace(file.path);
    if (path.empty() || !start_files_.matches(path) || file.old_mode == 0160000) continue;
    std::string bytes;
    if (file.old_mode != 0) {
      TRY_ASSIGN(bytes, git::read_blob(git_->program(), file.old_id));
    }
    start_files_.put(path, version_of(file.old_mode, std::move(bytes)));
  }
  for (const auto& path : not_in_git_) {
    const bool old = git::born_before(setup_.request.host.workspace / path, state_.started);
    if (!old) start_files_.put(path, {});
  }
  if (start_files_.digest() == state_.protected_digest || setup_.options.accept_changes) return {};
  return fail(Code::usage,
              "files of --protect were changed since the loop began, and git does not have their "
              "versions of then",
              "put them back, or say '--resume --accept-changes' to go on with what is there");
}

Result<Verification> Loop::verify_in_clone(const std::string& tree) {
  const auto& host = setup_.request.host;
  TRY_ASSIGN(const auto clone,
             CleanClone::make({*git_, host.workspace, host.root(), state_.commit_at_start, tree}));
  auto mode = clone.mode(backend::environment_changes(host), bubblewrap_);
  mode.start = &start_files_;
  mode.optional = not_in_git_;
  auto verification =
      verifier_->run([&](std::string_view bytes) { observer_.output_of_verification(bytes); },
                     control_.runs().token(), mode);
  if (verification) {
    verification->where =
        bubblewrap_.empty() ? "in a clean clone" : "in a clean clone without network";
  }
  return verification;
}

Result<Verification> Loop::verify_in_place() {
  Verifier::Mode mode;
  mode.user = store_.user();
  mode.start = &start_files_;
  auto verification =
      verifier_->run([&](std::string_view bytes) { observer_.output_of_verification(bytes); },
                     control_.runs().token(), mode);
  if (verification) verification->where = kPlain;
  return verification;
}

/// nullopt: DONE was refused, and the loop goes on.
Loop::Over Loop::verify(Record& record) {
  const bool unchanged = !record.tree.empty() && record.tree == state_.tree_at_start;
  auto over = verifier_->empty() ? Over(LoopStop{StopReason::done}) : run_verification(record);
  if (!over || over->end != StopReason::done || !unchanged) return over;
  if (verifier_->empty()) {
    over = LoopStop{StopReason::unchanged};
    record.outcome = LoopDecision::unchanged;
  } else {
    findings_.emplace_back("no file was changed: verification passes without a change");
  }
  return over;
}

/// A file of the start that commands of verification changed is not the one they verified. Others may be what they
/// make: caches, logs. The record gets the tree that verification left.
Result<> Loop::check_not_changed_meanwhile(Record& record) {
  if (record.tree.empty()) return {};
  const auto verified = std::exchange(record.tree, content());
  if (!tampered_.empty()) return fail(Code::permission, tampered_);
  if (!git_ || record.tree == verified) return {};
  TRY_ASSIGN(const auto changes, git_->changes(verified, record.tree));
  std::vector<std::string> all, paths, others;
  for (const auto& change : changes) {
    if (change.kind != 'A') all.push_back(change.path);
  }
  if (all.empty()) return {};
  TRY_ASSIGN(const auto known, git::paths_in_tree(git_->program(), state_.tree_at_start, all));
  for (auto& path : all) (known.contains(path) ? paths : others).push_back(std::move(path));
  if (!others.empty()) {
    add_finding(fmt::format("changed during verification: {}", join_names(others)));
  }
  if (paths.empty()) return {};
  return fail(Code::busy,
              fmt::format("files were changed during verification: {} (a log that 'tee' writes "
                          "belongs outside of the workspace, or into .gitignore)",
                          join_names(paths)));
}

Loop::Over Loop::run_verification(Record& record) {
  if (state_.current) state_.current->phase = Phase::verify;
  if (auto saved = save(); !saved) storage_ = saved.error();
  observer_.verifying(verifier_->names());
  observer_.flush();
  const bool clean = setup_.options.verify_clean;
  auto verification = clean ? verify_in_clone(record.tree) : verify_in_place();
  const auto over = [&](std::string why) {
    record.outcome = LoopDecision::tampered;
    return LoopStop{StopReason::tampered, std::move(why)};
  };
  if (!verification) return over(describe(verification.error()));
  for (auto& finding : verification->findings) add_finding(std::move(finding));
  verification->findings.clear();
  if (control_.runs().cancelled_by() != 0) {
    const int signal = control_.runs().cancelled_by();
    return LoopStop{StopReason::stopped, stopped_by(signal), 128 + signal};
  }
  if (verification->passed) {
    const auto same = check_not_changed_meanwhile(record);
    if (!tampered_.empty()) return over(tampered_);
    if (!same) {
      verification->passed = false;
      verification->command = verifier_->names().front();
      verification->reason = same.error().message;
    }
  }
  verification->commands = verifier_->names();
  observer_.verified(*verification);
  record.verification = *std::move(verification);
  if (record.verification->passed) return LoopStop{StopReason::done};
  record.outcome = LoopDecision::refused;
  return std::nullopt;
}

/// Tests and build files that are not what they were, unless a finding names them already.
void Loop::report_tests(const std::vector<git::FileChange>& files) {
  std::vector<std::string> tests, builds;
  const auto is_named = [&](const std::string& path) {
    const auto quoted = fmt::format("'{}'", path);
    return std::ranges::any_of(findings_, [&](const auto& text) { return text.contains(quoted); });
  };
  for (const auto& file : files) {
    if (is_named(file.path)) continue;
    if (is_test_file(file.path)) {
      tests.push_back(file.path);
    } else if (is_build_file(file.path)) {
      builds.push_back(file.path);
    }
  }
  const auto add = [&](std::string_view kind, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    findings_.push_back(fmt::format("{} changed: {}",
                                    counted(std::ssize(paths), fmt::format("{} file", kind)),
                                    join_names(paths)));
  };
  add("test", tests);
  add("build", builds);
}

/// Work that no commit of ours holds. Of an ignored repository nobody expects that.
void Loop::report_inner_repositories() {
  auto found =
      git::changed_repositories(git_->root(), state_.files_before.value_or(state_.started));
  if (found.empty()) return;
  if (const auto ignored = git::ignored_files(git_->program(), git_->root(), found)) {
    std::erase_if(found, [&](const std::string& path) {
      return std::ranges::find(*ignored, path) != ignored->end();
    });
  }
  if (found.empty()) return;
  findings_.push_back(
      fmt::format("files changed in {}: {} of {} own, whose files are in no commit of this loop",
                  join_names(found), found.size() == 1 ? "a repository" : "repositories",
                  found.size() == 1 ? "its" : "their"));
}

}  // namespace ralph::loop
