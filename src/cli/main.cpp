#include <cstdlib>

#include "cli/cli.h"

/// Skips exit handlers: everything is flushed, and those of libcurl's thirty libraries cost time and memory. Sanitizers
/// report in theirs.
[[noreturn]] static void leave(int code) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  std::exit(code);
#else
  std::_Exit(code);
#endif
}

int main(int count, char** words) { leave(ralph::cli::main({words, words + count})); }
