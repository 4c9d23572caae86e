#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/config/settings.h"
#include "core/model/model.h"
#include "harness/backend/plan.h"
#include "harness/stream/summary.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// Time limits; zero: no limit.
struct Limits {
  Millis wall{0};
  Millis silence{0};    // without output, while no tool runs and no processor time is used
  Millis after_end{0};  // between the result and the exit of the agent
  // For messages of a run in a loop, which name the limits of the loop.
  Millis wall_of_loop{0};      // zero: `wall` is a limit of the run
  double cost_before_usd = 0;  // of the loop, in the same limit
};

struct Retries {
  int most = 0;
  Millis pause{0};  // the shortest
};

/// One run of an agent as the user requested it: settings and files are read, nothing is started or
/// written.
struct Request {
  std::string run_id;
  const backend::Backend* backend = nullptr;
  std::string agent_name;  // what people call the agent: "Claude"
  backend::Ask ask;
  backend::Host host;
  std::string mode, task;
  std::filesystem::path log_dir;  // the raw logs go into a directory of the backend's name below it
  bool continue_session = false;  // the stored session of the mode
  model::Table models = model::Table::builtin();  // with the price of model_price
  Limits limits;
  Retries retries;
  bool denials_allowed = false;
  std::size_t max_line = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // shown with --verbose
  /// Called when a turn has ended and no background task runs: the next message in the same session; none: the session
  /// ends. `sent` counts the messages since the start of the agent. Only with Ask::conversation.
  std::function<std::optional<std::string>(const stream::Summary& summary, int sent)> follow_up;
  std::filesystem::path state_folder;               // of the user, for ConfigWatch; empty: none
  std::vector<std::filesystem::path> obeyed_files;  // settings that were read, or looked for
  bool warnings_shown = false;  // warnings about the start are notes: the caller showed them
  bool folder_given = false;    // by the settings: continuing a session does not change it
  bool lock_held = false;     // by the caller: the run takes no lock and removes no old temp files
  bool keeps_session = true;  // --continue goes on with it
  bool keeps_budget = true;   // false: the caller writes budget.json
  bool durable_logs = true;   // false: raw log and journal need not survive a crash of the machine
  process::EndPolicy end_policy = {};  // how the agent's tree is ended
};

/// Input of a run that is not a setting.
struct Invocation {
  std::string run_id;
  bool continue_session = false;
  std::string resume;                    // a session id
  std::vector<std::string> environment;  // of ralph
  bool is_root = false;
  std::string instead_of_prompt;  // replaces the prompt, to check everything else
  std::string standard_input;     // the prompt, when the prompt file is "-"
};

/// The backend the settings ask for; a command alone asks for "custom".
std::string_view backend_name(const config::Settings& settings);
backend::Auth auth_of(const config::Settings& settings);
backend::SandboxLevel sandbox_of(const config::Settings& settings);

/// Code::usage: the prompts hold a secret; a warning of the request where that is allowed.
Result<> check_secrets(Request& request, bool allowed, const Masker& masker);

/// Code::usage: `text`, which would be sent to the model, holds a secret; if that is allowed, a warning says so.
Result<> check_text(std::string_view what, std::string_view text, bool allowed,
                    const Masker& masker, std::vector<std::string>& warnings);

/// Code::usage: a cost limit is set, and the price of the requested model is unknown.
Result<> check_price(const Request& request);

/// Errors: Code::usage for what is missing or contradicts itself, a prompt with a secret in it, an unknown
/// backend; Code::not_found when no agent is installed.
Result<Request> make_request(const config::Settings& settings, Invocation invocation,
                             const Masker& masker);

}  // namespace ralph::run
