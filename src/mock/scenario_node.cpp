#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/nearest.h"
#include "mock/scenario_node_impl.h"

namespace ralph::mock {

Node Node::member(const std::string& key) const { return {value[key], file, pointer + "/" + key}; }

Node Node::element(std::size_t n) const {
  return {value[n], file, fmt::format("{}/{}", pointer, n)};
}

std::unexpected<Error> Node::fail_here(std::string_view what, std::string hint) const {
  return fail(Code::config, fmt::format("{}: {} {}", file, place(), what), std::move(hint));
}

std::unexpected<Error> Node::wrong_type(std::string_view wanted) const {
  return fail_here(fmt::format("is {}; it must be {}", described(), wanted));
}

Result<std::string> Node::text() const {
  if (!value.is_string()) return wrong_type("a string");
  return value.get<std::string>();
}

Result<> Node::must_be_object() const {
  if (!value.is_object()) return wrong_type("an object");
  return {};
}

Result<std::int64_t> Node::whole_number(std::int64_t least, std::int64_t most) const {
  const auto wanted = fmt::format("a whole number from {} to {}", least, most);
  if (!value.is_number_integer()) return wrong_type(wanted);
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) return wrong_type(wanted);
  return number;
}

std::string Node::place() const {
  if (pointer.empty()) return "the scenario";
  constexpr std::string_view kSteps = "/steps/";
  if (!pointer.starts_with(kSteps)) return fmt::format("'{}'", pointer.substr(1));
  const auto number = std::stoul(pointer.substr(kSteps.size()));
  return fmt::format("step {} ({})", number + 1, pointer);
}

std::string Node::described() const {
  if (value.is_number()) return value.dump();
  if (value.is_string()) return "a string";
  return value.is_boolean() ? "a boolean" : fmt::format("an {}", value.type_name());
}

std::string question(std::string_view word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::unexpected<Error> unknown_key(const Node& object, std::string_view key,
                                   const std::vector<std::string>& known) {
  return object.fail_here(fmt::format("has an unknown key '{}'{}", key, question(key, known)),
                          fmt::format("known keys: {}", fmt::join(known, ", ")));
}

std::unexpected<Error> unknown_name(const Node& node, std::string_view name,
                                    const std::vector<std::string>& known) {
  return node.fail_here(fmt::format("is '{}'{}", name, question(name, known)),
                        fmt::format("it must be one of: {}", fmt::join(known, ", ")));
}

Result<> set(std::string& into, const Node& value) {
  TRY_ASSIGN(into, value.text());
  return {};
}

}  // namespace ralph::mock
