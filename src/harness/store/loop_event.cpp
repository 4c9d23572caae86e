#include "harness/store/loop_event.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/base/words.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/writer.h"

namespace ralph::store {
namespace {

using json::Document;

constexpr Words<AgentRole, 2> kRoles{{"worker", "summarizer"}};
constexpr Words<WaitReason, 3> kWaits{{"rate_limit", "outage", "failure"}};

/// The word of each step in the file, in the order of LoopStep.
constexpr auto kStepNames = std::to_array<std::string_view>(
    {"started", "iteration_started", "guidance_taken", "iteration_ended", "verifying", "verified",
     "refused", "committed", "rolled_back", "waiting", "note", "ended"});
static_assert(kStepNames.size() + 1 == std::variant_size_v<LoopStep>);

/// Writes the members of a step.
class Writer {
 public:
  explicit Writer(json::ObjectWriter& to) : to_(to) {}

  void operator()(std::string_view key, const std::string& text) {
    to_.text(key, utf8::repaired(text));
  }
  void operator()(std::string_view key, std::int64_t number) { to_.number(key, number); }
  void operator()(std::string_view key, bool value) { to_.boolean(key, value); }
  void operator()(std::string_view key, Millis time) {
    to_.number(key, std::int64_t{time.count()});
  }
  void operator()(std::string_view key, UtcTime time) { to_.text(key, iso_utc(time)); }
  void operator()(std::string_view key, AgentRole role) { to_.text(key, kRoles.of(role)); }
  void operator()(std::string_view key, WaitReason reason) { to_.text(key, kWaits.of(reason)); }
  void operator()(std::string_view key, stream::Level level) {
    to_.text(key, stream::to_string(level));
  }
  void operator()(std::string_view key, StopReason reason) { to_.text(key, row(reason).name); }
  void operator()(std::string_view key, const StepOutcome& outcome) {
    to_.text(key, name_of(outcome));
  }
  void operator()(std::string_view key, const std::optional<std::int64_t>& number) {
    if (number) to_.number(key, *number);
  }
  void operator()(std::string_view key, const std::optional<double>& number) {
    if (number) to_.number(key, *number);
  }
  void operator()(std::string_view key, const std::vector<std::string>& texts) {
    std::string list;
    for (const auto& text : texts) {
      list += list.empty() ? "[" : ",";
      json::append_string(list, utf8::repaired(text));
    }
    to_.raw(key, list.empty() ? "[]" : list + "]");
  }

 private:
  json::ObjectWriter& to_;
};

/// Reads them back; what is missing or of another type keeps its default.
class Reader {
 public:
  explicit Reader(const Document& from) : from_(from) {}

  void operator()(std::string_view key, std::string& text) { text = json::text(from_, key); }
  void operator()(std::string_view key, std::int64_t& number) {
    number = json::integer(from_, key);
  }
  void operator()(std::string_view key, bool& value) { value = json::boolean(from_, key); }
  void operator()(std::string_view key, Millis& time) { time = Millis(json::integer(from_, key)); }
  void operator()(std::string_view key, UtcTime& time) {
    time = parse_iso(json::text(from_, key)).value_or(time);
  }
  void operator()(std::string_view key, AgentRole& role) { word(key, kRoles, role); }
  void operator()(std::string_view key, WaitReason& reason) { word(key, kWaits, reason); }
  void operator()(std::string_view key, stream::Level& level) {
    level = stream::level_named(json::text(from_, key)).value_or(level);
  }
  void operator()(std::string_view key, StopReason& reason) {
    reason = stop_reason_named(json::text(from_, key)).value_or(StopReason::unknown);
  }
  void operator()(std::string_view key, StepOutcome& outcome) {
    outcome = step_outcome_named(json::text(from_, key));
  }
  void operator()(std::string_view key, std::optional<std::int64_t>& number) {
    if (json::member(from_, key).is_number_integer()) number = json::integer(from_, key);
  }
  void operator()(std::string_view key, std::optional<double>& number) {
    number = json::number(from_, key);
    if (number && !std::isfinite(*number)) number.reset();
  }
  void operator()(std::string_view key, std::vector<std::string>& texts) {
    texts = json::texts(from_, key);
  }

 private:
  template <typename Table, typename Enum>
  void word(std::string_view key, const Table& table, Enum& value) {
    value = table.find(json::text(from_, key)).value_or(value);
  }

