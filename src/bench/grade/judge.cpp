// The grader `agentic-judge`: an agent scores assertions about what another agent left.
#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graders_impl.h"
#include "bench/grade/judge_answer.h"
#include "bench/grade/judge_prompt.h"
#include "bench/grade/judge_view.h"
#include "core/base/id.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr Millis kJudgeTimeout{300'000};
constexpr double kJudgeThreshold = 0.5;
/// Classes of failures that no text in the graded work causes.
constexpr std::string_view kOutages = "auth rate_limit overloaded network";

/// The settings of a judge.
struct JudgeSettings {
  trial::AgentSpec agent;
  std::vector<Assertion> assertions;
  Millis timeout = kJudgeTimeout;
  double threshold = kJudgeThreshold;
  std::int64_t votes = 1;
};

/// Without assertions, the prompt of the judge is one.
std::vector<Assertion> assertions_or_prompt(const Document& config, const std::string& prompt) {
  auto assertions = assertions_of(config);
  if (assertions.empty() && !prompt.empty()) {
    assertions.push_back({"overall", "What is described above is true."});
  }
  return assertions;
}

trial::AgentSpec agent_of_judge(const Document& config) {
  trial::AgentSpec agent;
  agent.type = json::text(config, "type");
  agent.agent_name = json::text(config, "agent_name");
  agent.model = json::text(config, "model");
  agent.output_format = json::text(config, "output_format");
  agent.extra_args = json::texts(config, "extra_args");
  agent.command = json::texts(config, "command");
  for (const auto& [name, value] : json::member(config, "env").items()) {
    if (value.is_string()) agent.env.push_back({name, value.get<std::string>()});
  }
  agent.only_reads = true;
  return agent;
}

JudgeSettings settings_of(const trial::GraderSpec& spec) {
  const auto config = Document::parse(spec.config);
  JudgeSettings settings;
  settings.agent = agent_of_judge(config);
  settings.assertions = assertions_or_prompt(config, spec.prompt + spec.instructions);
  if (const auto ms = json::number(config, "timeout")) {
    settings.timeout = std::max(Millis{1}, Millis(static_cast<std::int64_t>(*ms)));
  }
  settings.threshold = json::number(config, "threshold").value_or(kJudgeThreshold);
  if (const auto votes = json::integer(config, "votes"); votes > 0) settings.votes = votes;
  settings.agent.answer_schema = answer_schema(settings.assertions);
  return settings;
}

/// A directory name for the logs of a judge: its name may contain anything.
fs::path judge_folder(const fs::path& artifacts, std::string_view grader) {
  std::string name;
  for (const char c : grader.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '-';
  }
  auto folder = artifacts / "judges" / name;
  std::error_code error;
  for (int i = 2; fs::exists(folder, error); ++i) {
    folder = artifacts / "judges" / fmt::format("{}-{}", name, i);
  }
  return folder;
}

std::string task_of_agent(const trial::Execution* execution) {
  if (execution == nullptr) return {};
  const auto found =
      std::ranges::find(execution->messages, trial::Message::Role::user, &trial::Message::role);
  return found == execution->messages.end() ? "" : found->content;
}

/// What the judge used, apart from what the agent used.
struct JudgeUse {
  stream::Tokens tokens;
  std::optional<double> cost = 0;
  Millis duration{0};
  std::string model;

  void add(const trial::Execution& run) {
    tokens.input_uncached += run.usage.input_uncached;
    tokens.cache_read += run.usage.cache_read;
    tokens.cache_write += run.usage.cache_write;
    tokens.output += run.usage.output;
    cost = cost && run.cost_usd ? std::optional(*cost + *run.cost_usd) : std::nullopt;
    duration += run.duration;
    model = run.model;
  }
};

class Judge final : public Grader {
 public:
  explicit Judge(const trial::GraderSpec& spec) : spec_(spec), settings_(settings_of(spec)) {}
  std::string_view name() const override { return spec_.name; }
  GradeResult grade(const GradeContext& context) const override;

 private:
  std::string prompt_for(const GradeContext& context, const JudgeView& view) const;
  Vote ask_once(const GradeContext& context, const fs::path& logs, JudgeUse& use) const;
  Document metrics_of(const std::vector<Vote>& votes, const JudgeUse& use) const;
  GradeResult count(const std::vector<Vote>& votes, const JudgeUse& use) const;

  trial::GraderSpec spec_;
  JudgeSettings settings_;
};

std::string Judge::prompt_for(const GradeContext& context, const JudgeView& view) const {
  JudgePrompt prompt;
  prompt.instructions = spec_.instructions;
  prompt.prompt = spec_.prompt;
  prompt.by_named_agent = !settings_.agent.agent_name.empty();
  prompt.assertions = settings_.assertions;
  prompt.threshold = settings_.threshold;
  prompt.task = task_of_agent(context.execution);
  prompt.patch = patch_of(context);
  prompt.reset_files = view.reset_files().size();
  prompt.mark = "DATA-" + random_hex(8);
  return to_text(prompt);
}

