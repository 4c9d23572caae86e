#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace ralph::test {

inline std::string fixture(const std::string& name) {
  return read_file(std::filesystem::path(RALPH_FIXTURES) / name).value();
}

/// Every recorded Claude stream, by path.
inline std::vector<std::filesystem::path> claude_fixtures() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(RALPH_FIXTURES) / "claude")) {
    const auto extension = entry.path().extension();
    if (extension == ".ndjson" || extension == ".raw") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace ralph::test
