#include "ui/console/loop_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "core/base/names.h"
#include "harness/store/loop_state.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"

namespace ralph::console {
namespace {

constexpr std::size_t kMostFiles = 20;
constexpr std::size_t kLongestSentence = 400;  // of a sentence
constexpr std::size_t kLongestSubject = 100;
constexpr Millis kSecond{1000};

/// "Name         text", further lines of the same name without it.
class Table {
 public:
  void line(std::string_view name, std::string_view text) {
    if (!text.empty()) text_ += fmt::format("{:<12} {}\n", name, text);
  }
  void more(std::string_view text) { line("", text); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string sentence(std::string_view text) { return one_line(safe_text(text), kLongestSentence); }

struct TimePart {
  std::string_view name;
  Millis time;
};

/// Whole seconds that add up to those of `all`: what is cut off is given to the parts that lost most.
std::vector<Millis> in_whole_seconds(const std::vector<TimePart>& parts, Millis all) {
  std::vector<Millis> rounded;
  std::vector<std::size_t> order(parts.size());
  auto missing = all / kSecond;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    rounded.push_back(parts[i].time - parts[i].time % kSecond);
    missing -= rounded.back() / kSecond;
    order[i] = i;
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return parts[a].time % kSecond > parts[b].time % kSecond;
  });
  for (std::size_t i = 0; i < order.size() && missing > 0; ++i, --missing) {
    rounded[order[i]] += kSecond;
  }
  return rounded;
}

/// Verification and waiting are named where there were any.
std::string time_text(const store::LoopReport& report) {
  const auto& totals = report.totals;
  std::vector<TimePart> parts{{"model", totals.time.model}, {"tools", totals.time.tools}};
  if (totals.verifications > 0) parts.push_back({"verification", totals.verifying});
  if (report.waited >= kSecond) parts.push_back({"waiting", report.waited});
  Millis known{0};
  for (const auto& part : parts) known += part.time;
  parts.push_back({"other", std::max(Millis{0}, report.elapsed - known)});
  const auto rounded = in_whole_seconds(parts, report.elapsed);
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", parts[i].name, short_duration(rounded[i]));
  }
  return fmt::format("{} ({}), {} to {}", short_duration(report.elapsed), text,
                     date_time(report.started), date_time(report.ended));
}

std::string iterations_of(const store::LoopReport& report) {
  auto text = fmt::format("{}, {}", grouped(report.totals.iterations),
                          counted(report.totals.tool_calls, "tool call"));
  if (report.taken_back.empty()) return text;
  return text +
         fmt::format("; {} undone by 'ralph undo'", store::iterations_text(report.taken_back));
}

/// "opus", "opus (2 runs), sonnet (1 run)".
std::string models_text(const std::vector<store::ModelUse>& models) {
  if (models.size() == 1) return sentence(models.front().model);
  std::string text;
  for (const auto& use : models) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", use.model, counted(use.runs, "run"));
  }
  return sentence(text);
}

std::string token_text(const stream::Tokens& tokens) {
  return fmt::format("input {} | cache read {} | cache write {} | output {}",
                     grouped(tokens.input_uncached), grouped(tokens.cache_read),
                     grouped(tokens.cache_write), grouped(tokens.output));
}

double spent_on(const store::LoopReport& report, UtcTime now) {
  const auto found = report.days.find(store::day_of(now));
  return found == report.days.end() ? 0 : found->second;
}

std::string cost_of(const store::LoopReport& report, UtcTime now) {
  const auto today = spent_on(report, now);
  auto text = cost_text(report.totals);
  if (report.totals.priced == 0 && today == 0) return text;
  return fmt::format("{}, today {} by all loops in this directory", text, dollars(today));
}

std::string lines_text(const store::ChangedFile& file) {
  if (file.added < 0 || file.removed < 0) return "not text";
  return fmt::format("+{} -{}", file.added, file.removed);
}

std::string files_text(const store::LoopReport& report) {
  const auto& files = report.files;
  std::int64_t added = 0, removed = 0;
  for (const auto& file : files) {
    added += std::max<std::int64_t>(0, file.added);
    removed += std::max<std::int64_t>(0, file.removed);
  }
  return fmt::format(
      "{} changed, +{} -{} lines{}", counted(static_cast<std::int64_t>(files.size()), "file"),
      grouped(added), grouped(removed),
      report.other_commits > 0 ? ", including commits that are not by the loop" : "");
}

