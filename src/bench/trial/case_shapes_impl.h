#pragma once
#include "bench/trial/shape.h"

namespace ralph::trial {

// The tables of the files: every key with its rules.
extern const Shape kPublicTestCase;  // `repo` is a public http(s) address
extern const Shape kLocalTestCase;   // or a local repository
extern const Shape kEvalCase;
extern const Shape kEvaluatorDefinition;
extern const Shape kCommandConfig;  // `config` of the grader `command`
extern const Shape kJudgeConfig;    // `config` of an agentic-judge
extern const Shape kDefaultsFile;
/// The names of the settings in `agent.config`, and of those in `agent` beside it.
std::vector<std::string> agent_config_keys();
std::vector<std::string> agent_keys();

/// A rule: a path that does not lead out of the directory.
std::string check_inside(const config::Node& node);

/// `config` of a grader that runs no code and no agent.
struct GraderShape {
  std::string_view grader;
  const Shape* shape;
};
std::span<const GraderShape> measuring_graders();

}  // namespace ralph::trial
