#include "ui/console/loop_json.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/utf8.h"
#include "core/json/mask.h"
#include "core/json/writer.h"
#include "ui/console/figures.h"
#include "ui/console/loop_report.h"

namespace ralph::console {
namespace {

using json::ObjectWriter;

/// `{"type":"loop","step":STEP` and what `members` adds.
template <typename Members>
std::string step(std::string_view name, Members members) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "loop").text("step", name);
  members(writer);
  writer.close();
  return out;
}

std::string tokens_json(const stream::Tokens& tokens) {
  std::string out;
  ObjectWriter(out)
      .number("input", tokens.input_uncached)
      .number("cache_read", tokens.cache_read)
      .number("cache_write", tokens.cache_write)
      .number("output", tokens.output)
      .close();
  return out;
}

std::string totals_json(const store::LoopTotals& totals, bool reports_cost = true) {
  std::string out;
  ObjectWriter writer(out);
  writer.number("iterations", totals.iterations)
      .number("failures_in_a_row", totals.failures_in_a_row)
      .number("refused_in_a_row", totals.refused_in_a_row)
      .number("tool_calls", totals.tool_calls);
  if (const auto cost = totals.cost(); cost && (reports_cost || totals.priced > 0))
    writer.number("cost_usd", *cost);
  writer.number("model_ms", std::int64_t{totals.time.model.count()})
      .number("tools_ms", std::int64_t{totals.time.tools.count()})
      .raw("tokens", tokens_json(totals.tokens))
      .close();
  return out;
}

template <typename List, typename Append>
std::string array_json(const List& list, Append append) {
  std::string out = "[";
  for (const auto& item : list) {
    if (out.size() > 1) out += ',';
    append(out, item);
  }
  return out + "]";
}

void append_commit(std::string& out, const store::MadeCommit& commit) {
  ObjectWriter(out)
      .text("commit", commit.id)
      .text("subject", utf8::repaired(commit.subject))
      .boolean("by_loop", commit.by_loop)
      .close();
}

void append_model(std::string& out, const store::ModelUse& use) {
  ObjectWriter(out).text("model", utf8::repaired(use.model)).number("runs", use.runs).close();
}

void append_file(std::string& out, const store::ChangedFile& file) {
  ObjectWriter writer(out);
  writer.text("kind", std::string_view(&file.kind, 1)).text("path", utf8::repaired(file.path));
  if (file.added >= 0) writer.number("added", file.added);
  if (file.removed >= 0) writer.number("removed", file.removed);
  writer.close();
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string name_of(const store::LoopRecord& record) {
  using enum store::LoopRecord::Step;
  switch (record.step) {
    case iteration:
      return fmt::format("iteration {}{}", record.iteration, record.failed ? " failed" : "");
    case attempt: return fmt::format("iteration {} not finished", record.iteration);
    case summary: return "summary of " + counted(record.iteration, "iteration");
    case undo: return fmt::format("undone after iteration {}", record.iteration);
  }
  return {};
}

}  // namespace

std::string texts_json(const std::vector<std::string>& texts) {
  return array_json(texts, [](std::string& out, const std::string& text) {
    json::append_string(out, utf8::repaired(text));
  });
}

std::string started_step(const LoopFacts& facts, const store::LoopState& state,
                         const store::LoopTotals& totals) {
  return step("started", [&](ObjectWriter& to) {
    to.text("loop_id", state.loop_id)
        .text("backend", state.backend)
        .text("model", state.model)
        .text("goal_file", utf8::repaired(state.goal_file))
        .text("goal", utf8::repaired(goal_line(state.goal)))
        .text("agent", utf8::repaired(agent_text(facts)))
        .text("branch", utf8::repaired(state.branch_at_start))
        .raw("verify", texts_json(state.verify));
    if (state.max_iterations) to.number("max_iterations", *state.max_iterations);
    if (state.max_cost_usd) to.number("max_cost_usd", *state.max_cost_usd);
    to.raw("totals", totals_json(totals, facts.reports_cost));
  });
}

