#include "cli/stop_signals.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/reader_watch.h"

namespace ralph::cli {
namespace {

/// In a child, where signals and limits are nobody else's: its exit code.
template <typename Work>
void expect_exit(int code, Work work) {
  EXPECT_EXIT(std::_Exit(work()), testing::ExitedWithCode(code), "");
}

void leave_no_descriptor() {
  const rlimit none{3, 3};
  ::setrlimit(RLIMIT_NOFILE, &none);
}

TEST(StopSignals, ASignalStopsUs) {
  expect_exit(7, [] {
    StopSignals signals;
    ::kill(::getpid(), SIGTERM);
    signals.wait();
    return signals.received() == SIGTERM && signals.token().stop_requested() ? 7 : 1;
  });
}

TEST(StopSignals, AlsoWhenNoDescriptorIsLeft) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "UBSan needs descriptors to look at an object";
#endif
  expect_exit(7, [] {
    leave_no_descriptor();
    std::atomic<int> heard = 0;
    {
      const StopSignals signals([&](int number) { heard = number; });
      ::kill(::getpid(), SIGINT);
      while (heard == 0) std::this_thread::yield();
    }
    return heard == SIGINT ? 7 : 1;
  });
}

TEST(StopSignals, WhoCannotBeToldIsEnded) {
  EXPECT_EXIT(
      {
        const StopSignals signals([](int) { throw std::runtime_error("no memory"); });
        ::kill(::getpid(), SIGTERM);
        ::pause();
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(ReaderWatch, EndsAlsoWhenNoDescriptorWasLeft) {
  expect_exit(7, [] {
    leave_no_descriptor();
    {
      const ReaderWatch watch(1, [] {});
    }
    return 7;
  });
}

}  // namespace
}  // namespace ralph::cli