  const Document& from_;
};

// The members of each step. Visit is a Writer, with a const step, or a Reader.
template <typename Step, typename Kind>
concept Is = std::is_same_v<std::remove_const_t<Step>, Kind>;

template <typename Visit, Is<LoopStarted> Step>
void members(Visit visit, Step& step) {
  visit("loop_id", step.loop_id);
  visit("backend", step.backend);
  visit("model", step.model);
  visit("goal_file", step.goal_file);
  visit("resumed", step.resumed);
  visit("max_iterations", step.max_iterations);
  visit("max_cost_usd", step.max_cost_usd);
}

template <typename Visit, Is<IterationStarted> Step>
void members(Visit visit, Step& step) {
  visit("iteration", step.iteration);
  visit("kind", step.role);
  visit("run_id", step.run_id);
}

template <typename Visit, Is<GuidanceTaken> Step>
void members(Visit visit, Step& step) {
  visit("iteration", step.iteration);
  visit("messages", step.messages);
}

template <typename Visit, Is<IterationEnded> Step>
void members(Visit visit, Step& step) {
  visit("iteration", step.iteration);
  visit("kind", step.role);
  visit("run_id", step.run_id);
  visit("outcome", step.outcome);
  visit("failed", step.failed);
  visit("done", step.done);
  visit("changed", step.changed);
  visit("cost_usd", step.cost_usd);
  visit("duration_ms", step.duration);
}

template <typename Visit, Is<VerificationStarted> Step>
void members(Visit visit, Step& step) {
  visit("commands", step.commands);
}

template <typename Visit, Is<VerificationEnded> Step>
void members(Visit visit, Step& step) {
  constexpr bool kWrites = std::is_const_v<Step>;
  visit("passed", step.passed);
  visit("duration_ms", step.duration);
  if (!kWrites || !step.where.empty()) visit("where", step.where);
  if (kWrites && step.passed) return;
  visit("command", step.command);
  visit("reason", step.reason);
  visit("tail", step.tail);
}

template <typename Visit, Is<DoneRefused> Step>
void members(Visit visit, Step& step) {
  visit("iteration", step.iteration);
  visit("in_a_row", step.in_a_row);
}

template <typename Visit, typename Step>
  requires Is<Step, IterationCommitted> || Is<Step, IterationRolledBack>
void members(Visit visit, Step& step) {
  visit("commit", step.commit);
  visit("iteration", step.iteration);
}

template <typename Visit, Is<WaitStarted> Step>
void members(Visit visit, Step& step) {
  visit("reason", step.reason);
  visit("for", step.text);
  visit("until", step.until);
}

template <typename Visit, Is<LoopNote> Step>
void members(Visit visit, Step& step) {
  visit("level", step.level);
  visit("text", step.text);
}

template <typename Visit, Is<LoopEnded> Step>
void members(Visit visit, Step& step) {
  visit("end", step.reason);
  visit("why", step.why);
  visit("exit_code", step.exit_code);
}

std::string write(const LoopStep& step, std::optional<UtcTime> at) {
  if (const auto* unknown = std::get_if<UnknownStep>(&step)) return unknown->raw;
  std::string out;
  json::ObjectWriter to(out);
  to.text("type", "loop").text("step", kStepNames[step.index()]);
  if (at) to.text("at", iso_utc(*at));
  std::visit(
      [&]<typename S>(const S& known) {
        if constexpr (!std::is_same_v<S, UnknownStep>) members(Writer(to), known);
      },
      step);
  to.close();
  return out;
}

/// The step of the I-th word.
template <std::size_t I>
LoopStep read_as(const Document& from) {
  std::variant_alternative_t<I, LoopStep> step;
  members(Reader(from), step);
  return step;
}

using ReadStep = LoopStep (*)(const Document&);
template <std::size_t... I>
constexpr std::array<ReadStep, sizeof...(I)> readers(std::index_sequence<I...>) {
  return {&read_as<I>...};
}
constexpr auto kReaders = readers(std::make_index_sequence<kStepNames.size()>());

}  // namespace

std::string_view to_string(AgentRole role) { return kRoles.of(role); }

std::string write_step(const LoopStep& step) { return write(step, std::nullopt); }
std::string write_event(const LoopEvent& event) { return write(event.step, event.at); }

std::optional<LoopEvent> read_event(std::string_view line) {
  const auto parsed = json::parse(line, "a step of the loop");
  if (!parsed || json::text(*parsed, "type") != "loop") return std::nullopt;
  const auto at = parse_iso(json::text(*parsed, "at"));
  if (!at) return std::nullopt;
  auto name = json::text(*parsed, "step");
  const auto known = std::ranges::find(kStepNames, name);
  if (known == kStepNames.end())
    return LoopEvent{*at, UnknownStep{std::move(name), std::string(line)}};
  return LoopEvent{*at, kReaders[static_cast<std::size_t>(known - kStepNames.begin())](*parsed)};
}

}  // namespace ralph::store
