#include "cli/run_snapshot.h"

#include "cli/environment.h"
#include "core/model/model.h"
#include "harness/store/journal.h"
#include "harness/store/line_follower.h"
#include "harness/store/workspace.h"
#include "harness/stream/event_json.h"
#include "harness/stream/summary.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{64} << 20;
constexpr std::size_t kShort = 200;

std::string shown(std::string_view text) {
  return view::one_line(log_masker().mask(view::safe_text(text)), kShort);
}

}  // namespace

std::optional<RunSnapshot> read_run(const std::filesystem::path& folder, std::string_view run_id,
                                    UtcTime began) {
  stream::Summary summary(model::Table::builtin());
  view::Activity activity(shown);
  stream::EventReader reader;
  const auto place = store::Workspace::at(folder).run_folder(run_id) / store::Journal::kName;
  bool any = false;
  const auto read = store::LineFollower(place).read(
      [&](std::string_view line) {
        any = true;
        // Records of the run itself are no events.
        const auto event = reader.decode(line);
        if (!event) return;
        stream::dispatch(*event, summary);
        stream::dispatch(*event, activity);
      },
      kLargestJournal);
  if (!read || !any) return std::nullopt;
  const auto now = activity.now();
  return RunSnapshot{now.kind, std::string(now.text), began + Millis(now.since_ms),
                     summary.cost_usd()};
}

}  // namespace ralph::cli
