#include "cli/loop_dry_run.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/dry_run.h"
#include "cli/failure.h"
#include "core/json/writer.h"
#include "harness/loop/next_prompt.h"
#include "harness/loop/run_requests.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

using config::Key;

std::string or_none(const std::vector<std::string>& words) {
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

std::string limit(const config::Settings& settings, Key key) {
  const auto text = config::to_text(settings.value(key), config::setting(key).kind);
  return text.empty() || text == "0" || text == "0s" ? "none" : text;
}

void show_loop(const loop::Setup& setup, const config::Settings& settings, const Masker& masker,
               StdOutput& output) {
  const auto line = [&](std::string_view name, std::string_view value) {
    output.out(fmt::format("{:<12} {}\n", name, masker.mask(console::safe_text(value))));
  };
  const auto& options = setup.options;
  line("goal", setup.goal_file.empty() ? "from the command line" : setup.goal_file);
  line("ends",
       fmt::format("iterations {}, time {}, cost {}", limit(settings, Key::max_iterations),
                   limit(settings, Key::max_time),
                   options.budget.cost_usd ? console::dollars(*options.budget.cost_usd) : "none"));
  line("verify", or_none(options.verify));
  line("protect", or_none(options.protect));
  line("commits", options.commit ? "after every iteration" : "none");
  line("sandbox", settings.text(Key::sandbox));
}

void show_no_iteration(std::string_view why, bool json, StdOutput& output) {
  if (!json) return output.out(fmt::format("{:<12} no iteration: {}\n", "next", why));
  std::string line;
  json::ObjectWriter(line).text("no_iteration", why).close();
  output.out(line + "\n");
}

void warn_of_refusal(const loop::NextPrompt& prompt, const Masker& masker, StdOutput& output) {
  if (prompt.refusal.empty()) return;
  warn("the loop would not start: " + masker.mask(console::safe_text(prompt.refusal)), output);
}

}  // namespace

Result<> show_loop_dry_run(const loop::Setup& setup, const config::Settings& settings,
                           const Masker& masker, StdOutput& output) {
  std::vector<std::string> cuts;
  std::string refused;
  TRY_ASSIGN(auto prompt, loop::next_prompt(setup, cuts, refused));
  for (const auto& warning : setup.warnings) warn(warning, output);
  warn_of_refusal(prompt, masker, output);
  const bool json = settings.boolean(Key::json);
  if (!json) show_loop(setup, settings, masker, output);
  if (!prompt.no_iteration.empty()) {
    show_no_iteration(prompt.no_iteration, json, output);
    return {};
  }
  TRY(show_dry_run(
      loop::worker_request(setup, setup.loop_id, {prompt.iteration}, std::move(prompt.text)), json,
      masker, output));
  for (const auto& cut : cuts) warn(cut, output);
  if (!refused.empty()) warn(refused, output);
  return {};
}

int print_prompt(const loop::Setup& setup, const Masker& masker, StdOutput& output) {
  std::vector<std::string> cuts;
  std::string refused;
  const auto prompt = loop::next_prompt(setup, cuts, refused);
  if (!prompt) return report(prompt.error(), output);
  if (!prompt->no_iteration.empty()) {
    note(fmt::format("no iteration would start: {}", prompt->no_iteration), output);
  }
  warn_of_refusal(*prompt, masker, output);
  output.out(prompt->text);
  for (const auto& cut : cuts) warn(cut, output);
  if (!refused.empty()) warn(refused, output);
  return 0;
}

}  // namespace ralph::cli