std::string ended_step(const store::RunInfo& run, const store::LoopRecord& record,
                       const store::LoopTotals& totals) {
  return step("iteration_ended", [&](ObjectWriter& to) {
    to.number("iteration", record.iteration)
        .text("kind", store::to_string(run.role))
        .raw("record", store::write_record(record))
        .raw("totals", totals_json(totals));
  });
}

std::string waiting_step(std::string_view why, Millis left) {
  return step("waiting", [&](ObjectWriter& to) {
    to.text("for", utf8::repaired(why)).number("left_ms", std::int64_t{left.count()});
  });
}

std::string finished_step(const store::LoopReport& report, std::string_view resume) {
  return step("ended", [&](ObjectWriter& to) {
    const auto reason = reason_of(report);
    const bool done = report.reason == store::StopReason::done;
    to.text("loop_id", report.loop_id)
        .text("end", store::row(report.reason).name)
        .text("why", reason.text)
        .text("hint", reason.hint)
        .number("exit_code", std::int64_t{report.exit_code})
        .text("started_at", iso_utc(report.started))
        .text("ended_at", iso_utc(report.ended))
        .number("elapsed_ms", std::int64_t{report.elapsed.count()})
        .raw("totals", totals_json(report.totals))
        .number("waited_ms", std::int64_t{report.waited.count()})
        .raw("files", array_json(report.files, append_file))
        .raw("commits", array_json(report.commits, append_commit))
        .text("state_folder", utf8::repaired(report.state_folder.native()));
    if (!done && report.restored_loop.empty()) to.text("resume", utf8::repaired(resume));
    if (!report.restored_loop.empty()) to.text("gave_way_to", report.restored_loop);
    if (report.guidance_left > 0) to.number("guidance_left", report.guidance_left);
    if (!report.stash.empty()) {
      to.text("stash", report.stash).text("stash_entry", report.stash_entry);
    }
    if (!report.models.empty()) {
      to.text("model", utf8::repaired(report.last_model))
          .raw("models", array_json(report.models, append_model));
    }
    if (!report.taken_back.empty()) {
      to.raw("taken_back", fmt::format("[{}]", fmt::join(report.taken_back, ",")));
    }
    if (!report.verified.empty()) to.text("verified", utf8::repaired(report.verified));
    if (report.changed_since_verified) to.boolean("changed_since_verified", true);
    if (done && report.verified.empty()) to.boolean("claimed", true);
    if (!report.findings.empty()) {
      to.raw("findings", texts_json(report.findings));
    }
  });
}

std::string start_error_step(const Error& error, int exit_code) {
  return step("ended", [&](ObjectWriter& to) {
    to.text("end", "not_started")
        .text("why", utf8::repaired(error.message))
        .text("hint", utf8::repaired(error.hint))
        .number("exit_code", std::int64_t{exit_code});
  });
}

std::string rounded_up(Millis left) {
  constexpr Millis kAlmostASecond{999};
  return short_duration(left + kAlmostASecond);
}

std::string wait_text(std::string_view why, Millis left, std::string_view key_hint) {
  return fmt::format("retrying in {}{}: {}", rounded_up(left), key_hint, why);
}

std::string masked_step(std::string_view text, const Masker& masker) {
  return json::mask(text, masker);
}

std::string record_line(const store::LoopRecord& record, std::optional<int> context_percent,
                        bool error_shown) {
  auto line = fmt::format("{}: {}", name_of(record), short_duration(record.time.total()));
  line += record.cost_usd ? ", " + dollars(*record.cost_usd) : ", cost unknown";
  if (record.step != store::LoopRecord::Step::summary) {
    line += record.tree.empty() ? ", changed files unknown"
            : record.changed    ? ", files changed"
                                : ", no file changed";
  }
  if (context_percent) line += fmt::format(", context {}%", *context_percent);
  if (record.done) {
    const bool checked = record.verification.has_value();
    const bool passed = checked && record.verification->passed;
    line += passed ? ", DONE verified" : checked ? ", DONE refused" : ", DONE not verified";
  }
  const auto text = store::progress_text(record);
  if (!error_shown && !text.empty() && text != store::kDone) {
    line += fmt::format(": {}", first_line(text));
  }
  return line;
}

}  // namespace ralph::console
