#include "bench/trial/sources.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/core.h>

#include "bench/trial/case_node_impl.h"
#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "system/git/git.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// git::Program allows no protocol; `ext`, which runs commands, stays forbidden.
constexpr auto kProtocols =
    std::to_array<std::string_view>({"http", "https", "file", "ssh", "git"});

Words with_protocols(const Words& words) {
  Words all;
  for (const auto name : kProtocols) {
    all.insert(all.end(), {"-c", fmt::format("protocol.{}.allow=always", name)});
  }
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

/// git's message on one line.
std::string said(const process::Captured& captured) {
  std::string line;
  for (const char c : trim(captured.err.empty() ? captured.out : captured.err)) {
    const bool blank = kBlanks.contains(c);
    if (!blank || !line.ends_with(' ')) line += blank ? ' ' : c;
  }
  return line.empty() ? fmt::format("exit code {}", captured.exit.exit_code.value_or(-1)) : line;
}

/// git's own message behind ours.
Result<> ask(const git::Program& git, const Words& words, const std::string& what) {
  auto captured = git.run({.words = with_protocols(words)});
  if (!captured && captured.error().code == Code::limit) {
    return fail(Code::limit, fmt::format("{}: git took too long", what),
                "raise 'timeout' of the test case (milliseconds)");
  }
  if (!captured) {
    return fail(captured.error().code, fmt::format("{}: {}", what, captured.error().message),
                captured.error().hint);
  }
  if (captured->ok()) return {};
  if (captured->err.contains("No space left on device")) {
    return fail(Code::disk_full, fmt::format("{}: {}", what, said(*captured)),
                "free disk space, or set workspace_dir to a directory on another disk");
  }
  return fail(Code::unavailable, fmt::format("{}: {}", what, said(*captured)),
              "check the address, the branch and your access to the repository");
}

std::string clone_failed(const Source& source) {
  return fmt::format("Failed to clone repository '{}'", source.address);
}

git::Program in(const git::Program& git, const fs::path& folder) {
  auto there = git;
  there.pin(folder, folder / ".git");
  return there;
}

constexpr std::size_t kLargestGitFile = std::size_t{256} << 20;

/// Keeps the lines of a file of ours that `keep` accepts; a missing file is left missing.
template <typename Keep>
Result<> filter_lines(const Folder& folder, std::string_view name, Keep keep) {
  const auto text = folder.read(name, kLargestGitFile);
  if (!text && text.error().code == Code::not_found) return {};
  if (!text) return std::unexpected(text.error());
  std::string kept;
  for (std::string_view rest = *text; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (keep(line)) kept.append(line).append("\n");
  }
  if (kept == *text) return {};
  TRY(folder.remove(name));
  TRY_ASSIGN(const auto file, folder.create(name));
  return write_all(file.get(), kept, folder.path_of(name).native());
}

/// What `git remote remove origin` does, in a repository that git has just cloned; starting it takes 5 ms. The reflog names the
/// address too.
Result<> forget_origin(const fs::path& folder) {
  const auto git_folder = folder / ".git";
  TRY_ASSIGN(const auto opened, Folder::open(git_folder));
  bool in_section = false;
  TRY(filter_lines(opened, "config", [&](std::string_view line) {
    if (line.starts_with('[')) {
      in_section = line.starts_with("[remote ") || line.starts_with("[branch ");
    }
    return !in_section;
  }));
  TRY(filter_lines(opened, "packed-refs",
                   [](std::string_view line) { return !line.contains(" refs/remotes/"); }));
  std::error_code ignored;
  fs::remove_all(git_folder / "refs" / "remotes", ignored);
  fs::remove_all(git_folder / "logs", ignored);
  return {};
}

Words clone_words(const Source& source, const std::string& branch, const fs::path& folder) {
  Words words{"clone", "--quiet", "--template=", "--no-tags", "--single-branch", "--depth", "1"};
  if (!branch.empty()) words.insert(words.end(), {"--branch", branch});
  words.insert(words.end(), {"--", source.address, folder.native()});
  return words;
}

/// Everything the repository has, bare; the caller removes it.
Result<> clone_whole(const git::Program& git, const Source& source, const fs::path& folder) {
  Words words{"clone", "--quiet", "--template=", "--bare"};
  if (!source.branch.empty())
    words.insert(words.end(), {"--branch", source.branch, "--single-branch"});
  words.insert(words.end(), {"--", source.address, folder.native()});
  return ask(git, words, clone_failed(source));
}

Result<std::string> find_commit(const git::Program& git, const Source& source,
                                const fs::path& whole) {
  auto there = git;
  there.pin(whole, whole);
  const auto found = there.run({.words = {"rev-parse", "--verify", "--quiet", "--end-of-options",
                                          source.commit + "^{commit}"}});
  if (found && found->ok()) return std::string(trim(found->out));
  return fail(
      Code::not_found,
      fmt::format("Failed to checkout commit '{}': it is not in the repository{}", source.commit,
                  source.branch.empty() ? "" : fmt::format(" on branch '{}'", source.branch)),
      "check 'commit' and 'branch' of the test case");
}

/// The branch that a clone would be on.
std::string branch_of(const git::Program& git, const Source& source, const fs::path& whole) {
  if (!source.branch.empty()) return source.branch;
  auto there = git;
  there.pin(whole, whole);
  const auto name = there.ask_line({.words = {"symbolic-ref", "--short", "HEAD"}});
  return name ? *name : "main";
}

/// Takes only the commit and its ancestors out of a clone of the whole repository.
Result<std::string> clone_commit(const git::Program& git, const Source& source,
                                 const fs::path& folder) {
  const fs::path whole = folder.native() + ".whole";
  const auto take = [&]() -> Result<std::string> {
    TRY(clone_whole(git, source, whole));
    TRY_ASSIGN(auto commit, find_commit(git, source, whole));
    const auto branch = branch_of(git, source, whole);
    const auto failed = fmt::format("Failed to checkout commit '{}'", source.commit);
    TRY(ask(git, {"init", "--quiet", "--template=", "-b", branch, "--", folder.native()}, failed));
    const auto there = in(git, folder);
    TRY(ask(there,
            {"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--",
             "file://" + whole.native(), commit},
            failed));
    TRY(ask(there, {"reset", "--quiet", "--hard", commit}, failed));
    return commit;
  };
  auto taken = take();
  std::error_code ignored;
  fs::remove_all(whole, ignored);
  fs::remove_all(folder / ".git" / "logs", ignored);
  fs::remove(folder / ".git" / "ORIG_HEAD", ignored);
  return taken;
}

}  // namespace

