#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/grade/grader.h"
#include "bench/trial/execution.h"
#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/json/document.h"

namespace ralph::report {

inline constexpr std::string_view kLogName = "youbencha.log.json";
inline constexpr std::string_view kLogAlias = "youbencha-log.json";
inline constexpr std::string_view kResultsName = "results.json";

/// Who wrote the files, and where.
struct Writer {
  std::string version;                      // of this program
  std::filesystem::path working_directory;  // of this program
};

/// The facts of one graded trial or directory, for results.json.
struct Bundle {
  // test_case
  std::string name, description, config_file, config_hash, repo, branch, commit, expected_branch;
  // execution
  UtcTime started, completed;
  Millis duration{0};
  std::filesystem::path workspace;  // of the run
  // agent; without one it is "manual"
  const trial::Execution* execution = nullptr;
  std::vector<grade::GradeResult> grades;
  std::filesystem::path artifacts;  // its files are listed
};

/// The normalised log of an agent's run, whatever agent it was.
std::string log_json(const trial::Execution& execution, const Writer& writer);
/// The log of a directory that no agent changed.
std::string manual_log_json(UtcTime started, UtcTime completed, const Writer& writer);
std::string results_json(const Bundle& bundle, const Writer& writer);

/// Writes youbencha.log.json, and youbencha-log.json as a link to it. Secrets are masked.
Result<> write_log(const std::filesystem::path& artifacts, const std::string& json,
                   const Masker& masker);
Result<> write_results(const std::filesystem::path& artifacts, const std::string& json,
                       const Masker& masker);

/// Reads results.json of this program or of youBencha. Code::malformed: the error lists what is wrong.
Result<json::Document> read_results(const std::filesystem::path& file);

/// A report for people.
std::string markdown(const json::Document& results);

enum class ReportFormat { json, markdown };
/// Reads results.json and makes a report of it; as JSON it is the file again.
Result<std::string> make_report(const std::filesystem::path& file, ReportFormat format);

/// JSON Schemas of the files: "log" and "results"; empty: no such schema.
std::string output_schema(std::string_view name);

}  // namespace ralph::report
