#include "ui/console/key_watch.h"

#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/unique_fd.h"

namespace ralph::console {
namespace {

/// A terminal, and whoever sits at it.
struct Terminal {
  UniqueFd person, program;
  Terminal() : person(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(::grantpt(person.get()), 0);
    EXPECT_EQ(::unlockpt(person.get()), 0);
    program.reset(::open(::ptsname(person.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }
  tcflag_t modes() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(program.get(), &now), 0);
    return now.c_lflag;
  }
  void press(char key) const { EXPECT_EQ(::write(person.get(), &key, 1), 1); }
  /// The key has arrived.
  void expect_input() const {
    pollfd input{program.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&input, 1, 30'000), 1);
  }
};

TEST(KeyWatch, SeesAnyKeyAtOnceAndEchoesNothing) {
  const Terminal terminal;
  KeyWatch keys(terminal.program.get());
  ASSERT_TRUE(keys.works());
  EXPECT_FALSE(keys.pressed());
  terminal.press('x');
  terminal.expect_input();
  EXPECT_TRUE(keys.pressed());
  EXPECT_FALSE(keys.pressed()) << "once";
  pollfd echo{terminal.person.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&echo, 1, 0), 0);
}

TEST(KeyWatch, TheTerminalIsAsItWas) {
  const Terminal terminal;
  const auto before = terminal.modes();
  {
    const KeyWatch keys(terminal.program.get());
    EXPECT_EQ(terminal.modes() & (ICANON | ECHO), 0U);
    EXPECT_NE(terminal.modes() & ISIG, 0U) << "Ctrl-C stays a signal";
  }
  EXPECT_EQ(terminal.modes(), before);
}

TEST(KeyWatch, WhatIsNoTerminalIsNotRead) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  ASSERT_EQ(::write(write_end.get(), "x", 1), 1);
  KeyWatch keys(read_end.get());
  EXPECT_FALSE(keys.works());
  EXPECT_FALSE(keys.pressed());
  char byte = 0;
  EXPECT_EQ(::read(read_end.get(), &byte, 1), 1) << "it is still there";
}

TEST(KeyWatch, ATerminalThatGoesAwayPressesNoKey) {
  Terminal terminal;
  KeyWatch keys(terminal.program.get());
  terminal.person.reset();
  EXPECT_FALSE(keys.pressed());
}

}  // namespace
}  // namespace ralph::console
