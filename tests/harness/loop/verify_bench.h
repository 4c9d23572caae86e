#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "harness/loop/verifier.h"
#include "support/temp_folder.h"
#include "system/process/harness.h"

namespace ralph::loop {

/// A workspace; everything verification starts carries `mark`.
struct VerifyBench {
  test::TempFolder folder;
  std::string mark = random_hex(8);
  Millis limit{0};
  std::string seen;

  void check(std::string_view script, mode_t mode = 0700) const {
    folder.write(".ralph/check", script, mode);
  }
  Result<Verifier> verifier(std::vector<std::string> commands = {}) const {
    return Verifier::make({folder.path(), {{"RALPH_TEST_MARK", mark}}, limit}, std::move(commands));
  }
  Result<store::Verification> run(const Verifier& verifier, std::stop_token stop = {}) {
    return verifier.run([this](std::string_view bytes) { seen += bytes; }, std::move(stop));
  }
  Result<store::Verification> run(std::vector<std::string> commands = {}) {
    TRY_ASSIGN(const auto made, verifier(std::move(commands)));
    return run(made);
  }
};

}  // namespace ralph::loop
