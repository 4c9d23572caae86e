#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/time.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "git/work.h"
#include "json/writer.h"
#include "loop/state.h"
#include "store/workspace.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kShortId = 10;
constexpr std::size_t kMostSubject = 60;

std::string short_id(std::string_view commit) { return std::string(commit.substr(0, kShortId)); }

/// What one iteration did to the branch.
struct Step {
  std::string before, after;  // commits; `before` may be empty: not known
};

/// The loop of this folder, and what it committed.
struct Past {
  loop::State state;
  std::vector<Step> steps;  // the oldest first
};

struct Wish {
  bool all = false, include_others = false;
};

/// What is to be done, and then what was.
struct Undo {
  std::string from, to;  // commits
  std::int64_t commits = 0;
  std::int64_t others = 0;  // among them, made between the iterations
  std::string kept;         // the ref
};

Result<Past> read_past(StdOutput& output) {
  const loop::Files files(std::filesystem::current_path());
  std::string warning;
  auto state = files.peek(warning);
  if (!warning.empty()) warn(warning, output);
  if (!state) {
    return fail(Code::not_found, "no loop has run in this folder",
                "go to the folder 'ralph loop' was started in");
  }
  std::int64_t bad = 0;
  TRY_ASSIGN(const auto records, files.records(bad));
  if (bad > 0) warn(fmt::format("{} lines of its progress cannot be read", bad), output);
  Past past{*std::move(state), {}};
  for (const auto& record : records) {
    if (!record.commit.empty()) past.steps.push_back({record.commit_before, record.commit});
  }
  if (past.steps.empty()) {
    return fail(Code::not_found, "the loop of this folder has made no commit");
  }
  return past;
}

Result<git::Work> open_work() {
  std::string why_not;
  TRY_ASSIGN(auto work, git::Work::open(std::filesystem::current_path(), why_not));
  if (!work) return fail(Code::not_found, why_not);
  return *std::move(work);
}

Result<> refuse_dirty(const git::Work& work) {
  TRY_ASSIGN(const auto dirty, work.dirty());
  if (dirty.empty()) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(dirty.size(), kMostNamed); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", dirty[i]);
  }
  return fail(Code::usage,
              fmt::format("there are changes that are not committed: {}{}", names,
                          dirty.size() > kMostNamed ? " …" : ""),
              "commit them, or put them aside with 'git stash -u', then undo");
}

/// The branch stands where an iteration left it; which.
Result<Step> step_at_head(const git::Work& work, const Past& past) {
  TRY_ASSIGN(const auto head, work.head());
  const auto newest = past.steps.rbegin();
  const auto step = std::ranges::find(newest, past.steps.rend(), head, &Step::after);
  if (step != past.steps.rend()) return *step;
  if (!head.empty() && head == past.state.commit_at_start) {
    return fail(Code::usage, "every commit of the loop is taken back already",
                "'git for-each-ref refs/ralph' lists what is kept");
  }
  return fail(Code::usage,
              fmt::format("the branch stands at {}, which is no commit of the loop (its last one "
                          "is {})",
                          head.empty() ? "no commit" : short_id(head), short_id(newest->after)),
              "take that back first, or use 'git revert' for a single commit");
}

/// Where the branch was before an iteration; empty: there was no commit yet.
Result<std::string> before(const git::Work& work, const Step& step) {
  if (!step.before.empty()) return step.before;
  return work.parent(step.after);
}

Result<Undo> plan_last(const git::Work& work, const Past& past) {
  TRY_ASSIGN(const auto step, step_at_head(work, past));
  TRY_ASSIGN(const auto to, before(work, step));
  if (to.empty()) {
    return fail(Code::usage,
                fmt::format("{} is the first commit of the repository: there is nothing to go "
                            "back to",
                            short_id(step.after)));
  }
  TRY_ASSIGN(const auto commits, work.commits_between(to, step.after));
  return Undo{step.after, to, std::ssize(commits)};
}

/// Of `commits`, those that came between two iterations; the newest first.
Result<std::vector<std::string>> made_by_others(const git::Work& work, const Past& past,
                                                const std::vector<std::string>& commits) {
  std::vector<std::string> others;
  auto at = past.state.commit_at_start;
  for (const auto& step : past.steps) {
    // One that was undone, and is not on the branch.
    if (std::ranges::find(commits, step.after) == commits.end()) continue;
    TRY_ASSIGN(const auto from, before(work, step));
    if (from != at && !from.empty()) {
      TRY_ASSIGN(const auto gap, work.commits_between(at, from));
      others.insert(others.begin(), gap.begin(), gap.end());
    }
    at = step.after;
  }
  return others;
}

