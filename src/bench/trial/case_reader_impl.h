#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/case_node_impl.h"
#include "bench/trial/problem.h"
#include "bench/trial/shape.h"
#include "bench/trial/test_case.h"
#include "core/config/yaml.h"
#include "core/json/document.h"

namespace ralph::trial {

/// Reads one case file, which may be a pipe, with the files that it names. Call read() first; each part reports its own problems, also if
/// another part has some.
class CaseReader {
 public:
  CaseReader(std::filesystem::path file, const ReadOptions& options)
      : file_(std::move(file)), folder_(case_folder(file_)), options_(options) {}

  /// Whether it describes a directory to grade (`directory:`) and not a test case.
  bool is_eval_case();
  /// null: there are problems.
  json::Document read(const Shape& shape);
  void check_expected();
  /// Also the options that are known to be wrong before the repository is there.
  void check_agent();
  /// Of `prompt` or `prompt_file`.
  std::string read_prompt();
  /// The graders without problems of form. `{file: F}` becomes the name and the settings in F, in the document too.
  std::vector<GraderSpec> read_graders(json::Document& document);
  std::string path_beside(const std::string& path) const;

  std::vector<Problem> problems, warnings;

 private:
  bool load();
  /// A grader as a file has it.
  struct GraderNode {
    config::Node node;  // with `name` and perhaps `config`
    std::string file;
    std::string path;  // "evaluators.0"
  };
  void complain(std::string path, std::string message);
  GraderNode grader_node(const config::Node& item, const std::string& path);
  config::Node read_definition(const std::string& name, const std::string& path);
  GraderSpec read_grader(const GraderNode& grader);
  void warn_of_unknown_options(const config::Node& config);
  void check_options(std::string_view type, const config::Node& config);
  void check_mcp_config(const std::string& name);
  void check_name(const GraderNode& grader, const config::Node& name);
  void check_settings(const GraderNode& grader, const Shape& shape);
  void check_branch(const GraderNode& grader, const config::Node& name);
  void check_judge(const GraderNode& grader);
  void read_judge_texts(GraderSpec& spec, const std::string& path);
  std::string read_text(const std::string& name, const std::string& path);
  int line_of(std::string_view path) const;

  std::filesystem::path file_, folder_;
  const ReadOptions& options_;
  bool was_read_ = false;
  config::Node node_;
  bool is_test_case_ = false;  // not an eval file
};

}  // namespace ralph::trial
