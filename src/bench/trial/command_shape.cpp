// The settings of the grader `command`.
#include <algorithm>
#include <filesystem>

#include "bench/trial/case_shapes_impl.h"
#include "system/git/path_glob.h"

namespace ralph::trial {
namespace {

using config::Node;
using enum Presence;

std::string check_pattern(const Node& node) {
  const auto globs = git::PathGlobs::make({node.text}, "protect");
  return globs ? "" : globs.error().message;
}

/// A report that nothing reads, or one that is missing, would make every run pass or fail.
std::string check_report(const Node& node) {
  const auto* format = node.find("format");
  const bool junit = format != nullptr && format->text == "junit";
  if (junit && node.find("report") == nullptr) {
    return "\"format\": \"junit\" needs \"report\", the file that the command writes";
  }
  if (!junit && node.find("report") != nullptr) return "\"report\" needs \"format\": \"junit\"";
  if (format == nullptr && node.find("min_tests") != nullptr)
    return "\"min_tests\" needs \"format\"";
  return {};
}

constexpr Shape kWord{.type = Type::text};
constexpr Shape kLine{.type = Type::text, .least = 1};
constexpr Shape kWords{.type = Type::list, .least = 1, .items = &kWord};
constexpr const Shape* kLineOrWords[] = {&kLine, &kWords};
constexpr Shape kGradedCommand{.forms = kLineOrWords,
                               .choose = [](const Node& node) -> const Shape* {
                                 return node.kind == Node::Kind::list ? &kWords : &kLine;
                               }};
constexpr Shape kPattern{.type = Type::text, .least = 1, .rule = check_pattern};
constexpr Shape kPatterns{.type = Type::list, .items = &kPattern};
constexpr Shape kPathInside{.type = Type::text, .least = 1, .rule = check_inside};
constexpr std::string_view kReportFormats[] = {"tap", "junit"};
constexpr Shape kReportFormat{.type = Type::text, .choices = kReportFormats};
constexpr Shape kFlag{.type = Type::boolean};
constexpr Shape kCount{.type = Type::integer, .positive = true};
constexpr Shape kVariables{.type = Type::text_map};
constexpr Field kCommandFields[] = {
    {"command", &kGradedCommand, required, {}, "a text for sh -c, or words"},
    {"protect", &kPatterns, optional, {}, "files that are used as they were before the agent"},
    {"allow_protected_changes",
     &kFlag,
     optional,
     {},
     "a changed protected file is named, but does not fail the grade; default false"},
    {"format", &kReportFormat, optional, {}, "what the tests report, beside the exit code"},
    {"report",
     &kPathInside,
     optional,
     {},
     "of the format junit: the file, relative to working_dir"},
    {"min_tests", &kCount, optional, {}, "how many tests must have passed; default 1"},
    {"working_dir", &kPathInside, optional, {}, "a directory of the repository"},
    {"env", &kVariables, optional, {}, "environment variables"},
    {"timeout_ms", &kCount, optional, {}, "default 300000"},
};

}  // namespace

std::string check_inside(const Node& node) {
  const auto path = std::filesystem::path(node.text).lexically_normal();
  const bool leads_out = !path.empty() && *path.begin() == "..";
  return path.is_absolute() || leads_out ? "must be a path in the repository" : "";
}

constinit const Shape kCommandConfig{.type = Type::object,
                                     .rule = check_report,
                                     .fields = kCommandFields,
                                     .others = OtherKeys::refused};

}  // namespace ralph::trial
