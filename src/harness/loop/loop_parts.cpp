#include "harness/loop/loop_parts.h"

namespace ralph::loop {

LoopParts::LoopParts(Setup setup_, store::LoopObserver& observer, Control& control_,
                     const Masker& masker_, Clock& clock_, RalphFolder folder_)
    : setup(std::move(setup_)),
      control(control_),
      masker(masker_),
      clock(clock_),
      reporter(observer, clock),
      folder(std::move(folder_)),
      keeper(setup, folder, reporter, clock),
      guidance(setup.request.host.root(), setup.request.state_folder),
      repository(setup, keeper, reporter, control),
      user_files(setup, repository, reporter, masker),
      verifier(setup, keeper.state, repository, reporter, control),
      budget(setup.options.budget, keeper, clock),
      waiter(keeper, budget, reporter, control, clock),
      goal(setup, keeper.state, reporter, masker),
      runner(setup, reporter, control, masker) {
  for (auto& warning : setup.warnings) reporter.warn_at_start(std::move(warning));
  setup.warnings.clear();
}

}  // namespace ralph::loop
