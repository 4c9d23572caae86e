#include "cli/failure.h"

#include <fmt/core.h>

#include "cli/environment.h"
#include "core/base/safe_text.h"
#include "harness/stream/outcome.h"

namespace ralph::cli {

int report(const Error& error, StdOutput& output) {
  const auto& masker = log_masker();
  // Made safe before it is masked: a colour code must not hide a key.
  output.err(fmt::format("ralph: {}\n", masker.mask(safe_text(error.message))));
  if (!error.hint.empty()) output.err(masker.mask(safe_text(error.hint)) + "\n");
  return stream::row(stream::outcome_of(error.code, stream::ErrorSource::command)).exit_code;
}

int report_usage(const Error& error, const Command* command, StdOutput& output) {
  const auto where =
      command == nullptr ? std::string("ralph") : fmt::format("ralph {}", command->name);
  return report({Code::usage, error.message, fmt::format("see '{} --help'", where)}, output);
}

void warn(std::string_view message, StdOutput& output) {
  output.err(fmt::format("ralph: warning: {}\n", log_masker().mask(safe_text(message))));
}

void note(std::string_view message, StdOutput& output) {
  output.err(fmt::format("ralph: note: {}\n", log_masker().mask(safe_text(message))));
}

}  // namespace ralph::cli
