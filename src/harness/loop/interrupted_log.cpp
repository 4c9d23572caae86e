#include <algorithm>
#include <filesystem>
#include <ranges>

#include <fmt/core.h>

#include "harness/loop/loop_impl.h"
#include "harness/loop/run_requests.h"
#include "harness/run/bookkeeping.h"
#include "harness/stream/decoder.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kLargestLog = std::size_t{256} << 20;

Result<std::string> read_log(const Setup& setup, const store::Workspace& workspace,
                             const std::string& name) {
  TRY_ASSIGN(const auto folder, run::log_folder(setup.request.log_dir, workspace));
  const auto place = folder / setup.request.backend->name / name;
  TRY_ASSIGN(const auto parent, place.parent());
  return parent.read(place.name(), kLargestLog);
}

/// Whether what the log says begins with what the journal has.
bool continues(const stream::Summary& log, const stream::Summary& journal) {
  const auto same = [](const stream::TurnRecord& a, const stream::TurnRecord& b) {
    return a.is_error == b.is_error && a.reason == b.reason && a.turns == b.turns &&
           a.duration_ms == b.duration_ms;
  };
  // Of longer lists only the newest are kept.
  const bool complete = log.result_count == std::ssize(log.results) &&
                        journal.result_count == std::ssize(journal.results);
  return complete && log.results.size() >= journal.results.size() &&
         std::ranges::equal(journal.results, log.results | std::views::take(journal.result_count),
                            same) &&
         log.tool_calls >= journal.tool_calls && log.turns >= journal.turns &&
         (journal.session_id.empty() || log.session_id == journal.session_id) &&
         log.cost_usd().value_or(0) >= journal.cost_usd().value_or(0);
}

}  // namespace

std::string add_from_log(RunOutcome& end, const Setup& setup, const store::Workspace& workspace) {
  const auto& backend = *setup.request.backend;
  const auto name = answers_by_schema(backend)
                        ? std::filesystem::path(end.raw_log).filename().string()
                        : std::string();
  if (name.empty()) return {};
  const auto log = read_log(setup, workspace, name);
  if (!log) return {};
  auto summary = end.before_attempt.value_or(stream::Summary(setup.request.models));
  stream::Decoder decoder(backend.make_dialect(std::string(backend.display_name)), {&summary}, "",
                          setup.request.max_line);
  decoder.feed(*log, 0);
  decoder.finish(0);
  const auto cost = summary.cost_usd().value_or(0);
  const bool more =
      summary.result_count > end.summary.result_count || cost > end.summary.cost_usd().value_or(0);
  if (!more) return {};
  end.cost_at_least_usd = cost;
  if (!continues(summary, end.summary)) {
    return fmt::format(
        "the log '{}' does not begin with what the run's journal has: it may have been replaced, "
        "and is not used",
        name);
  }
  end.summary = std::move(summary);
  conclude_interrupted(end, setup);
  return {};
}

}  // namespace ralph::loop
