#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::mock {

/// One lambda an alternative, for std::visit.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

/// JSON text that was checked when it was read.
inline json::Document parsed(const std::string& text) {
  return json::parse(text).value_or(json::Document::object());
}

inline json::Document parsed_list(const std::vector<std::string>& texts) {
  auto list = json::Document::array();
  for (const auto& text : texts) list.push_back(parsed(text));
  return list;
}

}  // namespace ralph::mock
