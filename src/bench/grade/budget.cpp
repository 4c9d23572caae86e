// The graders `budget` and `trajectory`: what the agent used and which tools it called.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graders_impl.h"
#include "core/json/field.h"

namespace ralph::grade {
namespace {

using json::Document;

GradeResult no_agent() { return skipped("no agent ran", "there is nothing to measure"); }

/// A limit of the grader `budget`, with what the agent used.
struct Use {
  std::string_view limit, name;
  std::optional<double> value;  // none: the agent did not report it
};

std::vector<Use> uses_of(const trial::Execution& run) {
  const auto count = [&](std::int64_t value) {
    return run.counted ? std::optional(static_cast<double>(value)) : std::nullopt;
  };
  return {
      {"max_cost_usd", "cost_usd", run.cost_usd},
      {"max_input_tokens", "input_tokens", count(run.usage.prompt())},
      {"max_output_tokens", "output_tokens", count(run.usage.output)},
      {"max_total_tokens", "total_tokens", count(run.usage.prompt() + run.usage.output)},
      {"max_turns", "turns", count(run.turns)},
      {"max_tool_calls", "tool_calls", count(run.tool_calls)},
      {"max_duration_ms", "duration_ms", static_cast<double>(run.duration.count())},
  };
}

class Budget final : public Grader {
 public:
  explicit Budget(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "budget"; }
  GradeResult grade(const GradeContext& context) const override {
    if (context.execution == nullptr) return no_agent();
    std::vector<std::string> violations;
    Document metrics = Document::object();
    int limits = 0;
    for (const auto& use : uses_of(*context.execution)) {
      if (use.value) metrics[std::string(use.name)] = number(*use.value);
      const auto limit = json::number(config_, use.limit);
      if (!limit) continue;
      ++limits;
      if (!use.value) {
        violations.push_back(
            fmt::format("{} is unknown ({} {})", use.name, use.limit, number(*limit).dump()));
      } else if (*use.value > *limit) {
        violations.push_back(fmt::format("{} ({}) exceeds {} ({})", use.name,
                                         number(*use.value).dump(), use.limit,
                                         number(*limit).dump()));
      }
    }
    if (limits == 0) return skipped("nothing to check", "config has no known limit");
    auto result = judged(fmt::format("{} of {} limits kept",
                                     static_cast<std::size_t>(limits) - violations.size(), limits),
                         violations);
    if (!violations.empty()) metrics["violations"] = violations;
    result.metrics = json::write(metrics);
    result.assertions = json::write(config_);
    return result;
  }

 private:
  Document config_;
};

using ToolCounts = std::map<std::string, std::int64_t>;

ToolCounts count_tools(const trial::Execution& run) {
  ToolCounts counts;
  for (const auto& message : run.messages) {
    for (const auto& call : message.calls) ++counts[call.name];
  }
  return counts;
}

class Trajectory final : public Grader {
 public:
  explicit Trajectory(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "trajectory"; }
  GradeResult grade(const GradeContext& context) const override {
    if (context.execution == nullptr) return no_agent();
    if (!context.execution->counted) return unknown_calls();
    const auto counts = count_tools(*context.execution);
    std::vector<std::string> violations;
    for (const auto& tool : names("required_tools")) {
      if (!counts.contains(tool)) violations.push_back(fmt::format("{} was not used", tool));
    }
    for (const auto& tool : names("forbidden_tools")) {
      if (const auto used = counts.find(tool); used != counts.end()) {
        violations.push_back(fmt::format("{} was used {} times", tool, used->second));
      }
    }
    check_denials(*context.execution, violations);
    if (context.execution->truncated) violations.push_back("the messages are not complete");
    auto result = judged(fmt::format("{} tool calls", context.execution->tool_calls), violations);
    Document metrics{{"tool_calls", context.execution->tool_calls}, {"tools", counts}};
    if (!violations.empty()) metrics["violations"] = violations;
    result.metrics = json::write(metrics);
    result.assertions = json::write(config_);
    return result;
  }

 private:
  /// Of an agent that prints plain text.
  GradeResult unknown_calls() const {
    auto result = judged("tool calls are unknown", {"the agent printed no stream-json"});
    result.assertions = json::write(config_);
    return result;
  }
  std::vector<std::string> names(std::string_view key) const {
    std::vector<std::string> list;
    const auto& value = json::member(config_, key);
    if (!value.is_array()) return list;
    for (const auto& item : value) {
      if (item.is_string()) list.push_back(item.get<std::string>());
    }
    return list;
  }
  void check_denials(const trial::Execution& run, std::vector<std::string>& violations) const {
    const auto limit = json::number(config_, "max_denials");
    if (!limit || static_cast<double>(run.denials) <= *limit) return;
    violations.push_back(
        fmt::format("denials ({}) exceeds max_denials ({})", run.denials, number(*limit).dump()));
  }

  Document config_;
};

}  // namespace

std::unique_ptr<Grader> make_budget(const trial::GraderSpec& spec) {
  return std::make_unique<Budget>(spec);
}

std::unique_ptr<Grader> make_trajectory(const trial::GraderSpec& spec) {
  return std::make_unique<Trajectory>(spec);
}

}  // namespace ralph::grade
