#include <array>

#include <nlohmann/json.hpp>

#include "bench/trial/case_node_impl.h"
#include "bench/trial/case_shapes_impl.h"
#include "bench/trial/test_case.h"
#include "core/json/field.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;

constexpr auto kNames = std::to_array<std::string_view>(
    {".youbencharc", ".youbencharc.yaml", ".youbencharc.yml", ".youbencharc.json",
     ".youbencha.yaml", ".youbencha.yml", ".youbencha.json"});

std::optional<fs::path> find_defaults(const fs::path& folder) {
  if (folder.empty()) return std::nullopt;
  for (const auto name : kNames) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return folder / name;
  }
  return std::nullopt;
}

void set_variable(std::vector<config::Pair>& variables, config::Pair pair) {
  for (auto& known : variables) {
    if (known.name == pair.name) {
      known.value = std::move(pair.value);
      return;
    }
  }
  variables.push_back(std::move(pair));
}

void apply_defaults(const json::Document& file, Defaults& defaults) {
  if (const auto* text = json::find_text(file, "workspace_dir")) defaults.workspace_dir = *text;
  if (const auto* text = json::find_text(file, "output_dir")) defaults.output_dir = *text;
  if (file.contains("keep_workspace"))
    defaults.keep_workspace = json::boolean(file, "keep_workspace");
  for (auto& pair : pairs(file, "variables")) set_variable(defaults.variables, std::move(pair));
  const auto& agent = json::member(file, "agent");
  const auto own = json::number(agent, "timeout_ms");
  const auto timeout = own ? own : json::number(file, "timeout_ms");
  if (timeout) defaults.timeout = Millis(static_cast<std::int64_t>(*timeout));
  if (const auto* model = json::find_text(agent, "model")) defaults.model = *model;
}

void read_one(const fs::path& folder, Checked<Defaults>& read) {
  const auto file = find_defaults(folder);
  if (!file) return;
  const auto node = read_node(*file);
  if (!node) {
    read.warnings.push_back({{}, "ignored: " + node.error().message, {}, 0});
    return;
  }
  std::vector<Problem> problems;
  check_file(*node, kDefaultsFile, *file, problems, read.warnings);
  for (auto& problem : problems) {
    problem.message = "file ignored: " + problem.message;
    read.warnings.push_back(std::move(problem));
  }
  if (problems.empty()) apply_defaults(make_document(*node, kDefaultsFile), read.value);
}

}  // namespace

std::span<const std::string_view> defaults_names() { return kNames; }

Checked<Defaults> read_defaults(const fs::path& home, const fs::path& folder) {
  Checked<Defaults> read;
  std::error_code error;
  const bool same = fs::equivalent(home, folder, error);
  if (!home.empty() && !same) read_one(home, read);
  read_one(folder, read);
  return read;
}

}  // namespace ralph::trial
