#include "ui/console/verbosity.h"

#include <gtest/gtest.h>

namespace ralph::console {
namespace {

constexpr VerbosityWish kNone{}, kQuiet{true, false}, kVerbose{false, true}, kBoth{true, true};

TEST(VerbosityResolution, DefaultIsNormal) {
  EXPECT_EQ(resolve_verbosity({kNone, kNone, kNone}), Verbosity::normal);
  EXPECT_EQ(resolve_verbosity({}), Verbosity::normal);
}

TEST(VerbosityResolution, FlagBeatsEnvironmentBeatsConfig) {
  EXPECT_EQ(resolve_verbosity({kQuiet, kVerbose, kVerbose}), Verbosity::quiet);
  EXPECT_EQ(resolve_verbosity({kVerbose, kQuiet, kQuiet}), Verbosity::verbose);
  EXPECT_EQ(resolve_verbosity({kNone, kVerbose, kQuiet}), Verbosity::verbose);
  EXPECT_EQ(resolve_verbosity({kNone, kNone, kQuiet}), Verbosity::quiet);
  EXPECT_EQ(resolve_verbosity({kNone, kNone, kVerbose}), Verbosity::verbose);
}

TEST(VerbosityResolution, QuietBeatsVerboseAtOneLevel) {
  EXPECT_EQ(resolve_verbosity({kBoth}), Verbosity::quiet);
  EXPECT_EQ(resolve_verbosity({kNone, kBoth}), Verbosity::quiet);
}

TEST(VerbosityResolution, EmptyAndZeroMeanNotSet) {
  EXPECT_FALSE(verbosity_from_environment(nullptr, nullptr).quiet);
  EXPECT_FALSE(verbosity_from_environment("", "0").quiet);
  EXPECT_FALSE(verbosity_from_environment("", "0").verbose);
  EXPECT_TRUE(verbosity_from_environment("1", nullptr).quiet);
  EXPECT_TRUE(verbosity_from_environment(nullptr, "yes").verbose);
}

}  // namespace
}  // namespace ralph::console