Result<> refuse_others(const git::Work& work, const std::vector<std::string>& others) {
  TRY_ASSIGN(const auto subject, work.subject(others.back()));
  return fail(Code::usage,
              fmt::format("{} not the loop's {} among its own; the first is {} '{}'",
                          others.size() == 1 ? "1 commit that is"
                                             : fmt::format("{} commits that are", others.size()),
                          others.size() == 1 ? "lies" : "lie", short_id(others.back()),
                          utf8::shortened(subject, kMostSubject)),
              "to take back those too: --include-others; to go back step by step: 'ralph undo'");
}

Result<Undo> plan_all(const git::Work& work, const Past& past, bool include_others) {
  TRY_ASSIGN(const auto step, step_at_head(work, past));
  const auto& start = past.state.commit_at_start;
  if (start.empty()) {
    return fail(Code::usage, "the repository had no commit when the loop began",
                "there is nothing to go back to; 'ralph undo' takes back the commits after the "
                "first");
  }
  TRY_ASSIGN(const auto commits, work.commits_since(start));
  TRY_ASSIGN(const auto others, made_by_others(work, past, commits));
  if (!others.empty() && !include_others) TRY(refuse_others(work, others));
  return Undo{step.after, start, std::ssize(commits), std::ssize(others)};
}

Result<Undo> undo(const Wish& wish, StdOutput& output) {
  // Who has no loop here gets no folder .ralph.
  TRY(read_past(output));
  const auto workspace = store::Workspace::at(std::filesystem::current_path());
  TRY_ASSIGN(const auto lock, store::Lock::take(workspace.lock_file(), "ralph undo"));
  TRY_ASSIGN(const auto past, read_past(output));
  TRY_ASSIGN(auto work, open_work());
  work.leave_alone_before(past.state.started);
  TRY_ASSIGN(auto undo,
             wish.all ? plan_all(work, past, wish.include_others) : plan_last(work, past));
  TRY(refuse_dirty(work));
  const auto name = fmt::format("undone-{}-{}", compact_utc(now_utc()), short_id(undo.from));
  TRY_ASSIGN(const auto branch, work.branch());
  TRY_ASSIGN(undo.kept, work.reset_to(undo.to, name, branch));
  return undo;
}

std::string as_json(const Undo& undo) {
  std::string text;
  json::ObjectWriter(text)
      .text("from", undo.from)
      .text("to", undo.to)
      .number("commits", undo.commits)
      .number("others", undo.others)
      .text("kept", undo.kept)
      .close();
  return text + "\n";
}

std::string as_text(const Undo& undo) {
  const auto what =
      undo.commits == 1 ? "commit " + short_id(undo.from) : fmt::format("{} commits", undo.commits);
  const auto others =
      undo.others == 0 ? "" : fmt::format(" ({} of them not the loop's)", undo.others);
  return fmt::format(
      "took back {}{}; the branch is at {} again\nto get it back: git reset --hard {}\n", what,
      others, short_id(undo.to), undo.kept);
}

int undo_command(const Arguments& arguments, StdOutput& output) {
  const Wish wish{arguments.flag("all"), arguments.flag("include-others")};
  if (wish.include_others && !wish.all) {
    return report({Code::usage, "--include-others is for --all", "ralph undo --help"}, output);
  }
  const auto done = undo(wish, output);
  if (!done) return report(done.error(), output);
  output.out(arguments.flag("json") ? as_json(*done) : as_text(*done));
  return 0;
}

constexpr Option kOptions[] = {
    {"--all", "", "all commits of the loop: back to where it began"},
    {"--include-others", "", "with --all: also commits that were made between the iterations"},
    {"--json", "", "what was done, as one JSON object"},
};
constexpr Example kExamples[] = {
    {"ralph undo", "the last iteration is taken back"},
    {"ralph undo --all", "the branch and the files are as before the loop"},
};

}  // namespace

constinit const Command kUndoCommand{
    "undo",
    "take back the last iteration that the loop in this folder committed",
    "The branch and the files go back to where they were before it, also when the agent made "
    "commits\n"
    "itself. Only when the branch stands at a commit of the loop, nothing is uncommitted and no "
    "loop\n"
    "runs. What was there is kept under refs/ralph/, and the way back is printed. Called again, "
    "it\n"
    "takes back the one before that.",
    {},
    kOptions,
    kExamples,
    undo_command,
};

}  // namespace ralph::cli
