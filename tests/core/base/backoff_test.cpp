#include "core/base/backoff.h"

#include <gtest/gtest.h>

namespace ralph {
namespace {

TEST(Backoff, DoublesUpToTheLongest) {
  EXPECT_EQ(doubled_pause(Millis{10}, 1, Millis{1000}), Millis{10});
  EXPECT_EQ(doubled_pause(Millis{10}, 4, Millis{1000}), Millis{80});
  EXPECT_EQ(doubled_pause(Millis{10}, 9, Millis{1000}), Millis{1000});
  EXPECT_EQ(doubled_pause(Millis{10}, 1'000'000, Millis{1000}), Millis{1000});
  EXPECT_EQ(doubled_pause(Millis{10}, 0, Millis{1000}), Millis{10});
}

TEST(Backoff, ImplausibleResetTimesAreNone) {
  EXPECT_EQ(plausible_reset(1'800'000'000), UtcTime(std::chrono::seconds(1'800'000'000)));
  EXPECT_EQ(plausible_reset(std::nullopt), std::nullopt);
  EXPECT_EQ(plausible_reset(0), std::nullopt);
  EXPECT_EQ(plausible_reset(-5), std::nullopt);
  EXPECT_EQ(plausible_reset(4'102'444'800), std::nullopt);
}

}  // namespace
}  // namespace ralph
