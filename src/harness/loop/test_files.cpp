#include "harness/loop/test_files.h"

#include <algorithm>
#include <array>
#include <span>

namespace ralph::loop {
namespace {

bool is_one_of(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

bool is_test_file(std::string_view path) {
  constexpr auto kFolders = std::to_array<std::string_view>(
      {"test", "tests", "spec", "specs", "__tests__", "testing", "testdata", "e2e", "t"});
  constexpr auto kTestNames = std::to_array<std::string_view>(
      {"conftest.py", "pytest.ini", "jest.config.js", "vitest.config.ts", ".coveragerc"});
  const auto slash = path.rfind('/');
  const auto name = slash == path.npos ? path : path.substr(slash + 1);
  for (std::size_t at = 0; slash != path.npos && at <= slash;) {
    const auto end = path.find('/', at);
    if (is_one_of(kFolders, path.substr(at, end - at))) return true;
    at = end + 1;
  }
  const auto stem = name.substr(0, name.find('.'));
  if (is_one_of(kTestNames, name) || name.starts_with("test_") || stem == "test" ||
      stem == "tests") {
    return true;
  }
  for (const auto part : {"_test.", ".test.", "_spec.", ".spec.", "-test.", "Test.", "Tests."}) {
    if (name.contains(part)) return true;
  }
  return false;
}

bool is_build_file(std::string_view path) {
  constexpr auto kFolders = std::to_array<std::string_view>({".github/", ".gitlab/", ".circleci/"});
  constexpr auto kBuildNames = std::to_array<std::string_view>(
      {"Makefile", "GNUmakefile", "makefile", "tox.ini", "noxfile.py", "package.json",
       ".gitlab-ci.yml", "Jenkinsfile", ".travis.yml", "justfile", "Rakefile"});
  const auto slash = path.rfind('/');
  return is_one_of(kBuildNames, slash == path.npos ? path : path.substr(slash + 1)) ||
         std::ranges::any_of(kFolders, [&](auto folder) { return path.starts_with(folder); });
}

}  // namespace ralph::loop
