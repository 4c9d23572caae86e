#include "harness/loop/next_prompt.h"

#include "harness/loop/policy.h"
#include "harness/loop/prompt_parts.h"
#include "harness/loop/resume_point.h"
#include "harness/loop/verifier.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/loop_state_store.h"

namespace ralph::loop {
namespace {

/// Why a resumed loop would end at once; empty: it would not.
Result<std::string> why_no_iteration(const Setup& setup,
                                     const std::vector<store::LoopRecord>& records,
                                     const std::string& verify_digest) {
  store::LoopStateStore store(setup.request.host.root(), setup.request.state_folder);
  using enum store::LoopStateStore::Source;
  TRY_ASSIGN(const auto known, store.load(setup.options.accept_changes ? workspace : trusted));
  if (!known) return std::string();
  const auto& state = known->state;
  const auto point = resume_point(state, setup, verify_digest, std::ssize(records));
  if (known->trusted && point.done) return "the loop is done already";
  const auto limit = limit_reached(setup.options.budget, store::add_up(records, point.fresh_from),
                                   state.earlier_days, state.ran, now_utc());
  return limit ? std::string(store::row(*limit).meaning) : std::string();
}

}  // namespace

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
  const auto guidance = store::Guidance(host.root(), setup.request.state_folder).pending(refused);
  const auto parts = prompt_parts(setup, setup.goal, records, guidance, verifier.files().names());
  std::string no_iteration;
  if (setup.resumed) {
    TRY_ASSIGN(no_iteration, why_no_iteration(setup, records, verifier.files().digest()));
  }
  return NextPrompt{make_prompt(setup.form, parts, setup.options.caps, cuts), parts.iteration,
                    std::move(no_iteration)};
}

}  // namespace ralph::loop
