#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::tool {

/// A stretch of bytes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where `old_text` stands in a file, left to right without overlap, as spans of the file's own bytes. "\n" in it
/// also stands for the file's "\r\n"; nothing else is taken for anything but itself.
std::vector<Span> occurrences(std::string_view bytes, std::string_view old_text);

/// The bytes with those spans replaced; everything else stays as it is. Where most lines of the file end in "\r\n", so do
/// those of the new text.
std::string replaced(std::string_view bytes, const std::vector<Span>& spans,
                     std::string_view new_text);

/// How long replaced() would be, without making it.
std::size_t replaced_size(std::string_view bytes, const std::vector<Span>& spans,
                          std::string_view new_text);

/// A few numbered lines of a text that look most like the start of `wanted`; empty: none does.
std::string nearest_lines(std::string_view text, std::string_view wanted);

}  // namespace ralph::tool
