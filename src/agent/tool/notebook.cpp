#include "agent/tool/notebook.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/json/field.h"

namespace ralph::tool {

using json::Document;
using json::member;

std::optional<std::string> notebook_text(const Document& value, std::string_view between) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return std::nullopt;
  std::string text;
  for (const auto& line : value) {
    if (!line.is_string()) return std::nullopt;
    if (!text.empty()) text += between;
    text += line.get_ref<const std::string&>();
  }
  return text;
}

bool is_notebook(const Document& document) {
  const auto& cells = member(document, "cells");
  return cells.is_array() && std::ranges::all_of(cells, [](const Document& cell) {
           return notebook_text(member(cell, "source")).has_value();
         });
}

std::string notebook_language(const Document& notebook) {
  const auto name = json::text(member(member(notebook, "metadata"), "language_info"), "name");
  return name.empty() ? "python" : name;
}

}  // namespace ralph::tool
