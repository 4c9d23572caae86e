#include "harness/store/loop_record.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/words.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "harness/store/loop_state_json.h"

namespace ralph::store {
namespace {

constexpr Words<LoopRecord::Step, 4> kRecordSteps{{"iteration", "attempt", "summary", "undo"}};
constexpr Words<LoopDecision, 6> kDecisions{
    {"refused", "interrupted", "no_summary", "unchanged", "tampered", "not_committed"}};
constexpr std::string_view kFailure = "ERROR: ";

json::Document document_of(const stream::Tokens& tokens) {
  return {{"input", tokens.input_uncached},
          {"cache_read", tokens.cache_read},
          {"cache_write", tokens.cache_write},
          {"output", tokens.output}};
}

stream::Tokens tokens_of(const json::Document& from) {
  stream::Tokens tokens;
  tokens.input_uncached = json::integer(from, "input");
  tokens.cache_read = json::integer(from, "cache_read");
  tokens.cache_write = json::integer(from, "cache_write");
  tokens.output = json::integer(from, "output");
  return tokens;
}

json::Document document_of(const TimeSplit& time) {
  return {
      {"model", time.model.count()}, {"tools", time.tools.count()}, {"other", time.other.count()}};
}

TimeSplit time_split_of(const json::Document& from) {
  return {Millis(json::integer(from, "model")), Millis(json::integer(from, "tools")),
          Millis(json::integer(from, "other"))};
}

json::Document document_of(const Verification& verification) {
  json::Document to{{"passed", verification.passed},
                    {"duration_ms", verification.duration.count()}};
  if (!verification.where.empty()) to["where"] = verification.where;
  if (!verification.commands.empty()) to["commands"] = verification.commands;
  if (verification.passed) return to;
  to["command"] = verification.command;
  to["reason"] = verification.reason;
  to["tail"] = verification.tail;
  return to;
}

Verification verification_of(const json::Document& from) {
  return {json::boolean(from, "passed"),
          json::text(from, "command"),
          json::text(from, "reason"),
          json::text(from, "tail"),
          Millis(json::integer(from, "duration_ms")),
          json::text(from, "where"),
          json::texts(from, "commands")};
}

/// The file has one member for both. An agent's own text may begin with the same word.
void set_progress(LoopRecord& record, std::string text) {
  const bool has_answer = !record.failed && record.step != LoopRecord::Step::attempt;
  if (has_answer || !text.starts_with(kFailure)) {
    record.progress = std::move(text);
  } else {
    record.failure = text.substr(kFailure.size());
  }
}

std::vector<std::int64_t> integers_of(const json::Document& list) {
  std::vector<std::int64_t> numbers;
  if (!list.is_array()) return numbers;
  for (const auto& item : list) {
    if (item.is_number_integer()) numbers.push_back(item.get<std::int64_t>());
  }
  return numbers;
}

}  // namespace

TimeSplit& TimeSplit::operator+=(const TimeSplit& more) {
  model += more.model;
  tools += more.tools;
  other += more.other;
  return *this;
}

std::string how_known(const LoopRecord& record) {
  if (!record.verification || !record.verification->passed) {
    return std::string(kClaimed);
  }
  std::string text = "verified";
  for (const auto& command : record.verification->commands) {
    text += fmt::format("{} `{}`", text == "verified" ? " by" : ",", command);
  }
  if (!record.verification->where.empty()) text += " " + record.verification->where;
  return text;
}

const LoopRecord* last_worker_step(const std::vector<LoopRecord>& records) {
  const auto found =
      std::ranges::find_if(records.rbegin(), records.rend(), [](const LoopRecord& record) {
        return record.step == LoopRecord::Step::iteration ||
               record.step == LoopRecord::Step::attempt;
      });
  return found == records.rend() ? nullptr : &*found;
}

std::vector<std::int64_t> taken_back(const std::vector<LoopRecord>& records) {
  const auto last = std::ranges::find(records.rbegin(), records.rend(), LoopRecord::Step::undo,
                                      &LoopRecord::step);
  return last == records.rend() ? std::vector<std::int64_t>() : last->taken_back;
}

std::vector<ModelUse> models_used(const std::vector<LoopRecord>& records) {
  std::vector<ModelUse> used;
  for (const auto& record : records) {
    if (record.step == LoopRecord::Step::summary || record.model.empty()) continue;
    auto known = std::ranges::find(used, record.model, &ModelUse::model);
    if (known == used.end()) known = used.insert(known, {record.model, 0});
    ++known->runs;
  }
  return used;
}

std::string model_used(const std::vector<LoopRecord>& records) {
  const auto known = std::find_if(records.rbegin(), records.rend(), [](const LoopRecord& record) {
    return record.step != LoopRecord::Step::summary && !record.model.empty();
  });
  return known == records.rend() ? std::string() : known->model;
}

std::string iterations_text(const std::vector<std::int64_t>& iterations) {
  std::string text;
  for (std::size_t i = 0; i < iterations.size();) {
    auto last = i;
    while (last + 1 < iterations.size() && iterations[last + 1] == iterations[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", iterations[i]);
    if (last > i) text += fmt::format("-{}", iterations[last]);
    i = last + 1;
  }
  return fmt::format("iteration{} {}", iterations.size() == 1 ? "" : "s", text);
}

std::string_view to_string(LoopRecord::Step step) { return kRecordSteps.of(step); }

std::string_view name_of(const StepOutcome& outcome) {
  if (const auto* run = std::get_if<stream::Outcome>(&outcome)) return stream::row(*run).name;
  if (const auto* decision = std::get_if<LoopDecision>(&outcome)) return kDecisions.of(*decision);
  return {};
}

StepOutcome step_outcome_named(std::string_view name) {
  if (const auto decision = kDecisions.find(name)) return *decision;
  if (const auto run = stream::outcome_named(name)) return *run;
  return {};
}

std::string progress_text(const LoopRecord& record) {
  return record.failure.empty() ? record.progress : fmt::format("{}{}", kFailure, record.failure);
}

std::string write_record(const LoopRecord& record) {
  json::Document to;
  to["step"] = to_string(record.step);
  to["iteration"] = record.iteration;
  to["timestamp"] = iso_utc(record.at);
  to["run_id"] = record.run_id;
  if (!record.raw_log.empty()) to["raw_log"] = record.raw_log;
  to["outcome"] = name_of(record.outcome);
  to["progress"] = progress_text(record);
  if (record.failed) to["failed"] = true;
  if (record.done) to["done"] = true;
  if (record.changed) to["changed"] = true;
  if (!record.tree.empty()) to["tree"] = record.tree;
  if (!record.commit.empty()) to["commit"] = record.commit;
  if (!record.commit_before.empty()) to["commit_before"] = record.commit_before;
  if (!record.head.empty()) to["head"] = record.head;
  if (!record.note.empty()) to["note"] = record.note;
  if (!record.model.empty()) to["model"] = record.model;
  if (!record.taken_back.empty()) to["taken_back"] = record.taken_back;
  if (record.verification) to["verification"] = document_of(*record.verification);
  if (record.cost_usd) to["cost_usd"] = *record.cost_usd;
  to["tokens"] = document_of(record.tokens);
  to["time_ms"] = document_of(record.time);
  to["tool_calls"] = record.tool_calls;
  return json::write(to);
}

std::optional<LoopRecord> read_record(std::string_view line) {
  const auto parsed = json::parse(line, "a record");
  if (!parsed || !parsed->is_object()) return std::nullopt;
  // What is not known to us may have cost something all the same.
  const auto step =
      kRecordSteps.find(json::text(*parsed, "step")).value_or(LoopRecord::Step::attempt);
  const auto at = parse_iso(json::text(*parsed, "timestamp"));
  if (!at || json::integer(*parsed, "iteration") < 0) return std::nullopt;
  LoopRecord record;
  record.step = step;
  record.iteration = json::integer(*parsed, "iteration");
  record.at = *at;
  record.run_id = json::text(*parsed, "run_id");
  record.raw_log = json::text(*parsed, "raw_log");
  record.outcome = step_outcome_named(json::text(*parsed, "outcome"));
  record.failed = json::boolean(*parsed, "failed");
  set_progress(record, json::text(*parsed, "progress"));
  record.done = json::boolean(*parsed, "done");
  record.changed = json::boolean(*parsed, "changed");
  record.tree = json::text(*parsed, "tree");
  record.commit = json::text(*parsed, "commit");
  record.commit_before = json::text(*parsed, "commit_before");
  record.head = json::text(*parsed, "head");
  record.note = json::text(*parsed, "note");
  record.model = json::text(*parsed, "model");
  record.taken_back = integers_of(json::member(*parsed, "taken_back"));
  const auto verification = parsed->find("verification");
  if (verification != parsed->end()) record.verification = verification_of(*verification);
  const auto cost = json::number(*parsed, "cost_usd");
  if (cost && std::isfinite(*cost) && *cost >= 0) record.cost_usd = cost;
  record.tokens = tokens_of(json::member(*parsed, "tokens"));
  record.time = time_split_of(json::member(*parsed, "time_ms"));
  record.tool_calls = json::integer(*parsed, "tool_calls");
  return record;
}

}  // namespace ralph::store