Source source_of(const TestCase& test_case) {
  Source source{test_case.repo, test_case.branch, test_case.commit};
  if (source.address.contains("://") || source.address.contains('@')) return source;
  std::error_code error;
  const auto path = fs::weakly_canonical(case_folder(test_case.file) / source.address, error);
  if (!error) source.address = "file://" + fs::absolute(path, error).native();
  return source;
}

Result<std::string> clone_base(const git::Program& git, const Source& source,
                               const fs::path& folder) {
  if (!source.commit.empty()) return clone_commit(git, source, folder);
  TRY(ask(git, clone_words(source, source.branch, folder), clone_failed(source)));
  TRY(forget_origin(folder));
  TRY_ASSIGN(const auto head, git::read_head(folder));
  if (head && !head->commit.empty()) return head->commit;
  const auto commit = in(git, folder).ask_line({.words = {"rev-parse", "--verify", "HEAD"}});
  if (commit) return commit;
  return fail(Code::unavailable, clone_failed(source) + ": it has no commits",
              "commit what the agent should work on, or name a 'branch' that has commits");
}

Result<std::string> check_branch(const git::Program& git, const Source& source,
                                 const std::string& branch) {
  constexpr int kNoSuchRef = 2;
  const auto failed =
      fmt::format("Failed to clone expected branch '{}': {}", branch, clone_failed(source));
  const git::Call call{.words = with_protocols({"ls-remote", "--exit-code", "--", source.address,
                                                "refs/heads/" + branch})};
  const auto listed = git.run(call);
  if (listed && listed->exit.exit_code == kNoSuchRef) {
    return fail(Code::not_found, failed + ": there is no such branch",
                "check 'expected' of the test case");
  }
  if (listed && listed->ok()) return listed->out.substr(0, listed->out.find('\t'));
  return fail(Code::unavailable,
              fmt::format("{}: {}", failed, listed ? said(*listed) : listed.error().message),
              "check the address and your access to the repository");
}

Result<> clone_expected(const git::Program& git, const Source& source,
                        const ExpectedBranch& expected, const fs::path& folder) {
  const auto failed =
      fmt::format("Failed to clone expected branch '{}': {}", expected.name, clone_failed(source));
  TRY(ask(git, clone_words(source, expected.name, folder), failed));
  const auto head = git::read_head(folder);
  if (!head || !*head || (*head)->commit != expected.commit) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return fail(Code::permission,
                fmt::format("{}: the branch was moved while the agent ran", failed),
                "run the case again; an agent that can write to the repository needs --sandbox");
  }
  return forget_origin(folder);
}

std::string user_settings_digest() {
  const char* home = std::getenv("HOME");
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const auto folder = fs::path(home == nullptr ? "" : home);
  const auto settings = config == nullptr ? folder / ".config" : fs::path(config);
  std::string text;
  for (const auto& file :
       {folder / ".gitconfig", settings / "git" / "config", settings / "git" / "attributes"}) {
    text += read_file(file).value_or("") + '\0';
  }
  return sha256_hex(text);
}

}  // namespace ralph::trial
