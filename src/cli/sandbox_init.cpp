#include "cli/sandbox_init.h"

#include "cli/failure.h"
#include "harness/run/model_route.h"
#include "system/process/forwarder.h"

namespace ralph::cli {

int sandbox_init(const std::vector<std::string>& words, StdOutput& output) {
  if (words.size() < 3 || words[1] != "--") {
    return report({Code::usage, "'sandbox-init' is internal to ralph", "use --sandbox=strict"},
                  output);
  }
  if (const auto started = process::start_forwarder(run::kModelPort, words[0]); !started) {
    return report(started.error(), output);
  }
  return report(process::become({words.begin() + 2, words.end()}), output);
}

}  // namespace ralph::cli
