#include "cli/reader_watch.h"

#include <array>
#include <future>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ralph::cli {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::pipe(ends.data()), 0);
    read = UniqueFd(ends[0]);
    write = UniqueFd(ends[1]);
  }
  UniqueFd read, write;
};

TEST(ReaderWatch, NoticesThatTheReaderIsGoneWhileNothingIsWritten) {
  Pipe pipe;
  std::promise<void> gone;
  const ReaderWatch watch(pipe.write.get(), [&] { gone.set_value(); });
  pipe.read.reset();
  EXPECT_EQ(gone.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
}

TEST(ReaderWatch, EndsWhileTheReaderIsThere) {
  Pipe pipe;
  bool gone = false;
  {
    const ReaderWatch watch(pipe.write.get(), [&] { gone = true; });
  }
  EXPECT_FALSE(gone);
}

}  // namespace
}  // namespace ralph::cli
