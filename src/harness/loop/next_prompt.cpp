#include "harness/loop/next_prompt.h"

#include "harness/loop/policy.h"
#include "harness/loop/prompt_parts.h"
#include "harness/loop/resume_point.h"
#include "harness/loop/start_check.h"
#include "harness/loop/verifier.h"
#include "harness/store/loop_state_files.h"
#include "harness/store/loop_state_store.h"

namespace ralph::loop {
namespace {

using Known = std::optional<store::LoopStateStore::Loaded>;

/// Of a resumed loop.
Result<Known> load_known(const Setup& setup) {
  if (!setup.resumed) return Known();
  store::LoopStateStore store(setup.request.host.root(), setup.request.state_folder);
  using enum store::LoopStateStore::Source;
  return store.load(setup.options.accept_changes ? workspace : trusted);
}

/// Why a resumed loop would end at once; empty: it would not.
std::string why_no_iteration(const Setup& setup, const Known& known,
                             const std::vector<store::LoopRecord>& records,
                             const std::string& verify_digest) {
  if (!known) return {};
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
  TRY_ASSIGN(const auto known, load_known(setup));
  auto no_iteration = why_no_iteration(setup, known, records, verifier.files().digest());
  const auto startable = check_repository_at_start(setup, known ? &known->state : nullptr, records);
  return NextPrompt{make_prompt(setup.form, parts, setup.options.caps, cuts), parts.iteration,
                    std::move(no_iteration),
                    startable ? std::string() : describe(startable.error())};
}

}  // namespace ralph::loop
