#pragma once
#include <cstddef>
#include <span>
#include <string_view>

namespace ralph::cli {

/// What `ralph demo` shows: a small program with a bug, and a model that repairs it in three iterations, the second of
/// them wrong.
struct DemoFile {
  std::string_view name;
  std::string_view text;
};

/// The project: the program, its test and the goal.
std::span<const DemoFile> demo_files();
/// The model's words, for mock::read_scenario().
std::string_view demo_scenario();
/// The program that is repaired.
inline constexpr std::string_view kDemoProgram = "receipt.sh";
inline constexpr std::string_view kDemoTest = "test.sh";
inline constexpr std::string_view kDemoGoal = "GOAL.md";
/// One iteration of the scenario is one commit.
inline constexpr std::size_t kDemoIterations = 3;
inline constexpr std::size_t kDemoRefused = 2;

}  // namespace ralph::cli
