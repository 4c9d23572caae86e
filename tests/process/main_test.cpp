#include <cstdlib>

#include <gtest/gtest.h>

#include "process/child_harness.h"

/// As a test program, or, for the tests that kill a harness, as that harness.
int main(int argc, char** argv) {
  if (const char* script = std::getenv("RALPH_TEST_HARNESS")) {
    return ralph::process::run_as_harness(script);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
