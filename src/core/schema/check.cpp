#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/schema/checker_impl.h"
#include "core/schema/compiler_impl.h"
#include "core/schema/values.h"

namespace ralph::schema {
namespace {

constexpr std::size_t kLongestQuote = 500;  // code points of a pattern in a message

unsigned type_of(const Document& value) {
  switch (value.type()) {
    case Document::value_t::null: return kNull;
    case Document::value_t::boolean: return kBoolean;
    case Document::value_t::object: return kObject;
    case Document::value_t::array: return kArray;
    case Document::value_t::string: return kString;
    case Document::value_t::number_integer:
    case Document::value_t::number_unsigned:
    case Document::value_t::number_float: return is_integer(value) ? kNumber | kInteger : kNumber;
    case Document::value_t::binary:
    case Document::value_t::discarded: break;
  }
  return 0;
}

std::string source_of(const EcmaPattern& pattern) {
  return utf8::shortened(pattern.source(), kLongestQuote);
}

void merge(std::vector<bool>& into, const std::vector<bool>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]) into[i] = true;
  }
}

}  // namespace

Schema::Schema(std::unique_ptr<const SchemaProgram> program) : program_(std::move(program)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Document& schema, const SchemaLimits& limits) {
  TRY_ASSIGN(auto program, SchemaCompiler(limits).run(schema));
  return Schema(std::move(program));
}

std::vector<Violation> Schema::validate(const Document& value) const {
  return SchemaChecker(*program_).run(value);
}

std::vector<Violation> SchemaChecker::run(const Document& value) {
  if (deeper_than(value, program_.limits.depth)) {
    return {
        {"", fmt::format("must NOT be nested more than {} levels deep", program_.limits.depth)}};
  }
  check(*program_.root, value, nullptr);
  if (stopped_) return {*stopped_};
  return std::move(violations_);
}

bool SchemaChecker::hushed() const {
  return quiet_ > 0 || violations_.size() >= program_.limits.violations || stopped_;
}

bool SchemaChecker::report(std::string_view keyword, std::string_view message,
                           std::string_view parameter) {
  if (!hushed()) {
    violations_.push_back(
        {pointer(), std::string(message), std::string(keyword), std::string(parameter)});
  }
  return false;
}

void SchemaChecker::stop(std::string_view message) {
  if (!stopped_) stopped_ = Violation{pointer(), std::string(message), {}, {}};
}

bool SchemaChecker::spend(std::uint64_t steps) {
  work_ += steps;
  if (work_ > program_.limits.work) stop("is too complex to be checked against this schema");
  return !stopped_;
}

std::string SchemaChecker::pointer() const {
  std::string out;
  for (const auto& step : path_) {
    const auto* const name = std::get_if<std::string_view>(&step);
    out += '/';
    out += name != nullptr ? pointer_token(*name) : std::to_string(std::get<std::size_t>(step));
  }
  return out;
}

bool SchemaChecker::check(const Node& node, const Document& value, Seen* seen) {
  if (node.fixed) return *node.fixed || report("false schema", "boolean schema is false");
  if (!spend(1)) return false;
  if (depth_ >= program_.limits.nesting) {
    stop("is too complex to be checked: the schema leads into itself too often");
    return false;
  }
  ++depth_;
  const bool outer = scope_.empty() || scope_.back() != node.resource;
  if (outer) scope_.push_back(node.resource);
  const bool whole = check_keywords(node, value, seen);
  if (outer) scope_.pop_back();
  --depth_;
  return whole;
}

bool SchemaChecker::check_child(const Node& node, const Document& value, Step step) {
  const Inside inside(*this, step);
  return check(node, value, nullptr);
}

/// A schema that the value may violate: what it evaluated counts only if it is valid.
bool SchemaChecker::check_choice(const Node& node, const Document& value, Seen* seen) {
  if (seen == nullptr) return check(node, value, nullptr);
  Seen own(value.size());
  spend(value.size() / 256);
  if (!check(node, value, &own)) return false;
  merge(*seen, own);
  return true;
}

bool SchemaChecker::passes(const Node& node, const Document& value, Seen* seen) {
  const Quiet quiet(*this);
  return check_choice(node, value, seen);
}

/// unevaluated… keywords come last, after everything else has been evaluated.
bool SchemaChecker::check_keywords(const Node& node, const Document& value, Seen* seen) {
  const auto* const rest = value.is_array()    ? node.unevaluated_items
                           : value.is_object() ? node.unevaluated_properties
                                               : nullptr;
  if (rest == nullptr) return check_own(node, value, seen);
  Seen own(value.size());
  bool whole = check_own(node, value, &own);
  if (!whole && hushed()) return false;
  whole = (value.is_array() ? check_unevaluated_items(*rest, value, own)
                            : check_unevaluated_properties(*rest, value, own)) &&
          whole;
  if (seen != nullptr) seen->assign(value.size(), true);
  return whole;
}

bool SchemaChecker::check_own(const Node& node, const Document& value, Seen* seen) {
  using Part = bool (SchemaChecker::*)(const Node&, const Document&, Seen*);
  static constexpr Part kParts[] = {
      &SchemaChecker::check_scalar,    &SchemaChecker::check_references,
      &SchemaChecker::check_negated,   &SchemaChecker::check_any_of,
      &SchemaChecker::check_one_of,    &SchemaChecker::check_all_of,
      &SchemaChecker::check_condition, &SchemaChecker::check_array,
      &SchemaChecker::check_object};
  bool whole = true;
  for (const auto part : kParts) {
    whole = (this->*part)(node, value, seen) && whole;
    if (!whole && hushed()) return false;
  }
  return whole;
}

