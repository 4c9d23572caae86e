#include "cli/std_output.h"

#include <array>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "cli/failure.h"

namespace ralph::cli {
namespace {

constexpr std::string_view kEvil =
    "\x1b]0;title\x07 \x1b[2J \xC2\x9B"
    "31m \x9B"
    "31m \r \x7f \x1b]52;c;eA==\x07 \u202e end";

/// Drives a terminal: C0 but for newline and tab, DEL, C1 as UTF-8 or as a byte.
bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    if (byte >= 0x80 && byte < 0xA0 && (i == 0 || static_cast<unsigned char>(text[i - 1]) < 0x80)) {
      return true;
    }
  }
  return false;
}

/// A raw terminal, so that what is written is what is read.
class Terminal {
 public:
  Terminal() : ours_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(::grantpt(ours_.get()), 0);
    EXPECT_EQ(::unlockpt(ours_.get()), 0);
    std::array<char, 64> name{};
    EXPECT_EQ(::ptsname_r(ours_.get(), name.data(), name.size()), 0);
    theirs_ = UniqueFd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios mode{};
    EXPECT_EQ(::tcgetattr(theirs_.get(), &mode), 0);
    ::cfmakeraw(&mode);
    EXPECT_EQ(::tcsetattr(theirs_.get(), TCSANOW, &mode), 0);
  }
  int fd() const { return theirs_.get(); }
  /// What was written up to "end".
  std::string read() const {
    std::string text;
    while (text.find("end") == text.npos) {
      std::array<char, 4096> piece{};
      const auto got = ::read(ours_.get(), piece.data(), piece.size());
      if (got <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  UniqueFd ours_, theirs_;
};

std::string through_pipe(const std::function<void(StdOutput&)>& print) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd from(ends[0]);
  {
    const UniqueFd to(ends[1]);
    StdOutput output(to.get(), to.get());
    print(output);
  }
  std::string text(4096, '\0');
  const auto got = ::read(from.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

using Print = void (*)(StdOutput&);
constexpr std::pair<const char*, Print> kPaths[] = {
    {"out", [](StdOutput& output) { output.out(kEvil); }},
    {"err", [](StdOutput& output) { output.err(kEvil); }},
    {"out_styled", [](StdOutput& output) { output.out_styled(kEvil); }},
    {"err_styled", [](StdOutput& output) { output.err_styled(kEvil); }},
    {"report", [](StdOutput& output) { report({Code::usage, std::string(kEvil), {}}, output); }},
    {"hint", [](StdOutput& output) { report({Code::usage, "x", std::string(kEvil)}, output); }},
    {"warn", [](StdOutput& output) { warn(kEvil, output); }},
};

TEST(StdOutput, NothingDrivesATerminal) {
  for (const auto& [name, print] : kPaths) {
    const Terminal terminal;
    StdOutput output(terminal.fd(), terminal.fd());
    print(output);
    output.flush();
    const auto text = terminal.read();
    EXPECT_NE(text.find("end"), text.npos) << name;
    EXPECT_FALSE(has_control(text)) << name << ": " << testing::PrintToString(text);
  }
}

TEST(StdOutput, OurOwnColoursReachATerminal) {
  const Terminal terminal;
  StdOutput output(terminal.fd(), terminal.fd());
  output.out_styled("\r\x1b[K\x1b[2mstatus\x1b[0m end");
  output.flush();
  EXPECT_EQ(terminal.read(), "\r\x1b[K\x1b[2mstatus\x1b[0m end");
}

TEST(StdOutput, BytesForAPipeStayAsTheyAreButErrorsAreForPeople) {
  EXPECT_EQ(through_pipe([](StdOutput& output) { output.out(kEvil); }), kEvil);
  EXPECT_FALSE(has_control(through_pipe([](StdOutput& output) { output.err(kEvil); })));
}

}  // namespace
}  // namespace ralph::cli
