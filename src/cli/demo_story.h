#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace ralph::cli {

/// A file of the project of `ralph demo`: a small program with a bug that the scripted model fixes in three iterations,
/// of which the second ends with a wrong DONE.
struct DemoFile {
  std::string_view name;
  std::string_view text;
};

/// The project: the program, its test and the goal.
std::span<const DemoFile> demo_files();
/// The model's answers, for mock::read_scenario().
std::string_view demo_scenario();
/// The program with the bug.
inline constexpr std::string_view kDemoProgram = "receipt.sh";
inline constexpr std::string_view kDemoTest = "test.sh";
inline constexpr std::string_view kDemoGoal = "GOAL.md";
/// One iteration of the scenario is one commit.
inline constexpr std::size_t kDemoIterations = 3;
inline constexpr std::size_t kDemoRefused = 2;

}  // namespace ralph::cli
