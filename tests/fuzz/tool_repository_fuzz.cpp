#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/permission/git_index.h"
#include "agent/permission/repository_config.h"
#include "agent/permission/rule.h"

/// Never crashes; settings that are harmless are not with a filter behind them, nor is an index that is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph::permission;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (check_config(text, "/g", "/w").harmless) {
    const auto more = std::string(text) + "\n[filter \"x\"]\n\tclean = x\n";
    if (check_config(more, "/g", "/w").harmless) std::abort();
  }
  index_paths(text);
  index_paths(std::string("DIRC\0\0\0\2\0\0\0\1", 12) + std::string(text));
  index_paths(std::string("DIRC\0\0\0\4\0\0\0\3", 12) + std::string(text));
  const auto half = size / 2;
  matches_command_within(text.substr(0, half), text.substr(half));
  matches_path(text.substr(0, half), "/w/" + std::string(text.substr(half)), "/w");
  return 0;
}
