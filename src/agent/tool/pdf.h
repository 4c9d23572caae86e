#pragma once
#include <cstddef>
#include <string_view>

namespace ralph::tool {

/// The page objects of a PDF file that are not compressed: at most the number of pages, often exactly that.
std::size_t known_pages(std::string_view pdf);

bool is_encrypted(std::string_view pdf);

}  // namespace ralph::tool
