#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/document.h"

/// The format of Jupyter notebooks, for Read and NotebookEdit.
namespace ralph::tool {

inline constexpr std::size_t kLargestNotebook = 32 << 20;

inline constexpr std::string_view kNotANotebook =
    "Notebook file is not a Jupyter notebook: its \"cells\" must be an array of objects, each "
    "with a \"source\" that is a text or an array of texts.";

/// A string, or an array of lines joined by `between`; nullopt: neither.
std::optional<std::string> notebook_text(const json::Document& value,
                                         std::string_view between = "");
/// Whether every cell has a source.
bool is_notebook(const json::Document& document);
/// "python" if it does not say.
std::string notebook_language(const json::Document& notebook);

}  // namespace ralph::tool
