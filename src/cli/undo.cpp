#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/time.h"
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

std::string short_id(std::string_view commit) { return std::string(commit.substr(0, kShortId)); }

/// The loop of this folder, and the commits it made.
struct Past {
  loop::State state;
  std::vector<std::string> commits;  // the oldest first
};

/// What is to be done, and then what was.
struct Undo {
  std::string from, to;  // commits
  std::int64_t commits = 0;
  std::int64_t others = 0;  // among them, not made by the loop itself
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
    if (!record.commit.empty()) past.commits.push_back(record.commit);
  }
  if (past.commits.empty()) {
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

/// The branch stands at a commit of the loop; which.
Result<std::string> head_of_loop(const git::Work& work, const Past& past) {
  TRY_ASSIGN(const auto head, work.head());
  if (std::ranges::find(past.commits, head) != past.commits.end()) return head;
  if (!head.empty() && head == past.state.commit_at_start) {
    return fail(Code::usage, "every commit of the loop is taken back already",
                "'git for-each-ref refs/ralph' lists what is kept");
  }
  return fail(
      Code::usage,
      fmt::format("the branch stands at {}, which is no commit of the loop (its last one "
                  "is {})",
                  head.empty() ? "no commit" : short_id(head), short_id(past.commits.back())),
      "take that back first, or use 'git revert' for a single commit");
}

Result<Undo> plan_last(const git::Work& work, const Past& past) {
  TRY_ASSIGN(const auto head, head_of_loop(work, past));
  TRY_ASSIGN(const auto parent, work.parent(head));
  if (parent.empty()) {
    return fail(Code::usage,
                fmt::format("{} is the first commit of the repository: there is nothing to go "
                            "back to",
                            short_id(head)));
  }
  return Undo{head, parent, 1};
}

Result<Undo> plan_all(const git::Work& work, const Past& past) {
  TRY_ASSIGN(const auto head, head_of_loop(work, past));
  const auto& start = past.state.commit_at_start;
  if (start.empty()) {
    return fail(Code::usage, "the repository had no commit when the loop began",
                "there is nothing to go back to; 'ralph undo' takes back the commits after the "
                "first");
  }
  TRY_ASSIGN(const auto commits, work.commits_since(start));
  const auto others = std::ranges::count_if(commits, [&](const std::string& commit) {
    return std::ranges::find(past.commits, commit) == past.commits.end();
  });
  return Undo{head, start, static_cast<std::int64_t>(commits.size()), others};
}

Result<Undo> undo(bool all, StdOutput& output) {
  // Who has no loop here gets no folder .ralph.
  TRY(read_past(output));
  const auto workspace = store::Workspace::at(std::filesystem::current_path());
  TRY_ASSIGN(const auto lock, store::Lock::take(workspace.lock_file(), "ralph undo"));
  TRY_ASSIGN(const auto past, read_past(output));
  TRY_ASSIGN(const auto work, open_work());
  TRY_ASSIGN(auto undo, all ? plan_all(work, past) : plan_last(work, past));
  TRY(refuse_dirty(work));
  const auto name = fmt::format("undone-{}-{}", compact_utc(now_utc()), short_id(undo.from));
  undo.kept = "refs/ralph/" + name;
  TRY(work.reset_to(undo.to, name));
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
      undo.others == 0 ? "" : fmt::format(" ({} of them not made by the loop itself)", undo.others);
  return fmt::format(
      "took back {}{}; the branch is at {} again\nto get it back: git reset --hard {}\n", what,
      others, short_id(undo.to), undo.kept);
}

int undo_command(const Arguments& arguments, StdOutput& output) {
  const auto done = undo(arguments.flag("all"), output);
  if (!done) return report(done.error(), output);
  output.out(arguments.flag("json") ? as_json(*done) : as_text(*done));
  return 0;
}

constexpr Option kOptions[] = {
    {"--all", "", "all commits of the loop: back to where it began"},
    {"--json", "", "what was done, as one JSON object"},
};
constexpr Example kExamples[] = {
    {"ralph undo", "the last commit of the loop is taken back"},
    {"ralph undo --all", "the branch and the files are as before the loop"},
};

}  // namespace

constinit const Command kUndoCommand{
    "undo",
    "take back the last commit of the loop in this folder",
    "The branch and the files go back to the commit before. Only when the branch stands at a "
    "commit "
    "of\n"
    "the loop, nothing is uncommitted and no loop runs. What was there is kept under refs/ralph/, "
    "and\n"
    "the way back is printed. Called again, it takes back the commit before that.",
    {},
    kOptions,
    kExamples,
    undo_command,
};

}  // namespace ralph::cli
