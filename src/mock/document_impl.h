#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::mock {

/// One lambda per alternative, for std::visit.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

/// Parses JSON text that is known to be valid.
inline json::Document parsed(const std::string& text) {
  return json::parse(text).value_or(json::Document::object());
}

inline json::Document parsed_list(const std::vector<std::string>& texts) {
  auto list = json::Document::array();
  for (const auto& text : texts) list.push_back(parsed(text));
  return list;
}

}  // namespace ralph::mock
