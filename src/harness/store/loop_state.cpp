#include "harness/store/loop_state.h"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/money.h"
#include "core/base/utf8.h"
#include "core/base/words.h"
#include "core/json/field.h"
#include "harness/store/loop_state_json.h"
#include "harness/store/state_file.h"

namespace ralph::store {
namespace {

using json::Document;

constexpr Words<LoopStatus, 3> kStatuses{{"running", "waiting", "ended"}};
constexpr Words<Phase, 5> kPhases{{"agent", "verify", "commit", "rollback", "summary"}};
constexpr std::int64_t kLongestRun = std::int64_t{10} * 365 * 86'400'000;  // ms

Document document_of(const Current& current) {
  Document to{{"iteration", current.iteration},
              {"run_id", current.run_id},
              {"began_at", iso_utc(current.began)},
              {"phase", to_string(current.phase)}};
  if (!current.tree_before.empty()) to["tree_before"] = current.tree_before;
  if (!current.commit_before.empty()) to["commit_before"] = current.commit_before;
  if (!current.branch.empty()) to["branch"] = current.branch;
  to["guidance"] = current.guidance;
  return to;
}

UtcTime time_of(const Document& from, std::string_view key) {
  return parse_iso(json::text(from, key)).value_or(UtcTime());
}

Current current_of(const Document& from) {
  return {json::integer(from, "iteration"),
          json::text(from, "run_id"),
          time_of(from, "began_at"),
          kPhases.find(json::text(from, "phase")).value_or(Phase::agent),
          json::text(from, "tree_before"),
          json::text(from, "commit_before"),
          json::text(from, "branch"),
          json::texts(from, "guidance")};
}

std::map<std::string, double> days_of(const Document& from) {
  std::map<std::string, double> days;
  if (!from.is_object()) return days;
  for (const auto& [day, cost] : from.items()) {
    if (cost.is_number() && cost.get<double>() >= 0) days[day] = cost.get<double>();
  }
  return days;
}

/// It becomes a part of paths.
bool is_loop_id(std::string_view id) {
  return !id.empty() &&
         std::ranges::all_of(id, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
}

}  // namespace

std::string_view to_string(LoopStatus status) { return kStatuses.of(status); }
std::string_view to_string(Phase phase) { return kPhases.of(phase); }

std::vector<OwnOutput> outputs_of(const Document& list) {
  std::vector<OwnOutput> outputs;
  if (!list.is_array()) return outputs;
  for (const auto& item : list) {
    if (!item.is_object()) continue;
    outputs.push_back({json::text(item, "path"), static_cast<dev_t>(json::integer(item, "device")),
                       static_cast<ino_t>(json::integer(item, "inode"))});
  }
  return outputs;
}

bool looks_like_a_state(const Document& document) {
  return !json::text(document, "loop_id").empty() && !json::text(document, "status").empty();
}

Document document_of(const LoopState& state) {
  Document to;
  to["loop_id"] = state.loop_id;
  to["status"] = to_string(state.status);
  to["end"] = state.end ? row(*state.end).name : "";
  to["end_why"] = state.end_why;
  to["pid"] = state.pid;
  to["started_at"] = iso_utc(state.started);
  to["updated_at"] = iso_utc(state.updated);
  if (state.ended) to["ended_at"] = iso_utc(*state.ended);
  to["ran_ms"] = state.ran.count();
  to["waited_ms"] = state.waited.count();
  if (state.would_wait > Millis::zero()) to["would_wait_ms"] = state.would_wait.count();
  to["goal_file"] = state.goal_file;
  to["goal"] = state.goal;
  if (!state.goal_path.empty()) to["goal_path"] = state.goal_path;
  if (!state.goal_seen.empty()) to["goal_seen"] = state.goal_seen;
  to["backend"] = state.backend;
  to["model"] = state.model;
  to["flags"] = state.flags;
  to["verify_digest"] = state.verify_digest;
  if (!state.protected_digest.empty()) to["protected_digest"] = state.protected_digest;
  to["settings"] = state.settings;
  to["git_digest"] = state.git_digest;
  to["aside"] = state.aside;
  to["fresh_from"] = state.fresh_from;
  to["tree_at_start"] = state.tree_at_start;
  to["commit_at_start"] = state.commit_at_start;
  to["branch_at_start"] = state.branch_at_start;
  to["files_before"] = state.files_before ? Document(iso_utc(*state.files_before)) : Document();
  if (!state.left_out.empty()) to["left_out"] = state.left_out;
  if (!state.moved.empty()) to["moved"] = state.moved;
  for (const auto& output : state.outputs) {
    to["outputs"].push_back({{"path", output.path.native()},
                             {"device", static_cast<std::int64_t>(output.device)},
                             {"inode", static_cast<std::int64_t>(output.inode)}});
  }
  to["max_iterations"] = state.max_iterations ? Document(*state.max_iterations) : Document();
  to["max_cost_usd"] = state.max_cost_usd ? Document(*state.max_cost_usd) : Document();
  to["max_cost_per_day_usd"] =
      state.max_cost_per_day_usd ? Document(*state.max_cost_per_day_usd) : Document();
  to["max_time_ms"] = state.max_time.count();
  to["current"] = state.current ? document_of(*state.current) : Document();
  to["waiting_until"] = state.waiting_until ? Document(iso_utc(*state.waiting_until)) : Document();
  to["waiting_for"] = state.waiting_for;
  to["verify"] = state.verify;
  if (!state.findings.empty()) to["findings"] = state.findings;
  if (!state.verify_programs.empty()) to["verify_programs"] = state.verify_programs;
  to["earlier_days"] = state.earlier_days;
  return to;
}

std::optional<LoopState> state_of(const Document& from) {
  if (!looks_like_a_state(from)) return std::nullopt;
  LoopState state;
  state.loop_id = json::text(from, "loop_id");
  if (!is_loop_id(state.loop_id)) return std::nullopt;
  state.status = kStatuses.find(json::text(from, "status")).value_or(LoopStatus::running);
  state.end = stop_reason_named(json::text(from, "end"));
  state.end_why = json::text(from, "end_why");
  state.pid = json::integer(from, "pid");
  state.started = time_of(from, "started_at");
  state.updated = time_of(from, "updated_at");
  state.ended = parse_iso(json::text(from, "ended_at"));
  state.ran = Millis(std::clamp<std::int64_t>(json::integer(from, "ran_ms"), 0, kLongestRun));
  state.waited = Millis(std::clamp<std::int64_t>(json::integer(from, "waited_ms"), 0, kLongestRun));
  state.would_wait =
      Millis(std::clamp<std::int64_t>(json::integer(from, "would_wait_ms"), 0, kLongestRun));
  state.goal_file = json::text(from, "goal_file");
  state.goal = json::text(from, "goal");
  state.goal_path = json::text(from, "goal_path");
  state.goal_seen = json::text(from, "goal_seen");
  state.backend = json::text(from, "backend");
  state.model = json::text(from, "model");
  const auto& flags = json::member(from, "flags");
  if (flags.is_object()) {
    for (const auto& [name, values] : flags.items()) state.flags[name] = json::texts(values);
  }
  state.verify_digest = json::text(from, "verify_digest");
  state.protected_digest = json::text(from, "protected_digest");
  const auto& settings = json::member(from, "settings");
  if (settings.is_object()) {
    for (const auto& [name, value] : settings.items())
      state.settings[name] = value.is_string() ? value.get<std::string>() : "";
  }
  state.git_digest = json::text(from, "git_digest");
  state.aside = json::text(from, "aside");
  state.fresh_from = std::max<std::int64_t>(0, json::integer(from, "fresh_from"));
  state.tree_at_start = json::text(from, "tree_at_start");
  state.commit_at_start = json::text(from, "commit_at_start");
  state.branch_at_start = json::text(from, "branch_at_start");
  state.files_before = parse_iso(json::text(from, "files_before"));
  state.left_out = json::texts(from, "left_out");
  state.moved = json::texts(from, "moved");
  state.outputs = outputs_of(json::member(from, "outputs"));
  if (json::member(from, "max_iterations").is_number_integer()) {
    state.max_iterations = json::integer(from, "max_iterations");
  }
  state.max_cost_usd = json::number(from, "max_cost_usd");
  state.max_cost_per_day_usd = json::number(from, "max_cost_per_day_usd");
  state.max_time = Millis(std::max<std::int64_t>(0, json::integer(from, "max_time_ms")));
  const auto& current = json::member(from, "current");
  if (current.is_object()) {
    state.current = current_of(current);
    if (state.current->iteration < 0 || !is_loop_id(state.current->run_id)) state.current.reset();
  }
  state.waiting_until = parse_iso(json::text(from, "waiting_until"));
  state.waiting_for = json::text(from, "waiting_for");
  state.verify = json::texts(from, "verify");
  state.findings = json::texts(from, "findings");
  const auto& programs = json::member(from, "verify_programs");
  if (programs.is_object()) {
    for (const auto& [name, path] : programs.items()) {
      if (path.is_string()) state.verify_programs[name] = path.get<std::string>();
    }
  }
  state.earlier_days = days_of(json::member(from, "earlier_days"));
  return state;
}

namespace {

void count(const LoopRecord& record, const LoopRecord* before, LoopTotals& totals) {
  ++totals.iterations;
  totals.failures_in_a_row = record.failed ? totals.failures_in_a_row + 1 : 0;
  totals.refused_in_a_row = record.is(LoopDecision::refused) ? totals.refused_in_a_row + 1 : 0;
  const bool idle = !record.failed && !record.done && !record.changed;
  const bool same = before != nullptr && before->progress == record.progress;
  totals.idle_in_a_row = !idle ? 0 : same ? totals.idle_in_a_row + 1 : 1;
}

}  // namespace

std::string day_of(UtcTime time) { return iso_utc(time).substr(0, 10); }

std::map<std::string, double> merge_days(std::map<std::string, double> days,
                                         const std::map<std::string, double>& more) {
  constexpr std::size_t kMostDays = 60;
  for (const auto& [day, cost] : more) days[day] = rounded_usd(days[day] + cost);
  while (days.size() > kMostDays) days.erase(days.begin());
  return days;
}

std::string inputs_ref(std::string_view loop_id) { return fmt::format("inputs-{}", loop_id); }

std::string stash_message(std::string_view loop_id) {
  return fmt::format("before ralph loop {}", loop_id);
}

std::string stash_name(std::string_view loop_id) { return fmt::format("stashed-{}", loop_id); }

LoopTotals add_up(const std::vector<LoopRecord>& records, std::int64_t fresh_from) {
  LoopTotals totals;
  const LoopRecord* before = nullptr;
  std::int64_t n = 0;
  for (const auto& record : records) {
    ++n;
    const double cost = record.cost_usd.value_or(0);
    totals.cost_usd = rounded_usd(totals.cost_usd + cost);
    if (record.step != LoopRecord::Step::undo) {
      ++(record.cost_usd ? totals.priced : totals.unpriced);
    }
    if (record.verification) {
      ++totals.verifications;
      totals.verifying += record.verification->duration;
    }
    if (cost > 0) {
      auto& day = totals.days[day_of(record.at)];
      day = rounded_usd(day + cost);
    }
    totals.tokens += record.tokens;
    totals.time += record.time;
    totals.tool_calls += record.tool_calls;
    totals.changed = totals.changed || record.changed;
    if (record.step != LoopRecord::Step::iteration) continue;
    count(record, before, totals);
    if (n <= fresh_from) {
      totals.failures_in_a_row = totals.refused_in_a_row = totals.idle_in_a_row = 0;
    }
    before = &record;
  }
  return totals;
}

}  // namespace ralph::store
