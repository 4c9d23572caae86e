#include "agent/settings/environment.h"

#include <gtest/gtest.h>

namespace ralph::settings {
namespace {

TEST(Environment, FindsVariablesByTheirWholeName) {
  const Environment environment({"A_LONG_NAME=1", "A=first", "A=second", "EMPTY=", "EQUAL=b=c"});
  EXPECT_EQ(environment.find("A"), "first");
  EXPECT_EQ(environment.find("EMPTY"), "");
  EXPECT_EQ(environment.find("EQUAL"), "b=c");
  EXPECT_FALSE(environment.find("A_LONG"));
  EXPECT_EQ(environment.get("A"), "first");
  EXPECT_EQ(environment.get("A_LONG"), "");
}

}  // namespace
}  // namespace ralph::settings
