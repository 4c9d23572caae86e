#include "harness/loop/next_prompt.h"

#include "harness/loop/prompt_parts.h"
#include "harness/loop/verifier.h"
#include "harness/store/loop_state_files.h"

namespace ralph::loop {

Result<NextPrompt> next_prompt(const Setup& setup, std::vector<std::string>& cuts,
                               std::string& refused) {
  const auto& host = setup.request.host;
  const store::LoopStateFiles files(host.root());
  std::int64_t bad = 0;
  std::vector<store::LoopRecord> records;
  if (setup.resumed) {
    TRY_ASSIGN(records, files.records(bad));
  }
  TRY_ASSIGN(const auto verifier,
             Verifier::make({host.workspace, {}, {}, {}, host.root()}, setup.options.verify));
  const auto guidance = store::Guidance(host.root(), setup.state_folder).pending(refused);
  const auto parts = prompt_parts(setup, setup.goal, records, guidance, verifier.files().names());
  return NextPrompt{make_prompt(setup.form, parts, setup.options.caps, cuts), parts.iteration};
}

}  // namespace ralph::loop
