#include "cli/sandbox_init.h"

#include <cerrno>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/failure.h"
#include "run/forwarder.h"
#include "run/model_route.h"

namespace ralph::cli {

int sandbox_init(const std::vector<std::string>& words, StdOutput& output) {
  if (words.size() < 3 || words[1] != "--") {
    return report({Code::usage, "sandbox-init is for ralph itself", "use --sandbox=strict"},
                  output);
  }
  if (const auto started = run::start_forwarder(run::kModelPort, words[0]); !started) {
    return report(started.error(), output);
  }
  std::vector<char*> argv;
  for (auto word = words.begin() + 2; word != words.end(); ++word) {
    argv.push_back(const_cast<char*>(word->c_str()));
  }
  argv.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // ralph itself ignores them
  std::signal(SIGXFSZ, SIG_DFL);
  ::execv(argv.front(), argv.data());
  return report(fail_errno(errno, fmt::format("cannot start '{}'", words[2])).error(), output);
}

}  // namespace ralph::cli
