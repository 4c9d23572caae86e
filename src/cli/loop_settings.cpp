#include "cli/loop_settings.h"

#include <utility>

#include "core/config/setting.h"
#include "core/config/value.h"

namespace ralph::cli {
namespace {

using config::Key;

/// Limits and what is shown or kept can change between two starts: they decide neither what an agent may do nor what
/// is verified.
bool is_obeyed_at_once(const config::Setting& setting) {
  using config::Topic;
  return setting.topic == Topic::limits || setting.topic == Topic::history ||
         setting.topic == Topic::output || setting.id == Key::verify_timeout ||
         setting.id == Key::git_timeout;
}

}  // namespace

bool is_kept_for_resume(Key key) {
  switch (key) {
    case Key::prompt:
    case Key::prompt_file:
    case Key::env:
    case Key::json:
    case Key::quiet:
    case Key::verbose:
    case Key::cwd: return false;
    default: return true;
  }
}

std::map<std::string, std::string> fixed_settings(const config::Settings& settings) {
  std::map<std::string, std::string> fixed;
  for (const auto& setting : config::settings_table()) {
    if (!is_kept_for_resume(setting.id) || is_obeyed_at_once(setting)) continue;
    auto text = config::to_text(settings.value(setting.id), setting.kind);
    if (text != setting.fallback) fixed[std::string(setting.key)] = std::move(text);
  }
  return fixed;
}

loop::Options loop_options(const config::Settings& settings) {
  loop::Options options;
  auto& budget = options.budget;
  budget.iterations = settings.integer(Key::max_iterations).value_or(0);
  budget.time = settings.duration(Key::max_time);
  budget.cost_usd = settings.money(Key::max_cost);
  budget.cost_per_day_usd = settings.money(Key::max_cost_per_day);
  budget.failures = settings.integer(Key::max_failures).value_or(0);
  budget.idle = settings.integer(Key::max_idle).value_or(0);
  budget.refusals = settings.integer(Key::max_refused).value_or(0);
  options.verify = settings.list(Key::verify);
  options.verify_limit = settings.duration(Key::verify_timeout);
  options.protect = settings.list(Key::verify_protect);
  options.verify_clean = settings.boolean(Key::verify_clean);
  options.summarize_every = settings.integer(Key::summarize_every).value_or(0);
  options.recent = settings.integer(Key::recent).value_or(1);
  options.summary_model = settings.text(Key::summary_model);
  options.summary_reasoning = settings.text(Key::summary_reasoning);
  options.reasoning = settings.text(Key::reasoning);
  options.allow_secrets = settings.boolean(Key::allow_secrets);
  options.done_marker = settings.text(Key::done_marker);
  options.commit = settings.boolean(Key::commit);
  options.rollback = settings.boolean(Key::rollback);
  options.stash = settings.boolean(Key::stash);
  options.git_timeout = settings.duration(Key::git_timeout);
  return options;
}

}  // namespace ralph::cli
