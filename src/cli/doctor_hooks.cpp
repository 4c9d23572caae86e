#include "cli/doctor_hooks.h"

#include <algorithm>

#include <fmt/core.h>

#include "cli/failure.h"
#include "cli/stop_signals.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kShownOutput = 2000;

std::string output_lines(std::string_view name, std::string_view text) {
  const auto shown = utf8::shortened(trim(text), kShownOutput);
  return shown.empty() ? std::string() : fmt::format("  {:<9} {}\n", name, shown);
}

std::string hook_json(const wire::HookLine& hook, const Masker& masker) {
  std::string out;
  json::ObjectWriter(out)
      .text("event", to_string(hook.event))
      .text("matcher", hook.matcher)
      .text("command", masker.mask(utf8::repaired(hook.command)))
      .text("file", utf8::repaired(hook.file))
      .number("timeout_ms", std::int64_t{hook.timeout.count()})
      .boolean("runs", !hook.never_runs)
      .close();
  return out;
}

}  // namespace

std::string hooks_text(const std::vector<wire::HookLine>& hooks, const Masker& masker) {
  if (hooks.empty()) return {};
  std::string out = "Hooks (ralph's own agent):\n";
  for (const auto& hook : hooks) {
    const auto matcher = hook.matcher.empty() ? "*" : hook.matcher;
    const auto note = hook.never_runs ? ", never runs: the agent sends no notifications" : "";
    out += console::safe_text(fmt::format("  {:<18} {:<15} {}\n{:37}{}, at most {}{}\n",
                                          to_string(hook.event), matcher, masker.mask(hook.command),
                                          "", hook.file, format_duration(hook.timeout), note));
  }
  return out;
}

std::string hooks_json(const std::vector<wire::HookLine>& hooks, const Masker& masker) {
  std::string out = "[";
  for (const auto& hook : hooks) out += (out.size() > 1 ? "," : "") + hook_json(hook, masker);
  return out + "]";
}

int try_hook(const wire::HookContext& context, std::string_view what, const Masker& masker,
             StdOutput& output) {
  output.flush();
  std::stop_source stop;
  const StopSignals signals([&](int) { stop.request_stop(); });
  const auto trial = wire::try_hooks(context, what, stop.get_token());
  if (!trial) return report(trial.error(), output);
  bool failed = false;
  for (const auto& hook : trial->hooks) {
    failed = failed || !hook.problem.empty();
    auto text = fmt::format("{}\n", hook.command);
    if (hook.exit_code) text += fmt::format("  exit code {}\n", *hook.exit_code);
    text += fmt::format("  took      {}\n", format_duration(hook.duration));
    text += output_lines("stdout", hook.out) + output_lines("stderr", hook.err) +
            output_lines("failed", hook.problem);
    output.out(console::safe_text(text));
  }
  output.out(
      console::safe_text(masker.mask(fmt::format("{}: {}\n", what, trim_end(trial->effect)))));
  return failed ? 1 : 0;
}

}  // namespace ralph::cli
