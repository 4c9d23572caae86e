#include <algorithm>

#include <fmt/core.h>

#include "agent/settings/settings_impl.h"

namespace ralph::settings {

bool accepts(const Options& options, std::string_view feature) {
  return std::ranges::find(options.accepted_unsupported, feature) !=
         options.accepted_unsupported.end();
}

std::string untrusted_note(std::string_view names, std::string_view file) {
  return fmt::format("Ignoring {} of {}: this workspace is not trusted ('ralph trust' trusts it)",
                     names, file);
}

Result<std::vector<std::string>> check_supported(const Settings& settings, const Options& options) {
  const struct {
    std::string_view feature;
    std::string where;  // empty: it is not configured
    std::string_view refusal, remedy, note;
  } features[] = {
      {kSandbox, settings.sandbox,
       "{} enables Claude Code's sandbox, which ralph's agent does not support",
       "use 'ralph run --sandbox'", "the sandbox that {} enables is not used"},
  };
  std::vector<std::string> notes;
  for (const auto& [feature, where, refusal, remedy, note] : features) {
    if (where.empty()) continue;
    if (!accepts(options, feature)) {
      return fail(
          Code::unavailable, fmt::format(fmt::runtime(refusal), where),
          fmt::format("{}, or use --accept-unsupported {} to continue without", remedy, feature));
    }
    notes.push_back(
        fmt::format("ralph: {} (--accept-unsupported)", fmt::format(fmt::runtime(note), where)));
  }
  return notes;
}

}  // namespace ralph::settings
