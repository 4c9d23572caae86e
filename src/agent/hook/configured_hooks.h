#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hook/command_hook.h"
#include "agent/hook/hook_settings.h"
#include "agent/hook/hooks.h"
#include "agent/hook/observer.h"
#include "core/base/mask.h"

namespace ralph::hook {

/// Calls hooks that a client has registered. Thread-safe.
class Callback {
 public:
  virtual ~Callback() = default;
  /// Waits for the answer, at most `limit`. An error: there is none; the hook has failed.
  virtual Result<json::Document> call(std::string_view callback_id, const json::Document& input,
                                      std::string_view tool_use_id, Millis limit,
                                      const std::stop_token& stop) = 0;
};

struct ConfiguredHooksParts {
  std::vector<CommandHook> commands;
  HookPlace place;
  Masker masker;                                     // for what hooks print
  std::function<json::Document()> common = nullptr;  // members of every hook's input
  Observer* observer = nullptr;
  Callback* callback = nullptr;
};

/// The hooks of settings files and of the client. All that match run at the same time; the strictest answer counts. The
/// same command runs once for an occasion. A hook that fails blocks where the event can be blocked.
class ConfiguredHooks final : public Hooks {
 public:
  explicit ConfiguredHooks(ConfiguredHooksParts parts) : parts_(std::move(parts)) {}

  bool has(Event event) const override;
  Answer run(const Occasion& occasion, const std::stop_token& stop) override;

  /// Replaces the client's hooks, see read_callback_hooks(). An error: they are malformed, and the former ones stay.
  /// Returns the events without effect.
  Result<std::vector<std::string>> set_callbacks(const json::Document& hooks);

 private:
  struct Job;
  struct Done;
  std::vector<Job> jobs_for(const Occasion& occasion) const;
  json::Document input_for(const Occasion& occasion) const;
  Done run_job(const Job& job, const Occasion& occasion, const json::Document& input,
               const std::stop_token& stop) const;
  Done run_safely(const Job& job, const Occasion& occasion, const json::Document& input,
                  const std::stop_token& stop) const;
  Done run_command(const Job& job, Event event, const json::Document& input,
                   const std::stop_token& stop) const;
  Done run_callback(const Job& job, const Occasion& occasion, const json::Document& input,
                    const std::stop_token& stop) const;
  void hide_secrets(Done& done) const;

  ConfiguredHooksParts parts_;
  mutable std::mutex mutex_;
  std::vector<CallbackHook> callbacks_;
};

}  // namespace ralph::hook
