#include <cstdlib>

#include <gtest/gtest.h>

#include "system/process/child_harness.h"

/// As a test program; for the tests that kill a harness, as that harness of a script of fake_agent or sh; or as a guard.
int main(int argc, char** argv) {
  using namespace ralph::process;
  if (std::string_view(argv[0]) == "ralph-guard") return run_as_guard(argv);
  if (const char* script = std::getenv("RALPH_TEST_HARNESS")) {
    return run_as_harness({.argv = {fake_agent(), script}});
  }
  if (const char* script = std::getenv("RALPH_TEST_SHELL_HARNESS")) {
    return run_as_harness({.argv = {"sh", "-c", script}});
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
