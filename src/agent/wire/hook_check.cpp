#include "agent/wire/hook_check.h"

#include <mutex>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/transcript.h"
#include "agent/wire/hook_parts_impl.h"
#include "core/base/id.h"

namespace ralph::wire {
namespace {

using json::Document;

class TrialObserver final : public hook::Observer {
 public:
  void on_start(const hook::HookStart&) override {}
  void on_end(const hook::HookStart& start, const hook::HookEnd& end) override {
    const std::lock_guard lock(mutex_);
    tried.push_back({start.command, end.out, end.err, end.problem, end.exit_code, end.duration});
  }

  std::vector<TriedHook> tried;

 private:
  std::mutex mutex_;
};

bool is_of_tool(hook::Event event) {
  return event == hook::Event::pre_tool_use || event == hook::Event::permission_request ||
         event == hook::Event::post_tool_use || event == hook::Event::post_tool_use_failure;
}

/// What a session would say, as far as it can be invented.
Document details_for(hook::Event event, std::string_view subject) {
  if (is_of_tool(event)) {
    Document input = Document::object();
    if (subject == "Bash") input["command"] = "true";
    return {{"tool_name", subject}, {"tool_input", input}, {"tool_use_id", "toolu_try"}};
  }
  switch (event) {
    case hook::Event::session_start: return {{"source", subject}};
    case hook::Event::session_end: return {{"reason", subject}};
    case hook::Event::pre_compact: return {{"trigger", subject}, {"custom_instructions", ""}};
    case hook::Event::user_prompt_submit: return {{"prompt", "ralph doctor tries this hook"}};
    case hook::Event::stop:
    case hook::Event::subagent_stop:
      return {{"stop_hook_active", false}, {"last_assistant_message", "Done."}};
    default: return Document::object();
  }
}

std::string effect_of(hook::Event event, const hook::Answer& answer) {
  const auto with_reason = [&](std::string_view what) {
    return answer.reason.empty() ? std::string(what) : fmt::format("{}: {}", what, answer.reason);
  };
  if (answer.stop) return fmt::format("the agent stops: {}", *answer.stop);
  if (answer.blocked && hook::can_block(event)) {
    return with_reason(event == hook::Event::stop || event == hook::Event::subagent_stop
                           ? (answer.failed ? "the turn ends with an error" : "the model continues")
                           : "it is blocked");
  }
  if (answer.blocked) return with_reason("the model is told");
  if (answer.permission == hook::Permission::ask) return with_reason("permission is asked for");
  if (answer.permission == hook::Permission::allow) return "it is allowed, unless a rule denies it";
  return "it happens";
}

}  // namespace

Result<hook::HookSettings> read_hooks(const settings::Settings& settings,
                                      const settings::Options& options) {
  const auto unsupported = settings::accepts(options, settings::kHooks)
                               ? hook::Unsupported::leave_out
                               : hook::Unsupported::refuse;
  hook::HookSettings hooks;
  for (const auto& source : settings.hooks) {
    TRY_ASSIGN(const auto parsed, json::parse(source.hooks, source.file));
    TRY(hook::read_hook_settings(parsed, source.file, unsupported, hooks));
  }
  return hooks;
}

Document common_hook_input(const settings::Environment& environment,
                           const std::filesystem::path& cwd, const std::string& session_id,
                           permission::Mode mode) {
  const auto path = session::transcript_path(environment.config_folder(), cwd, session_id);
  return {{"session_id", session_id},
          {"transcript_path", path.string()},
          {"cwd", cwd.string()},
          {"permission_mode", permission::to_string(mode)}};
}

hook::ConfiguredHooksParts hook_parts(std::vector<hook::CommandHook> commands,
                                      const settings::Settings& settings,
                                      const settings::Environment& environment,
                                      const std::filesystem::path& cwd) {
  hook::ConfiguredHooksParts parts{
      .commands = std::move(commands), .place = {cwd, {}}, .masker = Masker(environment.entries())};
  auto& changes = parts.place.environment;
  for (const auto& [name, value] : settings.environment) changes.push_back({name, value});
  changes.push_back({"CLAUDE_PROJECT_DIR", cwd.string()});
  return parts;
}

Result<HookLines> list_hooks(const settings::Settings& settings, const settings::Options& options) {
  TRY_ASSIGN(auto read, read_hooks(settings, options));
  HookLines lines{{}, std::move(read.notes)};
  for (const auto& hook : read.hooks) {
    lines.hooks.push_back({hook.event, hook.matcher.text(), hook.command, hook.file, hook.timeout,
                           hook.event == hook::Event::notification});
  }
  return lines;
}

Result<HookTrial> try_hooks(const HookContext& context, std::string_view what,
                            const std::stop_token& stop) {
  const auto colon = std::min(what.find(':'), what.size());
  const auto event = hook::parse_event(what.substr(0, colon));
  if (!event) {
    return fail(Code::usage, fmt::format("there is no event '{}'", what.substr(0, colon)),
                "use EVENT or EVENT:SUBJECT, as in PreToolUse:Bash");
  }
  const auto subject = what.substr(std::min(colon + 1, what.size()));
  TRY_ASSIGN(auto read, read_hooks(context.settings, context.options));
  TrialObserver observer;
  auto parts =
      hook_parts(std::move(read.hooks), context.settings, context.environment, context.cwd);
  parts.observer = &observer;
  parts.common = [&] {
    return common_hook_input(context.environment, context.cwd, make_uuid(),
                             permission::Mode::standard);
  };
  hook::ConfiguredHooks hooks(std::move(parts));
  const auto details = details_for(*event, subject);
  const auto answer = hooks.run({.event = *event, .subject = subject, .details = details}, stop);
  auto effect = observer.tried.empty() ? "no hook matches" : effect_of(*event, answer);
  return HookTrial{std::move(observer.tried), std::move(effect)};
}

}  // namespace ralph::wire