void add_files(Table& table, const store::LoopReport& report) {
  if (!report.has_git) {
    return table.line("Files", report.totals.changed
                                   ? "changed; without a git repository they cannot be listed"
                                   : "none changed");
  }
  if (!report.files_known) return table.line("Files", "unknown: the repository could not be read");
  const auto& files = report.files;
  if (files.empty()) return table.line("Files", "none changed");
  table.line("Files", files_text(report));
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i) {
    table.more(
        fmt::format("{} {:<12} {}", files[i].kind, lines_text(files[i]), sentence(files[i].path)));
  }
  if (files.size() > kMostFiles)
    table.more(fmt::format("… and {} more", files.size() - kMostFiles));
}

void add_records(Table& table, const store::LoopReport& report, std::string_view last_log) {
  const auto name = report.restored_loop.empty()
                        ? "progress.ndjson"
                        : fmt::format("progress-{}.ndjson", report.loop_id);
  table.line("Records", sentence((report.state_folder / name).native()));
  if (last_log.empty()) return;
  table.line("Last run", safe_text(fmt::format("ralph replay {}", shell_word(last_log))));
}

/// "3 commits", "no commit by the loop, 1 not by the loop".
std::string commits_text(const store::LoopReport& report) {
  auto text = report.commit_count > 0 ? counted(report.commit_count, "commit") : std::string();
  if (report.other_commits == 0) return text;
  if (text.empty()) text = "no commit by the loop";
  return text + fmt::format("; {} not by the loop", counted(report.other_commits, "commit"));
}

void add_changes(Table& table, const store::LoopReport& report) {
  const auto all = report.commit_count + report.other_commits;
  table.line("Changes", commits_text(report));
  for (const auto& commit : report.commits) {
    table.more(fmt::format("{} {}{}", short_commit(commit.id),
                           one_line(safe_text(commit.subject), kLongestSubject),
                           commit.by_loop ? "" : " (not by the loop)"));
  }
  if (const auto more = all - std::ssize(report.commits); more > 0) {
    table.more(fmt::format("… and {} more", more));
  }
  if (!report.from || !report.to || report.files.empty()) return;
  table.line(all > 0 ? "" : "Changes",
             fmt::format("git diff {} {}{}", short_commit(*report.from), short_commit(*report.to),
                         report.commit_count > 0 ? "" : " (until 'git gc' removes these trees)"));
}

/// What is the user's, and was not used or not brought back.
void add_left(Table& table, const store::LoopReport& report) {
  if (const auto n = report.guidance_left; n > 0) {
    table.line("Guidance",
               fmt::format("{} of 'ralph tell' {} not delivered: kept for the next {}",
                           counted(n, "message"), n == 1 ? "was" : "were",
                           report.reason == store::StopReason::done ? "loop" : "iteration"));
  }
  if (report.stash.empty()) return;
  table.line("Stash",
             fmt::format("your changes from before the loop: git stash pop --index {} (kept "
                         "as {} too)",
                         report.stash_entry, report.stash));
}

/// "($1.0650 of $1.0000)": the figures behind a limit; empty for other ends.
std::string limit_figures(const store::LoopReport& report) {
  const auto& budget = report.budget;
  const auto& totals = report.totals;
  switch (report.reason) {
    case store::StopReason::iterations: return fmt::format(" ({})", budget.iterations);
    case store::StopReason::refused: return fmt::format(" ({} in a row)", totals.refused_in_a_row);
    case store::StopReason::time: return fmt::format(" ({})", format_duration(budget.time));
    case store::StopReason::cost:
      return fmt::format(" ({} of {})", dollars(totals.cost_usd), dollars(budget.cost_usd));
    case store::StopReason::cost_per_day:
      return fmt::format(" ({} of {} today)", dollars(spent_on(report, report.ended)),
                         dollars(budget.cost_per_day_usd));
    default: return {};
  }
}

/// How it is known that the loop is done.
std::string known_text(const store::LoopReport& report) {
  auto text = report.verified.empty() ? std::string(store::kClaimed) : sentence(report.verified);
  if (report.changed_since_verified) text += "; files were changed since, and not verified again";
  return report.why.empty() ? text : text + ": " + sentence(report.why);
}

/// A limit in dollars that allows as much again, as a user would write it.
std::string higher_cost(double limit, double spent) {
  const auto cents = std::ceil(2 * std::max(limit, spent) * 100);
  return fmt::format("{:.2f}", cents / 100);
}

}  // namespace