bool SchemaChecker::check_scalar(const Node& node, const Document& value, Seen*) {
  bool whole = true;
  if (node.types != 0 && (node.types & type_of(value)) == 0) {
    whole = report("type", "must be " + node.type_names);
  }
  if (value.is_number()) whole = check_number(node, value) && whole;
  if (value.is_string()) whole = check_string(node, value) && whole;
  if (node.constant) {
    whole = check_allowed(*node.constant, value, "const", "must be equal to constant") && whole;
  }
  if (node.allowed) {
    whole =
        check_allowed(*node.allowed, value, "enum", "must be equal to one of the allowed values") &&
        whole;
  }
  return whole;
}

bool SchemaChecker::check_negated(const Node& node, const Document& value, Seen*) {
  if (node.negated == nullptr || !passes(*node.negated, value, nullptr)) return true;
  return report("not", "must NOT be valid");
}

bool SchemaChecker::check_number(const Node& node, const Document& value) {
  const auto number = number_of(value);
  bool whole = true;
  const auto wrong = [&](const char* keyword, const char* relation, const Bound& bound) {
    whole = report(keyword, fmt::format("must be {} {}", relation, bound.text));
  };
  if (node.maximum && !(number <= node.maximum->value)) wrong("maximum", "<=", *node.maximum);
  if (node.minimum && !(number >= node.minimum->value)) wrong("minimum", ">=", *node.minimum);
  if (node.exclusive_maximum && !(number < node.exclusive_maximum->value)) {
    wrong("exclusiveMaximum", "<", *node.exclusive_maximum);
  }
  if (node.exclusive_minimum && !(number > node.exclusive_minimum->value)) {
    wrong("exclusiveMinimum", ">", *node.exclusive_minimum);
  }
  if (node.multiple_of && !is_multiple(value, *node.multiple_of)) {
    whole = report("multipleOf", "must be multiple of " + number_text(*node.multiple_of));
  }
  return whole;
}

bool SchemaChecker::check_string(const Node& node, const Document& value) {
  const auto& text = value.get_ref<const std::string&>();
  bool whole = true;
  if (node.min_length || node.max_length) {
    const auto length = utf8::count(text);
    spend(text.size() / 256);
    if (node.max_length && length > *node.max_length) {
      whole = report("maxLength",
                     fmt::format("must NOT have more than {} characters", *node.max_length));
    }
    if (node.min_length && length < *node.min_length) {
      whole = report("minLength",
                     fmt::format("must NOT have fewer than {} characters", *node.min_length));
    }
  }
  if (!node.pattern) return whole;
  if (matches(*node.pattern, text)) return whole;
  return report("pattern", fmt::format("must match pattern \"{}\"", source_of(*node.pattern)));
}

bool SchemaChecker::matches(const EcmaPattern& pattern, std::string_view text) {
  const auto outcome = pattern.search(text, program_.limits.matching, *this);
  if (outcome == EcmaPattern::Outcome::too_hard) {
    stop(fmt::format("is too complex to be matched against pattern \"{}\"", source_of(pattern)));
  }
  return outcome == EcmaPattern::Outcome::found;
}

bool SchemaChecker::check_allowed(const AllowedValues& allowed, const Document& value,
                                  std::string_view keyword, const char* message) {
  std::string text;
  const bool fits = append_canonical(text, value, allowed.longest);
  spend(text.size() / 64);
  return (fits && allowed.canonical.contains(text)) || report(keyword, message);
}

const SchemaNode& SchemaChecker::dynamic_target(const DynamicReference& reference) const {
  if (reference.anchor.empty()) return *reference.target;
  for (const auto* const resource : scope_) {
    const auto found = resource->dynamic_anchors.find(reference.anchor);
    if (found != resource->dynamic_anchors.end()) return *found->second;
  }
  return *reference.target;
}

bool SchemaChecker::check_references(const Node& node, const Document& value, Seen* seen) {
  bool whole = node.reference == nullptr || check(*node.reference, value, seen);
  if (node.dynamic_reference) {
    whole = check(dynamic_target(*node.dynamic_reference), value, seen) && whole;
  }
  return whole;
}

/// If `seen` is needed, every alternative is checked, not just up to the first valid one.
bool SchemaChecker::check_any_of(const Node& node, const Document& value, Seen* seen) {
  if (node.any_of.empty()) return true;
  const auto reported = violations_.size();
  bool any = false;
  for (const auto* const choice : node.any_of) {
    any = check_choice(*choice, value, seen) || any;
    if (any && seen == nullptr) break;
  }
  if (!any) return report("anyOf", "must match a schema in anyOf");
  violations_.resize(reported);
  return true;
}

bool SchemaChecker::check_one_of(const Node& node, const Document& value, Seen* seen) {
  if (node.one_of.empty()) return true;
  const auto reported = violations_.size();
  std::size_t passing = 0;
  for (const auto* const choice : node.one_of) {
    if (check_choice(*choice, value, seen)) ++passing;
    if (passing > 1) break;
  }
  if (passing > 0) violations_.resize(reported);
  return passing == 1 || report("oneOf", "must match exactly one schema in oneOf");
}

bool SchemaChecker::check_all_of(const Node& node, const Document& value, Seen* seen) {
  bool whole = true;
  for (const auto* const part : node.all_of) {
    whole = check(*part, value, seen) && whole;
    if (!whole && hushed()) return false;
  }
  return whole;
}

bool SchemaChecker::check_condition(const Node& node, const Document& value, Seen* seen) {
  if (node.condition == nullptr) return true;
  const bool met = passes(*node.condition, value, seen);
  const auto* const next = met ? node.consequence : node.alternative;
  if (next == nullptr || check(*next, value, seen)) return true;
  return report("if", met ? "must match \"then\" schema" : "must match \"else\" schema");
}

}  // namespace ralph::schema
