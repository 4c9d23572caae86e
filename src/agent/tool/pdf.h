#pragma once
#include <cstddef>
#include <string_view>

namespace ralph::tool {

/// The number of uncompressed page objects of a PDF file: a lower bound of its pages, often exact.
std::size_t known_pages(std::string_view pdf);

bool is_encrypted(std::string_view pdf);

}  // namespace ralph::tool
