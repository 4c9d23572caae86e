#include "core/base/time.h"

#include <gtest/gtest.h>

namespace ralph {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

UtcTime at(std::int64_t millis) { return UtcTime(Millis(millis)); }

constexpr std::int64_t kMoment = 1'794'753'460'123;  // 2026-11-15T14:37:40.123Z

TEST(Time, WritesUtc) {
  EXPECT_EQ(iso_utc(at(kMoment)), "2026-11-15T14:37:40.123Z");
  EXPECT_EQ(iso_utc(at(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso_utc(at(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(compact_utc(at(kMoment)), "20261115-143740");
}

TEST(Time, NowIsAfterThisWasWritten) { EXPECT_GT(now_utc(), at(1'760'000'000'000)); }

TEST(Time, ReadsBackWhatItWrites) {
  for (const std::int64_t millis :
       {std::int64_t{0}, std::int64_t{-1}, kMoment, std::int64_t{951'827'696'789},
        std::int64_t{4'102'444'800'001}}) {
    EXPECT_EQ(parse_iso(iso_utc(at(millis))), at(millis)) << millis;
  }
}

TEST(Time, ReadsOtherFormsOfTheSameMoment) {
  for (const std::string_view text :
       {"2026-11-15T14:37:40.123Z", "2026-11-15T14:37:40.123z", "2026-11-15 14:37:40.123Z",
        "2026-11-15T14:37:40.1234567Z", "2026-11-15T16:37:40.123+02:00",
        "2026-11-15T09:07:40.123-0530", "2026-11-16T00:37:40.123+10:00"}) {
    EXPECT_EQ(parse_iso(text), at(kMoment)) << text;
  }
  EXPECT_EQ(parse_iso("2026-11-15T14:37:40Z"), at(kMoment - 123));
  EXPECT_EQ(parse_iso("2026-11-15T14:37:40.1Z"), at(kMoment - 23));
  EXPECT_EQ(parse_iso("2024-02-29T00:00:00Z"), at(1'709'164'800'000));
}

TEST(Time, RejectsWhatIsNoTime) {
  for (const std::string_view text :
       {"", "now", "2026-11-15", "2026-11-15T14:37:40", "2026-11-15T14:37Z", "2026-13-15T14:37:40Z",
        "2026-02-29T14:37:40Z", "2026-11-00T14:37:40Z", "2026-11-15T24:37:40Z",
        "2026-11-15T14:60:40Z", "2026-11-15T14:37:61Z", "2026-11-15T14:37:40.Z",
        "2026-11-15T14:37:40Zx", "2026-11-15T14:37:40+99:99", "2026-11-15T14:37:40+2",
        "-026-11-15T14:37:40Z", " 2026-11-15T14:37:40Z", "2026-11-15T1a:37:40Z"}) {
    EXPECT_FALSE(parse_iso(text)) << text;
  }
}

TEST(Duration, IsRead) {
  const struct {
    std::string_view text;
    Millis expected;
  } table[] = {{"90s", seconds(90)},        {"5m", minutes(5)},
               {"1h30m", minutes(90)},      {"2d", days(2)},
               {"1.5h", minutes(90)},       {"250ms", Millis(250)},
               {"1m500ms", Millis(60'500)}, {"30", seconds(30)},
               {"0.5", Millis(500)},        {"0", Millis(0)},
               {"0s", Millis(0)},           {"0.0001s", Millis(1)}};
  for (const auto& row : table) {
    const auto duration = parse_duration(row.text);
    ASSERT_TRUE(duration) << row.text;
    EXPECT_EQ(*duration, row.expected) << row.text;
  }
}

TEST(Duration, IsRejected) {
  for (const std::string_view text : {"", "s", "-5s", "5 s", " 5s", "5x", "1h30", "0m30", "1e5s",
                                      "inf", "nan", "1.2.3s", "5sm", "99999999999d", "h1"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().code, Code::usage);
    EXPECT_NE(duration.error().message.find("'" + std::string(text) + "'"), std::string::npos);
    EXPECT_FALSE(duration.error().hint.empty());
  }
}

TEST(Duration, IsWrittenShort) {
  EXPECT_EQ(format_duration(minutes(90)), "1h30m");
  EXPECT_EQ(format_duration(Millis(250)), "250ms");
  EXPECT_EQ(format_duration(Millis(0)), "0s");
  EXPECT_EQ(format_duration(hours(49) + seconds(5)), "2d01h05s");
  EXPECT_EQ(format_duration(Millis(5500)), "5s500ms");
}

TEST(Duration, IsReadBackAsWritten) {
  for (std::int64_t millis = 0; millis < 400'000'000; millis = millis * 3 + 7) {
    EXPECT_EQ(parse_duration(format_duration(Millis(millis))), Millis(millis));
  }
}

}  // namespace
}  // namespace ralph
