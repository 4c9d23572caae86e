#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "bench/report/bundle.h"
#include "bench/report/parts_impl.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/schema/schema.h"

namespace ralph::report {
namespace {

namespace fs = std::filesystem;
using grade::GradeResult;
using grade::GradeStatus;
using json::Document;

constexpr std::size_t kLargestResults = std::size_t{256} << 20;

std::string system_name() {
  struct utsname name{};
  ::uname(&name);
  return fmt::format("linux {}", name.release);
}

Document test_case_json(const Bundle& bundle) {
  Document json{{"name", bundle.name},
                {"description", bundle.description},
                {"config_file", bundle.config_file},
                {"config_hash", bundle.config_hash},
                {"repo", bundle.repo},
                {"branch", bundle.branch},
                {"commit", bundle.commit}};
  if (!bundle.expected_branch.empty()) json["expected_branch"] = bundle.expected_branch;
  return json;
}

Document execution_json_of(const Bundle& bundle, const Writer& writer) {
  return {{"started_at", iso_utc(bundle.started)},
          {"completed_at", iso_utc(bundle.completed)},
          {"duration_ms", bundle.duration.count()},
          {"youbencha_version", writer.version},
          {"environment",
           {{"os", system_name()},
            {"node_version", "none"},
            {"workspace_dir", utf8::repaired(bundle.workspace.native())}}}};
}

Document agent_json(const Bundle& bundle) {
  const auto* run = bundle.execution;
  Document json{{"type", run == nullptr ? "manual" : run->type},
                {"youbencha_log_path", kLogName},
                {"status", run == nullptr ? "success" : file_word(run->status)},
                {"exit_code", run == nullptr ? 0 : run->exit_code}};
  if (run == nullptr) return json;
  auto extra = outcome_json(*run);
  extra["message"] = run->message;
  extra["model"] = run->model;
  extra["version"] = run->version;
  extra["duration_ms"] = run->duration.count();
  if (run->counted) {
    extra["tokens"] = {{"input", run->usage.input_uncached},
                       {"cache_read", run->usage.cache_read},
                       {"cache_write", run->usage.cache_write},
                       {"output", run->usage.output}};
  }
  if (run->cost_usd) extra["cost_usd"] = number(*run->cost_usd);
  json["x_ralph"] = std::move(extra);
  return json;
}

Document grade_json(const GradeResult& result) {
  Document json{{"evaluator", result.grader},
                {"status", to_string(result.status)},
                {"metrics", Document::parse(result.metrics)},
                {"message", result.message},
                {"duration_ms", result.duration.count()},
                {"timestamp", iso_utc(result.time)}};
  if (!result.assertions.empty()) json["assertions"] = Document::parse(result.assertions);
  if (!result.artifacts.empty()) {
    Document files = Document::array();
    for (const auto& file : result.artifacts) {
      files.push_back(
          {{"type", file.type}, {"path", file.path}, {"description", file.description}});
    }
    json["artifacts"] = std::move(files);
  }
  if (!result.error.empty()) json["error"] = {{"message", result.error}};
  return json;
}

Document summary_json(const std::vector<GradeResult>& grades) {
  const auto count = [&](GradeStatus status) {
    return std::ranges::count(grades, status, &GradeResult::status);
  };
  return {{"total_evaluators", grades.size()},
          {"passed", count(GradeStatus::passed)},
          {"failed", count(GradeStatus::failed)},
          {"skipped", count(GradeStatus::skipped)},
          {"overall_status", grade::overall_status(grades)}};
}

/// Every file below artifacts/ but the log, the results and ralph's own state.
Document artifact_list(const fs::path& artifacts) {
  std::vector<std::string> paths;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(artifacts, error);
  for (const auto end = fs::recursive_directory_iterator(); !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().native();
    if (name == ".ralph") {
      entry.disable_recursion_pending();
      continue;
    }
    const bool ours = name.contains(kLogName) || name == kLogAlias || name.contains(kResultsName);
    if (ours || !entry->is_regular_file(error)) continue;
    paths.push_back(utf8::repaired(entry->path().lexically_relative(artifacts).generic_string()));
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

Document number(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (std::trunc(value) == value && std::abs(value) < kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

std::string results_json(const Bundle& bundle, const Writer& writer) {
  Document grades = Document::array();
  for (const auto& result : bundle.grades) grades.push_back(grade_json(result));
  Document results{{"version", "1.0.0"}};
  results["test_case"] = test_case_json(bundle);
  results["execution"] = execution_json_of(bundle, writer);
  results["agent"] = agent_json(bundle);
  results["evaluators"] = std::move(grades);
  results["summary"] = summary_json(bundle.grades);
  results["artifacts"] = {{"agent_log", kLogName},
                          {"reports", Document::array()},
                          {"evaluator_artifacts", artifact_list(bundle.artifacts)}};
  auto text = json::write_pretty(results);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

Result<Document> read_results(const fs::path& file) {
  TRY_ASSIGN(const auto text, read_file(file, kLargestResults));
  TRY_ASSIGN(auto results, json::parse(text, file.native()));
  TRY_ASSIGN(const auto schema_text, json::parse(output_schema("results")));
  TRY_ASSIGN(const auto schema, schema::Schema::compile(schema_text));
  std::vector<std::string> problems;
  for (const auto& violation : schema.validate(results)) {
    problems.push_back(violation.pointer.empty()
                           ? violation.message
                           : fmt::format("{} {}", violation.pointer, violation.message));
  }
  if (problems.empty()) return results;
  return fail(Code::malformed, fmt::format("'{}' is not a results file: {}", file.native(),
                                           fmt::join(problems, "; ")));
}

}  // namespace ralph::report
