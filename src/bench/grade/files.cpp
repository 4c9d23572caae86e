// The graders `files` and `regex`: what files exist and what they contain.
#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graders_impl.h"
#include "core/base/file.h"
#include "core/base/path.h"
#include "core/json/field.h"
#include "core/schema/ecma_pattern.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::size_t kLargestSearched = std::size_t{16} << 20;
constexpr std::uint32_t kMostAttempts = 5'000'000;

std::vector<std::string> texts_of(const Document& object, std::string_view key) {
  std::vector<std::string> list;
  const auto& value = json::member(object, key);
  if (value.is_string()) list.push_back(value.get<std::string>());
  if (!value.is_array()) return list;
  for (const auto& item : value) {
    if (item.is_string()) list.push_back(item.get<std::string>());
  }
  return list;
}

/// Where a path of the graded directory leads, without links; empty: not below that directory.
fs::path inside(const fs::path& folder, const std::string& path) {
  std::error_code error, folder_error;
  auto whole = fs::weakly_canonical(folder / path, error);
  const auto top = fs::weakly_canonical(folder, folder_error);
  return error || folder_error || !is_below(whole, top) ? fs::path() : whole;
}

bool means_absent(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

Error unreadable(const std::error_code& error) {
  return {Code::storage, fmt::format("cannot be read: {}", error.message()), {}};
}

/// Whether the directory has this entry, also if it is a link that leads nowhere. An error: that cannot be said.
Result<bool> has_entry(const fs::path& folder, const std::string& name) {
  auto path = fs::path(name).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.empty() || path.is_absolute() || *path.begin() == "..") {
    return fail(Code::not_found, "is outside of the directory");
  }
  std::error_code error;
  const auto top = fs::canonical(folder, error);
  if (error) return std::unexpected(unreadable(error));
  const auto parent = fs::canonical(top / path.parent_path(), error);
  if (means_absent(error)) return false;
  if (error) return std::unexpected(unreadable(error));
  if (!is_below(parent, top)) {
    return fail(Code::permission, "is reached by a link that leads out of the directory");
  }
  const auto status = fs::symlink_status(parent / path.filename(), error);
  if (status.type() == fs::file_type::not_found) return false;
  if (status.type() == fs::file_type::none) return std::unexpected(unreadable(error));
  return true;
}

/// Follows links.
bool exists_inside(const fs::path& folder, const std::string& path) {
  std::error_code error;
  const auto whole = inside(folder, path);
  return !whole.empty() && fs::exists(whole, error);
}

/// What is wrong with a path that must exist, or must not; empty: nothing.
std::string check_entry(const fs::path& folder, const std::string& path, bool wanted) {
  const auto there = has_entry(folder, path);
  if (!there) return fmt::format("{} {}", path, there.error().message);
  if (!wanted) return *there ? fmt::format("{} exists", path) : "";
  if (!*there) return fmt::format("{} is missing", path);
  return exists_inside(folder, path)
             ? ""
             : fmt::format("{} is a link to a file that is missing or outside", path);
}

class Files final : public Grader {
 public:
  explicit Files(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "files"; }
  GradeResult grade(const GradeContext& context) const override {
    const auto wanted = texts_of(config_, "exist"), unwanted = texts_of(config_, "absent");
    if (wanted.empty() && unwanted.empty()) {
      return skipped("nothing to check", "config needs 'exist' or 'absent'");
    }
    std::vector<std::string> violations;
    const auto check = [&](const std::vector<std::string>& paths, bool exist) {
      for (const auto& path : paths) {
        if (auto wrong = check_entry(context.folder, path, exist); !wrong.empty()) {
          violations.push_back(std::move(wrong));
        }
      }
    };
    check(wanted, true);
    check(unwanted, false);
    const auto checked = wanted.size() + unwanted.size();
    auto result =
        judged(fmt::format("{} of {} paths as expected", checked - violations.size(), checked),
               violations);
    Document metrics{{"checked", checked}, {"violations", violations}};
    result.metrics = json::write(metrics);
    result.assertions = json::write(config_);
    return result;
  }

 private:
  Document config_;
};

/// Stops a search that takes too many steps.
class Steps final : public schema::MatchBudget {
 public:
  bool spend(std::uint64_t steps) override {
    used_ += steps;
    return used_ < 50'000'000;
  }

 private:
  std::uint64_t used_ = 0;
};

/// One entry of `patterns`.
struct PatternCheck {
  std::string file, pattern;
  bool wanted = true;
};

/// What is wrong; empty: nothing.
std::string check_pattern(const PatternCheck& check, const GradeContext& context) {
  const auto path = inside(context.folder, check.file);
  const auto text = path.empty() ? fail(Code::not_found, "outside of the directory")
                                 : read_file(path, kLargestSearched);
  if (!text) return fmt::format("{}: {}", check.file, text.error().message);
  const auto pattern = schema::EcmaPattern::compile(check.pattern);
  if (!pattern) return fmt::format("/{}/: {}", check.pattern, pattern.error().message);
  Steps steps;
  const auto found = pattern->search(*text, kMostAttempts, steps);
  using Outcome = schema::EcmaPattern::Outcome;
  if (found == Outcome::too_hard)
    return fmt::format("/{}/ takes too long in {}", check.pattern, check.file);
  if ((found == Outcome::found) == check.wanted) return {};
  return fmt::format("{} {} /{}/", check.file, check.wanted ? "does not contain" : "contains",
                     check.pattern);
}

class Regex final : public Grader {
 public:
  explicit Regex(const trial::GraderSpec& spec) : config_(Document::parse(spec.config)) {}
  std::string_view name() const override { return "regex"; }
  GradeResult grade(const GradeContext& context) const override {
    const auto checks = read_checks();
    if (checks.empty()) {
      return skipped("nothing to check",
                     "config needs 'patterns': a list of {file, pattern, present}");
    }
    std::vector<std::string> violations;
    for (const auto& check : checks) {
      if (auto wrong = check_pattern(check, context); !wrong.empty()) violations.push_back(wrong);
    }
    auto result = judged(fmt::format("{} of {} patterns as expected",
                                     checks.size() - violations.size(), checks.size()),
                         violations);
    result.metrics = json::write({{"checked", checks.size()}, {"violations", violations}});
    result.assertions = json::write(config_);
    return result;
  }

 private:
  std::vector<PatternCheck> read_checks() const {
    std::vector<PatternCheck> checks;
    const auto& list = json::member(config_, "patterns");
    if (!list.is_array()) return checks;
    for (const auto& item : list) {
      const bool absent =
          json::member(item, "present").is_boolean() && !json::boolean(item, "present");
      checks.push_back({json::text(item, "file"), json::text(item, "pattern"), !absent});
    }
    return checks;
  }

  Document config_;
};

}  // namespace

std::unique_ptr<Grader> make_files(const trial::GraderSpec& spec) {
  return std::make_unique<Files>(spec);
}

std::unique_ptr<Grader> make_regex(const trial::GraderSpec& spec) {
  return std::make_unique<Regex>(spec);
}

}  // namespace ralph::grade
