// The settings of the graders that measure: of misspelt ones nothing would be checked.
#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "bench/trial/case_shapes_impl.h"
#include "core/schema/ecma_pattern.h"

namespace ralph::trial {
namespace {

using config::Node;
using enum Presence;

template <typename Fields>
std::string check_any(const Node& node, const Fields& fields) {
  const auto is_set = [&](const Field& field) { return node.find(field.key) != nullptr; };
  if (std::ranges::any_of(fields, is_set)) return {};
  std::vector<std::string_view> keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return fmt::format("has nothing to check: needs one of \"{}\"", fmt::join(keys, "\", \""));
}

std::string check_not_negative(const Node& node) {
  return number_of(node) < 0 ? "Number must not be negative" : "";
}

std::string check_share(const Node& node) {
  const double value = number_of(node);
  return value < 0 || value > 1 ? "Number must be from 0 to 1" : "";
}

/// A setting that is a text or a list of texts.
std::vector<std::string> entries(const Node& node, std::string_view key) {
  const auto* value = node.find(key);
  if (value == nullptr) return {};
  if (value->kind == Node::Kind::scalar) return {value->text};
  std::vector<std::string> texts;
  for (const auto& item : value->items) texts.push_back(item.text);
  return texts;
}

/// No work could pass.
std::string check_disjoint(const Node& node, std::string_view wanted, std::string_view unwanted) {
  const auto no = entries(node, unwanted);
  for (const auto& entry : entries(node, wanted)) {
    if (std::ranges::find(no, entry) == no.end()) continue;
    return fmt::format("'{}' is in \"{}\" and in \"{}\"", entry, wanted, unwanted);
  }
  return {};
}

std::string check_entropy(const Node& node) {
  const auto *least = node.find("min_change_entropy"), *most = node.find("max_change_entropy");
  return least != nullptr && most != nullptr && number_of(*least) > number_of(*most)
             ? "\"min_change_entropy\" is greater than \"max_change_entropy\""
             : "";
}

std::string check_files(const Node& node);
std::string check_trajectory(const Node& node);

/// JavaScript has no flags in a pattern; who writes them wants lines.
std::string check_expression(const Node& node) {
  const auto pattern = schema::EcmaPattern::compile(node.text);
  if (pattern) return {};
  return fmt::format("/{}/: {}{}", node.text, pattern.error().message,
                     node.text.contains("(?m)")
                         ? R"(; instead of (?m), write (?<=^|\n) for ^ and (?=\n|$) for $)"
                         : "");
}

constexpr Shape kEntry{.type = Type::text, .least = 1};
constexpr Shape kExpression{.type = Type::text, .least = 1, .rule = check_expression};
constexpr Shape kEntries{.type = Type::list, .items = &kEntry};
constexpr Shape kPath{.type = Type::text, .least = 1, .rule = check_inside};
constexpr Shape kPathList{.type = Type::list, .items = &kPath};
constexpr const Shape* kPathOrPaths[] = {&kPath, &kPathList};
constexpr Shape kPaths{.forms = kPathOrPaths, .choose = [](const Node& node) -> const Shape* {
                         return node.kind == Node::Kind::list ? &kPathList : &kPath;
                       }};
constexpr Shape kYesOrNo{.type = Type::boolean};
constexpr Shape kLimit{.type = Type::number, .rule = check_not_negative};
constexpr Shape kShare{.type = Type::number, .rule = check_share};

constexpr Field kDiffLimits[] = {
    {"max_files_changed", &kLimit},  {"max_lines_added", &kLimit},
    {"max_lines_removed", &kLimit},  {"max_total_changes", &kLimit},
    {"min_change_entropy", &kLimit}, {"max_change_entropy", &kLimit},
};
constexpr Shape kDiffAssertions{.type = Type::object,
                                .rule = check_entropy,
                                .fields = kDiffLimits,
                                .others = OtherKeys::refused};
constexpr Field kDiffFields[] = {
    {"base_commit", &kEntry, optional, {}, "default: the state before the agent"},
    {"assertions", &kDiffAssertions, optional, {}, "limits"},
};
constexpr Shape kDiff{.type = Type::object, .fields = kDiffFields, .others = OtherKeys::refused};

constexpr Field kExpectedFields[] = {
    {"threshold", &kShare, optional, {}, "least similarity, from 0 to 1; default 0.8"},
};
constexpr Shape kExpected{
    .type = Type::object, .fields = kExpectedFields, .others = OtherKeys::refused};

constexpr Field kFilesFields[] = {
    {"exist", &kPaths, optional, {}, "paths that must exist"},
    {"absent", &kPaths, optional, {}, "paths that must not exist"},
};
constexpr Shape kFiles{.type = Type::object,
                       .rule = check_files,
                       .fields = kFilesFields,
                       .others = OtherKeys::refused};

constexpr Field kRegexCheckFields[] = {
    {"file", &kPath, required, {}, "a path in the directory"},
    {"pattern",
     &kExpression,
     required,
     {},
     "a regular expression of JavaScript; ^ and $ match only at the ends of the file"},
    {"present", &kYesOrNo, optional, {}, "false: must not be found; default true"},
};
constexpr Shape kRegexCheck{
    .type = Type::object, .fields = kRegexCheckFields, .others = OtherKeys::refused};
constexpr Shape kRegexChecks{.type = Type::list, .least = 1, .items = &kRegexCheck};
constexpr Field kRegexFields[] = {{"patterns", &kRegexChecks, required}};
constexpr Shape kRegex{.type = Type::object, .fields = kRegexFields, .others = OtherKeys::refused};

constexpr Field kBudgetFields[] = {
    {"max_cost_usd", &kLimit},     {"max_input_tokens", &kLimit}, {"max_output_tokens", &kLimit},
    {"max_total_tokens", &kLimit}, {"max_turns", &kLimit},        {"max_tool_calls", &kLimit},
    {"max_duration_ms", &kLimit},
};
constexpr Shape kBudget{.type = Type::object,
                        .rule = [](const Node& node) { return check_any(node, kBudgetFields); },
                        .fields = kBudgetFields,
                        .others = OtherKeys::refused};

constexpr Field kTrajectoryFields[] = {
    {"required_tools", &kEntries, optional, {}, "tools that the agent must have used"},
    {"forbidden_tools", &kEntries, optional, {}, "tools that it must not have used"},
    {"max_denials", &kLimit, optional, {}, "how many tool calls may have been denied"},
};
constexpr Shape kTrajectory{.type = Type::object,
                            .rule = check_trajectory,
                            .fields = kTrajectoryFields,
                            .others = OtherKeys::refused};

std::string check_files(const Node& node) {
  auto problem = check_any(node, kFilesFields);
  return problem.empty() ? check_disjoint(node, "exist", "absent") : problem;
}

std::string check_trajectory(const Node& node) {
  auto problem = check_any(node, kTrajectoryFields);
  return problem.empty() ? check_disjoint(node, "required_tools", "forbidden_tools") : problem;
}

constexpr auto kMeasuring = std::to_array<GraderShape>({
    {"git-diff", &kDiff},
    {"expected-diff", &kExpected},
    {"files", &kFiles},
    {"regex", &kRegex},
    {"budget", &kBudget},
    {"trajectory", &kTrajectory},
});

}  // namespace

std::span<const GraderShape> measuring_graders() { return kMeasuring; }

}  // namespace ralph::trial
