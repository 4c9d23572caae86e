#include "harness/loop/workspace_verifier.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/names.h"
#include "core/base/shell_words.h"
#include "harness/backend/plan.h"
#include "harness/loop/clone_mode.h"
#include "harness/loop/command_programs.h"
#include "harness/loop/file_recovery.h"
#include "harness/run/sandbox.h"
#include "system/git/old_files.h"
#include "system/git/tree_files.h"

namespace ralph::loop {
namespace {

constexpr std::string_view kShellBuiltins =
    "for case select function while until if then do ! } test [ [[ cd true false . source exec "
    "export set unset eval command type ulimit umask wait "
    "trap echo printf read readonly alias unalias hash shift shopt builtin getopts break "
    "continue "
    "jobs fg bg kill pwd pushd popd dirs times mapfile enable caller exit return : let local "
    "declare time ( {";

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

Result<> WorkspaceVerifier::open() {
  const auto& host = setup_.request.host;
  TRY_ASSIGN(auto wrap, run::sandbox_for_commands(host));
  TRY_ASSIGN(verifier_, Verifier::make({host.workspace, backend::environment_changes(host),
                                        setup_.options.verify_limit, std::move(wrap), host.root()},
                                       setup_.options.verify));
  check_programs();
  return {};
}

/// A command with a typing error fails only after the first iterations are paid for.
void WorkspaceVerifier::check_programs() {
  for (const auto& text : setup_.options.verify) {
    const auto line = parse_shell_line(text);
    if (!line.understood || line.commands.empty()) continue;
    const auto words = unwrap(line.commands.front().words).words;
    if (words.empty() || !words.front().literal) continue;
    const auto& name = words.front().text;
    if (name.contains('/') || has_word(kShellBuiltins, name)) continue;
    if (backend::find_program(name, setup_.request.host)) continue;
    missing_[text] = name;
    reporter_.warn_at_start(fmt::format(
        "the program '{}' of the verification command '{}' was not found in PATH", name, text));
  }
}

/// Scripts that --protect excludes, and those that git ignores: they were generated, and the version of the start may
/// be outdated.
Result<> WorkspaceVerifier::trust_scripts() {
  std::vector<std::string> excluded;
  for (auto& script : verifier_->files().script_paths()) {
    if (protect_.excludes(script)) excluded.push_back(std::move(script));
  }
  verifier_->files().trust_scripts(excluded);
  auto scripts = verifier_->files().script_paths();
  std::erase_if(scripts, [&](const auto& path) { return verifier_->files().is_installed(path); });
  if (repository_.git() == nullptr || scripts.empty()) return {};
  TRY_ASSIGN(const auto ignored, git::ignored_files(repository_.git()->program(),
                                                    setup_.request.host.workspace, scripts));
  verifier_->files().trust_scripts(ignored);
  return {};
}

Result<> WorkspaceVerifier::prepare(const store::UserState* user) {
  user_ = user;
  const auto& options = setup_.options;
  const auto& host = setup_.request.host;
  TRY_ASSIGN(protect_, git::PathGlobs::make(options.protect));
  const bool needs_git = options.verify_clean || !protect_.empty();
  if (needs_git && (repository_.git() == nullptr || state_.tree_at_start.empty())) {
    const auto* flag = options.verify_clean ? "--verify-clean" : "--protect";
    return fail(Code::usage, fmt::format("{} needs a git repository", flag),
                fmt::format("run 'git init' and commit, or omit {}", flag));
  }
  if (options.verify_clean) {
    if (auto found = run::find_bubblewrap()) {
      bubblewrap_ = *std::move(found);
    } else {
      reporter_.warn_at_start(fmt::format(
          "verification runs in a clean clone, but with network and access to your files: {}",
          describe(found.error())));
    }
  }
  TRY(trust_scripts());
  auto recovered = recover_files({host.workspace, host.root()}, user);
  if (!recovered.paths.empty()) {
    reporter_.warn_at_start(
        fmt::format("verification was interrupted: {} put back as the agent left {}",
                    join_names(recovered.paths), recovered.paths.size() == 1 ? "it" : "them"));
  }
  for (auto& warning : recovered.warnings) reporter_.warn_at_start(std::move(warning));
  return protect_.empty() ? Result<>() : read_protected();
}

std::string WorkspaceVerifier::notice() const {
  const bool clean = setup_.options.verify_clean;
  if (!clean && protect_.empty()) return verifier_->files().notice();
  auto paths = start_files_.paths();
  if (!clean) {
    for (auto& path : verifier_->files().kept_paths()) {
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  if (verifier_->files().empty() || (!clean && paths.empty())) return {};
  std::string text = "verification";
  if (!paths.empty()) text += fmt::format(" uses the current version of {}", join_names(paths));
  if (!paths.empty() && clean) text += ", and";
  if (clean) text += " runs in a clean clone of the repository";
  return text;
}

/// Path in the workspace of a path of the repository; empty: it lies elsewhere.
std::string WorkspaceVerifier::in_workspace(const std::string& path) const {
  const auto relative =
      (repository_.git()->root() / path).lexically_relative(setup_.request.host.workspace).native();
  return relative == ".." || relative.starts_with("../") ? std::string() : relative;
}

/// Reads the files of --protect. Says where it protects less than it seems to.
Result<> WorkspaceVerifier::read_protected() {
  const auto& workspace = setup_.request.host.workspace;
  TRY_ASSIGN(start_files_, StartFiles::read(workspace, protect_));
  if (!start_files_.leading_out().empty()) {
    reporter_.warn_at_start(
        fmt::format("the targets of protected links outside the workspace are not protected: {}",
                    join_names(start_files_.leading_out())));
  }
  const auto paths = start_files_.paths();
  for (const auto& pattern : setup_.options.protect) {
    if (pattern.starts_with('!')) continue;
    TRY_ASSIGN(const auto glob, git::PathGlobs::make({pattern}));
    if (std::ranges::any_of(paths, [&](const auto& path) { return glob.matches(path); })) continue;
    reporter_.warn_at_start(fmt::format("--protect '{}' matches no file yet", pattern));
  }
  if (paths.empty()) return {};
  if (auto ignored = git::ignored_files(repository_.git()->program(), workspace, paths)) {
    not_in_git_ = {ignored->begin(), ignored->end()};
  }
  return {};
}

Result<> WorkspaceVerifier::recover_protected() {
  if (protect_.empty() || start_files_.digest() == state_.protected_digest) return {};
  const auto now = repository_.content();
  if (now.empty()) return fail(Code::unavailable, "the files of the start cannot be read");
  const auto& program = repository_.git()->program();
  TRY_ASSIGN(const auto files, git::tree_differences(program, state_.tree_at_start, now));
  for (const auto& file : files) {
    const auto path = in_workspace(file.path);
    if (path.empty() || !start_files_.matches(path) || file.old_mode == 0160000) continue;
    std::string bytes;
    if (file.old_mode != 0) {
      TRY_ASSIGN(bytes, git::read_blob(program, file.old_id));
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
              "original versions",
              "restore them, or use '--resume --accept-changes' to accept the current files");
}

/// The program that a failed command needs, and that was there neither at the start nor now; empty: none.
std::string WorkspaceVerifier::missing_program(const store::Verification& verification) const {
  const auto known = missing_.find(verification.command);
  if (verification.passed || known == missing_.end()) return {};
  const bool not_run = verification.exit_code == 126 || verification.exit_code == 127;
  if (!not_run || backend::find_program(known->second, setup_.request.host)) return {};
  return known->second;
}

Result<store::Verification> WorkspaceVerifier::run(const Verifier::Mode& mode,
                                                   std::string_view where) {
  auto& observer = reporter_.observer();
  auto verification =
      verifier_->run([&](std::string_view bytes) { observer.output_of_verification(bytes); },
                     control_.runs().token(), mode);
  if (verification) {
    verification->where = where;
    verification->missing_program = missing_program(*verification);
  }
  return verification;
}

Result<store::Verification> WorkspaceVerifier::verify_in_clone(const std::string& tree) {
  const auto& host = setup_.request.host;
  const CloneSource source{*repository_.git(), host.workspace, host.root(), state_.commit_at_start,
                           tree};
  TRY_ASSIGN(const auto clone, make_clone(source));
  TRY_ASSIGN(auto mode,
             mode_in_clone(clone, source, backend::environment_changes(host), bubblewrap_));
  mode.start = &start_files_;
  mode.optional = not_in_git_;
  return run(mode, bubblewrap_.empty() ? "in a clean clone" : "in a clean clone without network");
}

Result<store::Verification> WorkspaceVerifier::verify_in_place() {
  Verifier::Mode mode;
  mode.user = user_;
  mode.start = &start_files_;
  return run(mode, "in the working tree");
}

Result<store::Verification> WorkspaceVerifier::verify(const std::string& content) {
  return setup_.options.verify_clean ? verify_in_clone(content) : verify_in_place();
}

}  // namespace ralph::loop
