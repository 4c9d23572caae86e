#include <cstdlib>
#include <initializer_list>

#include "tool/bash_harness.h"
#include "tool/permission_harness.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

using Lines = std::initializer_list<const char*>;

void expect_all(Judge& judge, Mode mode, bool allowed, Lines lines) {
  for (const auto* const line : lines) {
    EXPECT_EQ(judge.run(line, mode).allowed, allowed) << line;
  }
}

TEST(Evasion, SedTakesNoOptionsBehindItsScript) {
  Judge judge;
  for (const auto mode : {Mode::accept_edits, Mode::automatic}) {
    expect_all(judge, mode, false,
               {"sed -i s/a/b/ --expression='1etouch X' f", "sed -i 's/a/b/' -e '1etouch P' f",
                "sed -i s/a/b/ -f sc f", "sed -i s/a/b/ f -s -e w/tmp/x"});
    expect_all(judge, mode, true, {"sed -i s/a/b/ f", "sed -i -E s/a/b/g f g"});
  }
}

}  // namespace
}  // namespace ralph::tool
