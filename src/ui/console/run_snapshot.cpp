#include "ui/console/run_snapshot.h"

#include <algorithm>

#include "core/model/model.h"
#include "harness/store/journal.h"
#include "harness/store/line_follower.h"
#include "harness/store/workspace.h"
#include "harness/stream/event_json.h"
#include "harness/stream/summary.h"
#include "ui/console/safe_text.h"

namespace ralph::console {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{64} << 20;
constexpr std::size_t kLongestActivity = 200;

}  // namespace

std::optional<RunSnapshot> read_run(const std::filesystem::path& folder, std::string_view run_id,
                                    UtcTime began, const Masker& masker) {
  stream::Summary summary(model::Table::builtin());
  Activity activity([&](std::string_view text) {
    return one_line(masker.mask(safe_text(text)), kLongestActivity);
  });
  stream::EventReader reader;
  const auto place = store::Workspace::at(folder).run_folder(run_id) / store::Journal::kName;
  std::optional<UtcTime> alive;
  std::int64_t last_ms = 0;
  std::string raw_log;
  bool any = false;
  const auto read = store::LineFollower(place).read(
      [&](std::string_view line) {
        any = true;
        // The run's own records are not events.
        if (const auto event = reader.decode(line)) {
          stream::dispatch(*event, summary);
          stream::dispatch(*event, activity);
          last_ms = std::max(last_ms, event->t_ms);
        } else if (const auto when = store::Journal::time_of(line, "alive")) {
          alive = when;
        } else if (auto log = store::Journal::raw_log_of(line)) {
          raw_log = *std::move(log);
        }
      },
      kLargestJournal);
  if (!read || !any) return std::nullopt;
  const auto now = activity.now();
  const auto last = began + Millis(last_ms);
  return RunSnapshot{now.kind,
                     std::string(now.text),
                     began + Millis(now.since_ms),
                     std::max(last, std::min(alive.value_or(last), now_utc())),
                     std::move(raw_log),
                     summary.cost_usd(),
                     one_line(masker.mask(safe_text(summary.model)), kLongestActivity)};
}

}  // namespace ralph::console
