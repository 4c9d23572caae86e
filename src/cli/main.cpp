#include <cstdlib>

#include "cli/cli.h"

/// All is written and closed by now. The exit handlers of libcurl's thirty libraries would only cost time and memory;
/// sanitizers report in theirs.
[[noreturn]] static void leave(int code) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(code);
#else
  std::_Exit(code);
#endif
}

int main(int count, char** words) { leave(ralph::cli::main({words, words + count})); }
