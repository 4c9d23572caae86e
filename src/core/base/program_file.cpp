#include "core/base/program_file.h"

#include <algorithm>

namespace ralph {

bool is_elf(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

std::vector<std::string> shebang_words(std::string_view bytes) {
  constexpr std::string_view kBlank = " \t\r";
  if (!bytes.starts_with("#!")) return {};
  auto line = bytes.substr(2, bytes.find('\n') - 2);
  std::vector<std::string> words;
  for (auto begin = line.find_first_not_of(kBlank); begin != line.npos;
       begin = line.find_first_not_of(kBlank)) {
    line.remove_prefix(begin);
    const auto end = std::min(line.find_first_of(kBlank), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

}  // namespace ralph
