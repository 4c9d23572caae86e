#include "cli/loop_report.h"

#include <algorithm>

#include <fmt/core.h>

#include "loop/policy.h"
#include "view/figures.h"
#include "view/safe_text.h"

namespace ralph::cli {
namespace {

using view::counted;
using view::dollars;
using view::grouped;
using view::short_duration;

constexpr std::size_t kMostFiles = 20;
constexpr std::size_t kLongest = 400;  // of a sentence
constexpr std::size_t kShortId = 12;

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

std::string sentence(std::string_view text) {
  return view::one_line(view::safe_text(text), kLongest);
}

std::string time_text(const loop::Report& report) {
  const auto& time = report.totals.time;
  const auto other = std::max(Millis{0}, report.elapsed - time.model - time.tools);
  return fmt::format("{} (model {}, tools {}, other {})", short_duration(report.elapsed),
                     short_duration(time.model), short_duration(time.tools), short_duration(other));
}

std::string token_text(const stream::Tokens& tokens) {
  return fmt::format("input {} | cache read {} | cache write {} | output {}",
                     grouped(tokens.input_uncached), grouped(tokens.cache_read),
                     grouped(tokens.cache_write), grouped(tokens.output));
}

std::string cost_text(const loop::Report& report, UtcTime now) {
  const auto today = report.days.find(loop::day_of(now));
  return fmt::format("{}, today {} in this folder", dollars(report.totals.cost_usd),
                     dollars(today == report.days.end() ? 0 : today->second));
}

std::string lines_text(const git::FileChange& file) {
  if (file.added < 0 || file.removed < 0) return "not text";
  return fmt::format("+{} -{}", file.added, file.removed);
}

std::string files_text(const std::vector<git::FileChange>& files) {
  std::int64_t added = 0, removed = 0;
  for (const auto& file : files) {
    added += std::max<std::int64_t>(0, file.added);
    removed += std::max<std::int64_t>(0, file.removed);
  }
  return fmt::format("{} changed, +{} -{} lines",
                     counted(static_cast<std::int64_t>(files.size()), "file"), grouped(added),
                     grouped(removed));
}

void add_files(Table& table, const loop::Report& report) {
  if (!report.from) return;
  const auto& files = report.files;
  if (files.empty()) return table.line("Files", "none changed");
  table.line("Files", files_text(files));
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i) {
    table.more(
        fmt::format("{} {:<12} {}", files[i].kind, lines_text(files[i]), sentence(files[i].path)));
  }
  if (files.size() > kMostFiles)
    table.more(fmt::format("… and {} more", files.size() - kMostFiles));
}

void add_records(Table& table, const loop::Report& report, std::string_view last_log) {
  table.line("Records", sentence((report.state_folder / "progress.ndjson").native()));
  if (!last_log.empty()) table.line("Last run", sentence(fmt::format("ralph replay {}", last_log)));
  if (report.from && report.to && !report.files.empty()) {
    table.line("Changes", fmt::format("git diff {} {}", report.from->substr(0, kShortId),
                                      report.to->substr(0, kShortId)));
  }
}

}  // namespace

Reason reason_of(const loop::Report& report) {
  const auto& row = loop::row(report.end);
  Reason reason{std::string(row.meaning), std::string(row.hint)};
  if (!report.why.empty()) reason.text += ": " + sentence(report.why);
  return reason;
}

std::string loop_report(const loop::Report& report, UtcTime now, std::string_view last_log) {
  const auto reason = reason_of(report);
  const bool done = report.end == loop::End::done;
  Table table;
  table.line(done ? "Done" : "Ended", reason.text);
  table.more(reason.hint);
  if (!report.verified.empty()) {
    table.line("Verified", sentence(report.verified));
  } else if (done) {
    table.line("Verified", "not at all: the agent says so, and no command was given (--verify)");
  }
  for (const auto& finding : report.findings) table.line("Look at", sentence(finding));
  table.line("Iterations", fmt::format("{}, {}", grouped(report.totals.iterations),
                                       counted(report.totals.tool_calls, "tool call")));
  table.line("Time", time_text(report));
  table.line("Tokens", token_text(report.totals.tokens));
  table.line("Cost", cost_text(report, now));
  add_files(table, report);
  if (!done) table.line("Resume", "ralph loop --resume");
  add_records(table, report, last_log);
  return fmt::format("\n--- Loop {} ---\n{}", done ? "Complete" : "Ended", table.take());
}

}  // namespace ralph::cli
