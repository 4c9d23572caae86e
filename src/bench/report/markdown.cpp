#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/report/bundle.h"
#include "core/json/field.h"

namespace ralph::report {
namespace {

using json::Document;
using json::member;

constexpr std::size_t kShownFiles = 20;

std::string_view mark_of(std::string_view status) {
  if (status == "passed" || status == "success") return "✅";
  if (status == "failed") return "❌";
  return status == "timeout" ? "⏱️" : "⚠️";
}

/// On one line of a table.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

std::string value_text(const Document& value) {
  if (value.is_string()) return cell(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.4g}", value.get<double>());
  return cell(json::write(value));
}

std::string row(std::string_view name, const Document& value) {
  return value.is_null() ? "" : fmt::format("| {} | {} |\n", name, value_text(value));
}

std::string table(const Document& object,
                  std::initializer_list<std::pair<const char*, const char*>> rows) {
  std::string text = "| | |\n|---|---|\n";
  for (const auto& [title, key] : rows) text += row(title, member(object, key));
  return text + "\n";
}

std::string summary_section(const Document& results) {
  const auto& summary = member(results, "summary");
  const auto status = json::text(summary, "overall_status");
  const auto agent_status = json::text(member(results, "agent"), "status");
  return fmt::format("## Summary\n\n**Graders:** {} {}\n\n**Agent:** {} {}\n\n", mark_of(status),
                     status, mark_of(agent_status), agent_status) +
         table(summary, {{"Graders", "total_evaluators"},
                         {"Passed", "passed"},
                         {"Failed", "failed"},
                         {"Skipped", "skipped"}});
}

std::string case_section(const Document& results) {
  return "## Test Case Configuration\n\n" +
         table(member(results, "test_case"), {{"Name", "name"},
                                              {"Description", "description"},
                                              {"File", "config_file"},
                                              {"Hash", "config_hash"},
                                              {"Repository", "repo"},
                                              {"Branch", "branch"},
                                              {"Commit", "commit"},
                                              {"Expected branch", "expected_branch"}});
}

std::string execution_section(const Document& results) {
  const auto& execution = member(results, "execution");
  auto text = "## Execution Details\n\n" + table(execution, {{"Started", "started_at"},
                                                             {"Completed", "completed_at"},
                                                             {"Duration (ms)", "duration_ms"},
                                                             {"Version", "youbencha_version"}});
  const auto& agent = member(results, "agent");
  text += "## Agent Execution\n\n" + table(agent, {{"Agent", "type"},
                                                   {"Status", "status"},
                                                   {"Exit code", "exit_code"},
                                                   {"Log", "youbencha_log_path"}});
  const auto& extra = member(agent, "x_ralph");
  if (!extra.is_object()) return text;
  return text + table(extra, {{"Outcome", "outcome"},
                              {"Message", "message"},
                              {"Model", "model"},
                              {"Version", "version"},
                              {"Turns", "turns"},
                              {"Tool calls", "tool_calls"},
                              {"Tokens", "tokens"},
                              {"Cost (USD)", "cost_usd"}});
}

/// The least similar files first.
std::string similarity_table(const Document& files) {
  std::vector<Document> sorted(files.begin(), files.end());
  std::ranges::stable_sort(sorted, {}, [](const Document& file) {
    return json::number(file, "similarity").value_or(0);
  });
  std::string text = "| File | Similarity | Status |\n|---|---|---|\n";
  for (std::size_t i = 0; i < std::min(sorted.size(), kShownFiles); ++i) {
    text += fmt::format("| {} | {:.1f}% | {} |\n", cell(json::text(sorted[i], "path")),
                        json::number(sorted[i], "similarity").value_or(0) * 100,
                        json::text(sorted[i], "status"));
  }
  if (sorted.size() > kShownFiles)
    text += fmt::format("\n{} more files\n", sorted.size() - kShownFiles);
  return text + "\n";
}

std::string object_table(std::string_view title, const Document& object) {
  if (!object.is_object() || object.empty()) return {};
  auto text = fmt::format("| {} | |\n|---|---|\n", title);
  for (const auto& [key, value] : object.items()) {
    if (key != "file_similarities") text += row(cell(key), value);
  }
  return text + "\n";
}

std::string grader_section(const Document& grade) {
  const auto status = json::text(grade, "status");
  auto text =
      fmt::format("### {} {}\n\n**Status:** {}\n\n**Message:** {}\n\n**Duration:** {}ms\n\n",
                  mark_of(status), json::text(grade, "evaluator"), status,
                  json::text(grade, "message"), json::integer(grade, "duration_ms"));
  const auto& metrics = member(grade, "metrics");
  text += object_table("Metric", metrics);
  if (const auto& files = member(metrics, "file_similarities"); files.is_array()) {
    text += similarity_table(files);
  }
  text += object_table("Assertion", member(grade, "assertions"));
  const auto problem = json::text(member(grade, "error"), "message");
  return problem.empty() ? text : text + fmt::format("**Error:** {}\n\n", problem);
}

}  // namespace

std::string markdown(const Document& results) {
  auto text = fmt::format("# Results: {}\n\n", json::text(member(results, "test_case"), "name"));
  text += summary_section(results) + case_section(results) + execution_section(results);
  text += "## Graders\n\n";
  for (const auto& grade : member(results, "evaluators")) text += grader_section(grade);
  const auto& artifacts = member(results, "artifacts");
  text += fmt::format("## Artifacts\n\n- {}\n", json::text(artifacts, "agent_log"));
  for (const auto& file : member(artifacts, "evaluator_artifacts")) {
    if (file.is_string()) text += fmt::format("- {}\n", file.get<std::string>());
  }
  return text;
}

Result<std::string> make_report(const std::filesystem::path& file, ReportFormat format) {
  TRY_ASSIGN(const auto results, read_results(file));
  if (format == ReportFormat::markdown) return markdown(results);
  auto text = json::write_pretty(results);
  text.pop_back();
  return text;
}

}  // namespace ralph::report
