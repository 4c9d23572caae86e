#include <utility>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "mock/scenario_parts_impl.h"

namespace ralph::mock {
namespace {

using json::Document;

bool is_count(const Document& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{kMostTokens};
}

std::vector<std::string> known_members() {
  std::vector<std::string> known{"input_tokens", "output_tokens"};
  for (const auto& member : kUsageMembers) known.emplace_back(member.key);
  known.emplace_back("verbatim");
  return known;
}

Result<> read_member(const Node& usage, const std::string& key, Document& others) {
  const auto node = usage.member(key);
  if (key == "verbatim") {
    TRY(node.must_be_object());
    others.update(node.value);
    return {};
  }
  const auto* const known = std::ranges::find(kUsageMembers, key, &UsageMember::key);
  if (known == kUsageMembers.end()) return unknown_key(usage, key, known_members());
  const auto complaint = usage_complaint(*known, node.value);
  if (!complaint.empty()) return node.wrong_type(complaint);
  others[key] = node.value;
  return {};
}

/// Adds cache_creation_input_tokens, the sum of its parts, as the API does.
void add_sum(Document& others) {
  const auto parts = others.find("cache_creation");
  if (parts == others.end() || !parts->is_object() ||
      others.contains("cache_creation_input_tokens")) {
    return;
  }
  std::uint64_t sum = 0;
  for (const auto& part : *parts) sum += is_count(part) ? part.get<std::uint64_t>() : 0;
  others["cache_creation_input_tokens"] = sum;
}

/// Members in the order of the table, so that equal counts give equal bytes.
Document in_usual_order(const Document& others) {
  auto ordered = Document::object();
  for (const auto& member : kUsageMembers) {
    const auto found = others.find(std::string(member.key));
    if (found != others.end()) ordered[found.key()] = *found;
  }
  ordered.update(others);
  return ordered;
}

}  // namespace

std::string usage_complaint(const UsageMember& member, const Document& value) {
  switch (member.kind) {
    case UsageKind::tokens:
      return is_count(value) ? "" : fmt::format("a whole number from 0 to {}", kMostTokens);
    case UsageKind::text: return value.is_string() ? "" : "a string";
    case UsageKind::group: break;
  }
  const bool good = value.is_object() && std::ranges::all_of(value.items(), [&](const auto& part) {
                      return std::ranges::find(member.parts, part.key()) != member.parts.end() &&
                             is_count(part.value());
                    });
  return good ? "" : fmt::format("an object with whole numbers: {}", fmt::join(member.parts, ", "));
}

Result<> read_usage(const Node& node, UsageWish& usage) {
  TRY(node.must_be_object());
  auto others = Document::object();
  for (const auto& [key, value] : node.value.items()) {
    if (key == "input_tokens") {
      TRY(set(usage.input_tokens, node.member(key), 0, kMostTokens));
    } else if (key == "output_tokens") {
      TRY(set(usage.output_tokens, node.member(key), 0, kMostTokens));
    } else {
      TRY(read_member(node, key, others));
    }
  }
  add_sum(others);
  usage.others = json::write(in_usual_order(others));
  return {};
}

}  // namespace ralph::mock
