// Property: however the bytes are cut, the lines are the same; no byte of a kept line is lost.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/stream/line_splitter.h"

namespace {

using Lines = std::vector<std::string>;

Lines split(std::string_view bytes, std::size_t chunk, std::size_t max_line, std::int64_t& numbered,
            std::int64_t& overlong) {
  ralph::stream::LineSplitter splitter(max_line);
  Lines lines;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    splitter.feed(bytes.substr(at, chunk));
    while (const auto line = splitter.next()) lines.emplace_back(*line);
  }
  if (const auto line = splitter.rest()) lines.emplace_back(*line);
  numbered = splitter.line_number();
  overlong = splitter.overlong();
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t chunk = 1 + data[0] % 37;
  const std::size_t max_line = 1 + data[1];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::int64_t whole_count = 0, cut_count = 0, whole_overlong = 0, cut_overlong = 0;
  const auto whole = split(bytes, bytes.size() + 1, max_line, whole_count, whole_overlong);
  const auto cut = split(bytes, chunk, max_line, cut_count, cut_overlong);
  if (whole != cut || whole_count != cut_count || whole_overlong != cut_overlong) std::abort();
  if (whole_count != static_cast<std::int64_t>(whole.size()) + whole_overlong) std::abort();
  return 0;
}
