#include "base/id.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace ralph {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

TEST(Id, HexHasTheLengthAskedFor) {
  EXPECT_EQ(random_hex(0), "");
  EXPECT_EQ(random_hex(3).size(), 6U);
  EXPECT_EQ(random_hex(1000).find_first_not_of(kHex), std::string::npos);
  EXPECT_EQ(random_hex(1000).size(), 2000U);
}

TEST(Id, UuidIsVersionFour) {
  for (int i = 0; i < 100; ++i) {
    const auto uuid = make_uuid();
    ASSERT_EQ(uuid.size(), 36U);
    for (const std::size_t dash : {8U, 13U, 18U, 23U}) EXPECT_EQ(uuid[dash], '-') << uuid;
    EXPECT_EQ(uuid[14], '4') << uuid;
    EXPECT_NE(std::string_view("89ab").find(uuid[19]), std::string_view::npos) << uuid;
    EXPECT_EQ(std::count(uuid.begin(), uuid.end(), '-'), 4);
    EXPECT_EQ(uuid.find_first_not_of("0123456789abcdef-"), std::string::npos);
  }
}

TEST(Id, NoTwoAreEqual) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(make_uuid());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Id, RunIdSortsByTime) {
  const auto id = make_run_id();
  ASSERT_EQ(id.size(), 22U) << id;  // 20261115-143740-5f2a9c
  EXPECT_EQ(id[8], '-');
  EXPECT_EQ(id[15], '-');
  EXPECT_GT(id, "20250101-000000-000000");
  EXPECT_NE(id, make_run_id());
}

}  // namespace
}  // namespace ralph
