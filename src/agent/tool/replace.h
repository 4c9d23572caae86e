#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::tool {

/// A range of bytes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The occurrences of `old_text` in a file, left to right without overlap. "\n" in it also matches "\r\n" in the file.
std::vector<Span> occurrences(std::string_view bytes, std::string_view old_text);

/// The bytes with the spans replaced. If most lines of the file end in "\r\n", so do the lines of the new text.
std::string replaced(std::string_view bytes, const std::vector<Span>& spans,
                     std::string_view new_text);

/// The size of the result of replaced(), without creating it.
std::size_t replaced_size(std::string_view bytes, const std::vector<Span>& spans,
                          std::string_view new_text);

/// The numbered lines of a text that are most similar to the start of `wanted`; empty: none is similar.
std::string nearest_lines(std::string_view text, std::string_view wanted);

}  // namespace ralph::tool
