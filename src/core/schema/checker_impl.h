#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/schema/program_impl.h"

namespace ralph::schema {

/// Checks one value against a compiled schema. Every check_… returns whether the value is valid and reports violations,
/// unless reporting is off.
class SchemaChecker final : MatchBudget {
 public:
  explicit SchemaChecker(const SchemaProgram& program) : program_(program) {}
  std::vector<Violation> run(const Document& value);

 private:
  using Node = SchemaNode;
  /// The members or elements of a value that a schema has evaluated, by index.
  using Seen = std::vector<bool>;
  using Step = std::variant<std::string_view, std::size_t>;
  class Members;
  class Inside;
  class Quiet;

  /// `seen`, if not null, gets what was evaluated, if the value is valid.
  bool check(const Node& node, const Document& value, Seen* seen);
  bool check_keywords(const Node& node, const Document& value, Seen* seen);
  bool check_child(const Node& node, const Document& value, Step step);
  bool check_choice(const Node& node, const Document& value, Seen* seen);
  bool passes(const Node& node, const Document& value, Seen* seen);

  bool check_own(const Node& node, const Document& value, Seen* seen);
  bool check_scalar(const Node& node, const Document& value, Seen* seen);
  bool check_number(const Node& node, const Document& value);
  bool check_string(const Node& node, const Document& value);
  bool check_allowed(const AllowedValues& allowed, const Document& value, std::string_view keyword,
                     const char* message);
  bool check_references(const Node& node, const Document& value, Seen* seen);
  bool check_negated(const Node& node, const Document& value, Seen* seen);
  bool check_any_of(const Node& node, const Document& value, Seen* seen);
  bool check_one_of(const Node& node, const Document& value, Seen* seen);
  bool check_all_of(const Node& node, const Document& value, Seen* seen);
  bool check_condition(const Node& node, const Document& value, Seen* seen);

  bool check_size(std::size_t size, const std::optional<std::uint64_t>& least,
                  const std::optional<std::uint64_t>& most, std::string_view unit);
  bool check_array(const Node& node, const Document& value, Seen* seen);
  bool check_unique(const Document& value);
  bool check_items(const Node& node, const Document& value, Seen* seen);
  bool check_contains(const Node& node, const Document& value, Seen* seen);
  bool check_unevaluated_items(const Node& rest, const Document& value, const Seen& seen);

  bool check_object(const Node& node, const Document& value, Seen* seen);
  bool check_required(const Node& node, Members& members);
  bool check_dependencies(const Node& node, const Document& value, Members& members, Seen* seen);
  bool check_property_names(const Node& node, const Document& value);
  bool check_properties(const Node& node, const Document& value, Seen* seen);
  bool check_member(const Node& node, std::string_view name, const Document& member, bool& known);
  bool check_unevaluated_properties(const Node& rest, const Document& value, const Seen& seen);

  bool matches(const EcmaPattern& pattern, std::string_view text);
  const Node& dynamic_target(const DynamicReference& reference) const;

  bool report(std::string_view keyword, std::string_view message, std::string_view parameter = {});
  /// Nothing more will be reported: the first failure decides.
  bool hushed() const;
  bool spend(std::uint64_t steps) override;
  void stop(std::string_view message);
  std::string pointer() const;

  const SchemaProgram& program_;
  std::vector<Violation> violations_;
  std::vector<Step> path_;
  std::vector<const SchemaResource*> scope_;  // the resources we are in, outermost first
  std::size_t depth_ = 0;
  std::size_t quiet_ = 0;
  std::uint64_t work_ = 0;
  std::optional<Violation> stopped_;  // why the check was aborted; the only violation then
};

/// Finds members by name: one by one in small objects, hashed in big ones.
class SchemaChecker::Members {
 public:
  explicit Members(const Document& object) : object_(object) {}
  bool contains(std::string_view name);

 private:
  static constexpr std::size_t kSmallObject = 16;
  const Document& object_;
  std::unordered_set<std::string_view> index_;
};

/// One step down into the value, during its lifetime.
class SchemaChecker::Inside {
 public:
  Inside(SchemaChecker& checker, Step step) : checker_(checker) { checker_.path_.push_back(step); }
  ~Inside() { checker_.path_.pop_back(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  SchemaChecker& checker_;
};

/// Switches reporting off during its lifetime.
class SchemaChecker::Quiet {
 public:
  explicit Quiet(SchemaChecker& checker) : checker_(checker) { ++checker_.quiet_; }
  ~Quiet() { --checker_.quiet_; }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  SchemaChecker& checker_;
};

}  // namespace ralph::schema
