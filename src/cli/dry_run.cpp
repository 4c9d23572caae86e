#include "cli/dry_run.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/names.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"
#include "harness/run/run.h"
#include "ui/console/figures.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

std::string shell_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const auto& word : argv) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

/// Changed variables; removed ones only if they are set.
std::string environment_of(const process::Command& command, const backend::Host& host) {
  const auto is_set = [&](const std::string& name) {
    return std::ranges::any_of(host.environment, [&](const std::string& variable) {
      return variable.starts_with(name + "=");
    });
  };
  std::string text;
  for (const auto& change : command.env) {
    if (!change.value && !is_set(change.name)) continue;
    if (!text.empty()) text += ", ";
    text += change.value
                ? fmt::format(
                      "{}={}", change.name,
                      looks_secret(change.name) && !change.value->empty() ? "***" : *change.value)
                : fmt::format("{} removed", change.name);
  }
  return text.empty() ? "unchanged" : text;
}

std::string length_of(Millis limit) {
  return limit == Millis::zero() ? "none" : format_duration(limit);
}

std::string_view delivered(backend::Delivery delivery) {
  switch (delivery) {
    case backend::Delivery::argument: return "as an argument";
    case backend::Delivery::standard_in: return "on stdin";
    case backend::Delivery::stream_json: return "as a JSON message on stdin";
    case backend::Delivery::file: return "in a file";
  }
  return "";
}

struct Line {
  std::string_view name;
  std::string value;
};

std::vector<Line> lines_of(const run::Request& request, const backend::Plan& plan) {
  const auto log = run::raw_log_base(request, now_utc()).native();
  std::vector<Line> lines{
      {"backend", std::string(plan.backend->name)},
      {"command", shell_line(plan.command.argv)},
      {"folder", request.host.workspace.native()},
      {"environment", environment_of(plan.command, request.host)},
      {"transport", plan.command.transport == process::Transport::pty ? "pty" : "pipe"},
      {"prompt",
       fmt::format("{}, {}",
                   console::counted(static_cast<std::int64_t>(request.ask.prompt.size()), "byte"),
                   delivered(plan.delivery))},
      {"limits",
       fmt::format("timeout {}, idle {}, after the end {}, cost {}", length_of(request.limits.wall),
                   length_of(request.limits.silence), format_duration(request.limits.after_end),
                   request.ask.max_cost ? console::dollars(*request.ask.max_cost) : "none")},
      {"raw log", log + ".ndjson"},
      {"stderr", log + ".stderr"},
      {"journal",
       (request.host.root() / ".ralph" / "runs" / request.run_id / "journal.ndjson").native()},
  };
  if (plan.prompt_file) lines.push_back({"prompt file", plan.prompt_file->path.native()});
  return lines;
}

}  // namespace

Result<> show_dry_run(run::Request request, bool json, const Masker& masker, StdOutput& output) {
  std::vector<std::string> warnings = request.warnings;
  TRY_ASSIGN(const auto plan, run::prepare(request, warnings));
  warnings.insert(warnings.end(), plan.warnings.begin(), plan.warnings.end());
  const auto lines = lines_of(request, plan);
  if (json) {
    std::string argv = "[", out;
    for (const auto& word : plan.command.argv) {
      if (argv.size() > 1) argv += ',';
      json::append_string(argv, masker.mask(utf8::repaired(word)));
    }
    json::ObjectWriter writer(out);
    writer.raw("argv", argv + "]");
    for (const auto& line : lines) {
      std::string key(line.name);
      std::ranges::replace(key, ' ', '_');
      writer.text(key, masker.mask(utf8::repaired(line.value)));
    }
    writer.close();
    output.out(out + "\n");
  } else {
    for (const auto& line : lines) {
      output.out(
          fmt::format("{:<12} {}\n", line.name, masker.mask(console::safe_text(line.value))));
    }
  }
  for (const auto& warning : warnings)
    output.err(fmt::format("[Warning] {}\n", console::safe_text(warning)));
  return {};
}

}  // namespace ralph::cli
