#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/schema/checker_impl.h"
#include "core/schema/values.h"

namespace ralph::schema {
namespace {

constexpr std::size_t kLongestName = 100;  // code points of a property's name in a message

std::string shown(std::string_view name) { return utf8::shortened(name, kLongestName); }

std::string missing(const Dependency& dependency) {
  return fmt::format("must have {} {} when property {} is present",
                     dependency.required.size() == 1 ? "property" : "properties",
                     shown(fmt::format("{}", fmt::join(dependency.required, ", "))),
                     shown(dependency.property));
}

}  // namespace

bool SchemaChecker::Members::contains(std::string_view name) {
  const auto& members = members_of(object_);
  if (members.size() <= kSmallObject) {
    return std::ranges::any_of(members, [&](const auto& member) { return member.first == name; });
  }
  if (index_.empty()) {
    for (const auto& member : members) index_.insert(member.first);
  }
  return index_.contains(name);
}

bool SchemaChecker::check_size(std::size_t size, const std::optional<std::uint64_t>& least,
                               const std::optional<std::uint64_t>& most, std::string_view unit) {
  if (most && size > *most) {
    return report(unit == "items" ? "maxItems" : "maxProperties",
                  fmt::format("must NOT have more than {} {}", *most, unit));
  }
  if (least && size < *least) {
    return report(unit == "items" ? "minItems" : "minProperties",
                  fmt::format("must NOT have fewer than {} {}", *least, unit));
  }
  return true;
}

// Arrays

bool SchemaChecker::check_array(const Node& node, const Document& value, Seen* seen) {
  if (!value.is_array()) return true;
  bool whole = check_size(value.size(), node.min_items, node.max_items, "items");
  if (node.unique_items) whole = check_unique(value) && whole;
  if (!whole && hushed()) return false;
  whole = check_items(node, value, seen) && whole;
  if (node.contains != nullptr) whole = check_contains(node, value, seen) && whole;
  return whole;
}

/// Of several pairs the last one is named.
bool SchemaChecker::check_unique(const Document& value) {
  StringMap<std::size_t> places;
  std::optional<std::pair<std::size_t, std::size_t>> equal;
  for (std::size_t i = 0; i < value.size(); ++i) {
    std::string text;
    append_canonical(text, value[i]);
    if (!spend(1 + text.size() / 64)) return false;
    const auto [place, fresh] = places.try_emplace(std::move(text), i);
    if (!fresh) equal = {std::exchange(place->second, i), i};
    if (equal && hushed()) return false;
  }
  return !equal ||
         report("uniqueItems",
                fmt::format("must NOT have duplicate items (items ## {} and {} are identical)",
                            equal->first, equal->second));
}

bool SchemaChecker::check_items(const Node& node, const Document& value, Seen* seen) {
  const auto prefix = std::min(node.prefix_items.size(), value.size());
  bool whole = true;
  for (std::size_t i = 0; i < prefix && (whole || !hushed()); ++i) {
    whole = check_child(*node.prefix_items[i], value[i], i) && whole;
  }
  if (seen != nullptr) {
    const auto end = node.items != nullptr ? value.size() : prefix;
    std::fill_n(seen->begin(), end, true);
  }
  if (node.items == nullptr || prefix == value.size()) return whole;
  if (node.items->fixed == false && prefix > 0) {
    return report("items", fmt::format("must NOT have more than {} items", prefix));
  }
  for (auto i = prefix; i < value.size() && (whole || !hushed()); ++i) {
    whole = check_child(*node.items, value[i], i) && whole;
  }
  return whole;
}

bool SchemaChecker::check_contains(const Node& node, const Document& value, Seen* seen) {
  const auto least = node.min_contains.value_or(1);
  const auto& most = node.max_contains;
  const auto reported = violations_.size();
  std::size_t found = 0;
  for (std::size_t i = 0; i < value.size() && !stopped_; ++i) {
    if (!check_child(*node.contains, value[i], i)) continue;
    ++found;
    if (seen != nullptr) {
      (*seen)[i] = true;
    } else if (found >= least && !most) {
      break;
    }
  }
  if (found >= least) violations_.resize(reported);
  if (found >= least && (!most || found <= *most)) return true;
  return report(
      "contains",
      most ? fmt::format("must contain at least {} and no more than {} valid item(s)", least, *most)
           : fmt::format("must contain at least {} valid item(s)", least));
}

bool SchemaChecker::check_unevaluated_items(const Node& rest, const Document& value,
                                            const Seen& seen) {
  bool whole = true;
  for (std::size_t i = 0; i < value.size() && (whole || !hushed()); ++i) {
    if (seen[i]) continue;
    if (rest.fixed == false)
      return report("unevaluatedItems", fmt::format("must NOT have more than {} items", i));
    whole = check_child(rest, value[i], i) && whole;
  }
  return whole;
}

// Objects

bool SchemaChecker::check_object(const Node& node, const Document& value, Seen* seen) {
  if (!value.is_object()) return true;
  bool whole = check_size(value.size(), node.min_properties, node.max_properties, "properties");
  if (!node.required.empty() || !node.dependencies.empty()) {
    spend((value.size() + node.required.size()) / 8);
    Members members(value);
    whole = check_required(node, members) && whole;
    whole = check_dependencies(node, value, members, seen) && whole;
  }
  if (!whole && hushed()) return false;
  if (node.property_names != nullptr) whole = check_property_names(node, value) && whole;
  return check_properties(node, value, seen) && whole;
}

bool SchemaChecker::check_required(const Node& node, Members& members) {
  bool whole = true;
  for (const auto& name : node.required) {
    if (members.contains(name)) continue;
    whole = report("required", fmt::format("must have required property '{}'", shown(name)), name);
    if (hushed()) break;
  }
  return whole;
}

bool SchemaChecker::check_dependencies(const Node& node, const Document& value, Members& members,
                                       Seen* seen) {
  bool whole = true;
  for (const auto& dependency : node.dependencies) {
    if (!members.contains(dependency.property)) continue;
    if (dependency.schema != nullptr) whole = check(*dependency.schema, value, seen) && whole;
    const auto has = [&](const auto& name) { return members.contains(name); };
    if (!std::ranges::all_of(dependency.required, has)) {
      whole = report("dependentRequired", missing(dependency));
    }
    if (!whole && hushed()) return false;
  }
  return whole;
}

bool SchemaChecker::check_property_names(const Node& node, const Document& value) {
  bool whole = true;
  for (const auto& [name, member] : members_of(value)) {
    if (!check(*node.property_names, Document(name), nullptr)) {
      whole = report("propertyNames", "property name must be valid");
    }
    if (!whole && hushed()) return false;
  }
  return whole;
}

bool SchemaChecker::check_properties(const Node& node, const Document& value, Seen* seen) {
  if (node.properties.empty() && node.pattern_properties.empty() &&
      node.additional_properties == nullptr) {
    return true;
  }
  bool whole = true;
  bool closed = false;
  std::size_t number = 0;
  for (const auto& [name, member] : members_of(value)) {
    if (!spend(1)) return false;
    bool known = false;
    whole = check_member(node, name, member, known) && whole;
    if (!known && node.additional_properties != nullptr) {
      known = true;
      const bool forbidden = node.additional_properties->fixed == false;
      if (forbidden && !closed)
        whole = report("additionalProperties", "must NOT have additional properties", name);
      closed = closed || forbidden;
      if (!forbidden) whole = check_child(*node.additional_properties, member, name) && whole;
    }
    if (known && seen != nullptr) (*seen)[number] = true;
    if (!whole && hushed()) return false;
    ++number;
  }
  return whole;
}

/// By its name and by the patterns that fit it; `known`: there was one of them.
bool SchemaChecker::check_member(const Node& node, std::string_view name, const Document& member,
                                 bool& known) {
  bool whole = true;
  if (const auto found = node.properties.find(name); found != node.properties.end()) {
    known = true;
    whole = check_child(*found->second, member, name);
  }
  for (const auto& [pattern, wanted] : node.pattern_properties) {
    if (!matches(pattern, name)) continue;
    known = true;
    whole = check_child(*wanted, member, name) && whole;
  }
  return whole;
}

bool SchemaChecker::check_unevaluated_properties(const Node& rest, const Document& value,
                                                 const Seen& seen) {
  bool whole = true;
  std::size_t number = 0;
  for (const auto& [name, member] : members_of(value)) {
    if (seen[number++]) continue;
    if (rest.fixed == false)
      return report("unevaluatedProperties", "must NOT have unevaluated properties");
    whole = check_child(rest, member, name) && whole;
    if (!whole && hushed()) return false;
  }
  return whole;
}

}  // namespace ralph::schema
