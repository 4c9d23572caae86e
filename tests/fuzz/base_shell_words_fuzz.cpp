#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/permission/decide.h"
#include "core/base/shell_words.h"

/// Never crashes; guessing changes nothing about a line that is understood; what writes a file, runs another program, or is followed by either, is never read-only.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ralph::permission::only_reads;
  const std::string line(reinterpret_cast<const char*>(data), size);
  const auto parsed = ralph::parse_shell_line(line);
  const auto guessed = ralph::guess_shell_line(line);
  if (parsed.understood != guessed.understood) std::abort();
  if (parsed.understood && parsed.commands.size() != guessed.commands.size()) std::abort();
  if (!only_reads(line)) return 0;
  if (!parsed.understood || parsed.commands.empty()) std::abort();
  for (const auto& command : parsed.commands) {
    if (!command.outputs.empty()) std::abort();
  }
  for (const std::string_view more : {"\nrm x", "\necho x > y", "\n$(rm x)", "\necho `rm x`"}) {
    if (only_reads(line + std::string(more))) std::abort();
  }
  return 0;
}
