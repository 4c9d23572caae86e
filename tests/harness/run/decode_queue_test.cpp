#include "harness/run/decode_queue.h"

#include <atomic>
#include <stdexcept>

#include "harness/run/harness.h"

namespace ralph::run {
namespace {

TEST(DecodeQueue, WorksOnEverythingInOrder) {
  std::string seen, sent;
  DecodeQueue relay(
      [&](std::string_view bytes) -> Result<> {
        seen += bytes;
        return {};
      },
      [] { FAIL(); });
  for (int i = 0; i < 10'000; ++i) {
    const auto piece = std::to_string(i) + ";";
    sent += piece;
    relay.push(piece);
    if (i % 7 == 0) relay.go();
  }
  EXPECT_FALSE(relay.finish());
  EXPECT_EQ(seen, sent);
}

TEST(DecodeQueue, SaysWhenTooMuchIsWaiting) {
  std::atomic<bool> begun = false, go_on = false;
  DecodeQueue relay(
      [&](std::string_view) -> Result<> {
        begun = true;
        while (!go_on) std::this_thread::yield();
        return {};
      },
      [] {});
  relay.push("x");
  relay.go();
  EXPECT_TRUE(process::eventually([&] { return begun.load(); }));
  EXPECT_TRUE(relay.has_room());
  relay.push(std::string(DecodeQueue::kMostWaiting, 'x'));
  EXPECT_FALSE(relay.has_room());
  EXPECT_TRUE(relay.busy());
  go_on = true;
  relay.go();
  EXPECT_TRUE(process::eventually([&] { return relay.has_room() && !relay.busy(); }));
}

TEST(DecodeQueue, AFailureEndsTheWorkAndIsTold) {
  std::atomic<int> failures = 0;
  DecodeQueue relay([](std::string_view) -> Result<> { return fail(Code::storage, "full"); },
                    [&] { ++failures; });
  relay.push("x");
  relay.go();
  EXPECT_TRUE(process::eventually([&] { return failures == 1; }));
  relay.push(std::string(10 * DecodeQueue::kMostWaiting, 'x'));
  EXPECT_TRUE(relay.has_room()) << "nobody shall wait for it any more";
  EXPECT_EQ(relay.finish()->message, "full");
}

TEST(DecodeQueue, RunningOutOfMemoryIsAFailureNotAnAbort) {
  DecodeQueue relay([](std::string_view) -> Result<> { throw std::bad_alloc(); }, [] {});
  relay.push("x");
  EXPECT_EQ(relay.finish()->message, "out of memory");
}

TEST(DecodeQueue, WorkThatThrowsIsAnError) {
  std::atomic<bool> told = false;
  DecodeQueue relay([](std::string_view) -> Result<> { throw std::runtime_error("odd"); },
                    [&] { told = true; });
  relay.push("x");
  relay.go();
  const auto error = relay.finish();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::internal);
  EXPECT_NE(error->message.find("odd"), std::string::npos);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace ralph::run