/// Each vote is a new agent with a new copy of the files.
Vote Judge::ask_once(const GradeContext& context, const fs::path& logs, JudgeUse& use) const {
  const auto view = JudgeView::create(context, logs / "files");
  if (!view) return {.problem = describe(view.error())};
  auto agent = settings_.agent;
  agent.prompt = prompt_for(context, *view);
  const auto run = context.run_agent(agent, view->folder(), logs, settings_.timeout);
  if (!run) return {.problem = describe(run.error()), .unavailable = true};
  use.add(*run);
  if (run->status != trial::TrialStatus::success) {
    return {.problem = fmt::format("the judge ended with {}: {}", to_string(run->status),
                                   run->errors.empty() ? run->message : run->errors[0].message),
            .unavailable = has_word(kOutages, run->failure_class)};
  }
  return run->structured.empty()
             ? read_text_vote(run->answer, settings_.assertions, settings_.threshold)
             : read_vote(run->structured, settings_.assertions, settings_.threshold);
}

Document Judge::metrics_of(const std::vector<Vote>& votes, const JudgeUse& use) const {
  Document list = Document::array();
  for (const auto& vote : votes) {
    Document one{{"status", to_string(vote.status)}, {"scores", Document::parse(vote.scores)}};
    if (!vote.message.empty()) one["message"] = vote.message;
    if (!vote.problem.empty()) one["problem"] = vote.problem;
    list.push_back(std::move(one));
  }
  Document metrics{{"agent_type", settings_.agent.type},
                   {"agent_duration_ms", use.duration.count()},
                   {"x_votes", std::move(list)},
                   {"x_threshold", number(settings_.threshold)},
                   {"x_model", use.model},
                   {"x_tokens",
                    {{"input", use.tokens.input_uncached},
                     {"cache_read", use.tokens.cache_read},
                     {"cache_write", use.tokens.cache_write},
                     {"output", use.tokens.output}}}};
  if (use.cost) metrics["x_cost_usd"] = number(*use.cost);
  return metrics;
}

/// What a vote says about the result.
std::string message_of(const std::vector<Vote>& votes, GradeStatus status, const Vote& vote) {
  const auto mark = status == GradeStatus::passed   ? "✓ "
                    : status == GradeStatus::failed ? "✗ "
                                                    : "";
  if (votes.size() == 1) {
    return vote.problem.empty() ? mark + vote.message : mark + ("no verdict: " + vote.problem);
  }
  const auto counted = std::ranges::count(votes, status, &Vote::status);
  if (2 * counted > std::ssize(votes)) {
    return fmt::format("{}{} of {} votes: {}", mark, counted, votes.size(), vote.message);
  }
  return fmt::format("{}no majority of {} votes: {}", mark, votes.size(),
                     vote.problem.empty() ? "the votes are equally divided" : vote.problem);
}

GradeResult Judge::count(const std::vector<Vote>& votes, const JudgeUse& use) const {
  GradeResult result;
  result.status = majority(votes);
  const bool decided =
      2 * std::ranges::count(votes, result.status, &Vote::status) > std::ssize(votes) &&
      result.status != GradeStatus::skipped;
  auto shown = decided
                   ? std::ranges::find(votes, result.status, &Vote::status)
                   : std::ranges::find_if(votes, [](auto& vote) { return !vote.problem.empty(); });
  if (shown == votes.end()) shown = votes.begin();
  result.message = message_of(votes, result.status, *shown);
  if (!decided) result.error = shown->problem;
  result.metrics = json::write(metrics_of(votes, use));
  result.assertions = mean_scores(votes, settings_.assertions);
  return result;
}

GradeResult Judge::grade(const GradeContext& context) const {
  if (settings_.assertions.empty()) return skipped("no assertions", "config needs 'assertions'");
  if (!context.run_agent) return skipped("no agent can be run here", "there is no agent runner");
  const auto folder = judge_folder(context.artifacts, spec_.name);
  std::vector<Vote> votes;
  JudgeUse use;
  for (std::int64_t i = 1; i <= settings_.votes && !context.stop.stop_requested(); ++i) {
    context.progress(fmt::format("{}: vote {} of {}", spec_.name, i, settings_.votes));
    votes.push_back(ask_once(context, folder / fmt::format("vote-{}", i), use));
  }
  if (std::ssize(votes) < settings_.votes) return stopped();
  auto result = count(votes, use);
  const auto changed = undo_changes_of_judge(context);
  if (changed && !*changed) return result;
  auto refused =
      not_graded(changed ? Error{Code::permission, "the judge changed the files that it graded", {}}
                         : changed.error());
  refused.metrics = std::move(result.metrics);
  return refused;
}

}  // namespace

std::optional<trial::AgentSpec> judge_of(const trial::GraderSpec& spec) {
  if (!trial::is_judge_name(spec.name)) return std::nullopt;
  auto agent = settings_of(spec).agent;
  agent.prompt = trial::kJudgeName;  // a prompt is made when the agent has ended
  return agent;
}

std::unique_ptr<Grader> make_judge(const trial::GraderSpec& spec) {
  return std::make_unique<Judge>(spec);
}

}  // namespace ralph::grade