std::string cost_text(const store::LoopTotals& totals) {
  auto text = dollars(totals.cost());
  if (!totals.cost() || totals.unpriced == 0) return text;
  return text + fmt::format(" and {} of unknown cost", counted(totals.unpriced, "run"));
}

std::string resume_command(const store::LoopReport& report, UtcTime now, std::string_view base) {
  using store::StopReason;
  const auto& budget = report.budget;
  const auto& totals = report.totals;
  std::string line(base);
  const auto add = [&](std::string_view flag, std::string_view value) {
    line += fmt::format(" {} {}", flag, value);
  };
  // A program that is installed later is another one than at the start.
  const bool accepts =
      report.reason == StopReason::tampered || report.reason == StopReason::cannot_verify;
  if (accepts || !report.state_is_trusted) line += " --accept-changes";
  if (budget.iterations > 0 && totals.iterations >= budget.iterations) {
    add("--max-iterations", fmt::format("{}", std::max(budget.iterations, totals.iterations) * 2));
  }
  const auto needed = report.elapsed + report.would_wait;
  if (budget.time > Millis::zero() && needed >= budget.time) {
    const auto limit = std::chrono::ceil<std::chrono::minutes>(needed + budget.time);
    add("--max-time", format_duration(limit));
  }
  if (budget.cost_usd &&
      (report.reason == StopReason::cost || totals.cost_usd >= *budget.cost_usd)) {
    add("--max-cost", higher_cost(*budget.cost_usd, totals.cost_usd));
  }
  if (budget.cost_per_day_usd && (report.reason == StopReason::cost_per_day ||
                                  spent_on(report, now) >= *budget.cost_per_day_usd)) {
    add("--max-cost-per-day", higher_cost(*budget.cost_per_day_usd, spent_on(report, now)));
  }
  return line;
}

std::string resume_line(const store::LoopReport& report, UtcTime now, std::string_view base) {
  if (report.restored_loop.empty()) return resume_command(report, now, base);
  return fmt::format("not this loop: '{}' continues the previous one, {}", base,
                     report.restored_loop);
}

Reason reason_of(const store::LoopReport& report) {
  const auto& row = store::row(report.reason);
  Reason reason{std::string(row.meaning), std::string(row.hint)};
  if (report.reason == store::StopReason::done) {
    reason.text += ", " + known_text(report);
    if (report.verified.empty()) reason.hint = "use --verify COMMAND to check a DONE";
    if (report.changed_since_verified) {
      reason.hint = "run these commands yourself, or start a new loop, which verifies again";
    }
  }
  reason.text += limit_figures(report);
  if (report.why.empty() || report.reason == store::StopReason::done) return reason;
  const auto why = sentence(report.why);
  reason.text =
      store::why_is_complete(report.reason) ? why : fmt::format("{}: {}", reason.text, why);
  return reason;
}

std::string loop_report(const store::LoopReport& report, UtcTime now, std::string_view last_log,
                        std::string_view resume, std::string_view note) {
  const auto reason = reason_of(report);
  const bool done = report.reason == store::StopReason::done;
  Table table;
  table.line(done ? "Done" : "Ended", done ? known_text(report) : reason.text);
  if (report.restored_loop.empty()) table.more(reason.hint);
  if (!done && !report.verified.empty()) table.line("DONE", sentence(report.verified));
  for (const auto& finding : report.findings) table.line("Look at", sentence(finding));
  table.line("Iterations", iterations_of(report));
  table.line("Time", time_text(report));
  const bool known = report.totals.tokens != stream::Tokens() || report.totals.priced > 0;
  table.line("Tokens", known ? token_text(report.totals.tokens) : "unknown");
  table.line("Cost", cost_of(report, now));
  table.line("Model", models_text(report.models));
  add_files(table, report);
  add_changes(table, report);
  add_left(table, report);
  if (!report.restored_loop.empty()) {
    table.line("Resume", resume_line(report, now, resume));
    table.more("to work on this goal, start the loop again");
  } else if (!done) {
    table.line("Resume", resume_line(report, now, resume));
    table.more(sentence(note));
  }
  add_records(table, report, last_log);
  return fmt::format("\n--- Loop {} ---\n{}",
                     done && !report.changed_since_verified ? "Complete" : "Ended", table.take());
}

}  // namespace ralph::console
