#include "cli/run_look.h"

#include "cli/environment.h"
#include "core/model/model.h"
#include "harness/store/journal.h"
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

std::optional<std::string> journal_of(const std::filesystem::path& folder,
                                      std::string_view run_id) {
  const auto place = store::Workspace::at(folder).run_folder(std::string(run_id));
  const auto opened = place.folder();
  if (!opened) return std::nullopt;
  auto text = opened->read(store::Journal::kName, kLargestJournal);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

}  // namespace

std::optional<RunLook> look_at_run(const std::filesystem::path& folder, std::string_view run_id,
                                   UtcTime began) {
  const auto text = journal_of(folder, run_id);
  if (!text) return std::nullopt;
  stream::Summary summary(model::Table::builtin());
  view::Activity activity(shown);
  stream::EventReader reader;
  std::string_view rest = *text;
  for (auto at = rest.find('\n'); at != rest.npos; at = rest.find('\n')) {
    // Records of the run itself are no events.
    if (const auto event = reader.decode(rest.substr(0, at))) {
      stream::dispatch(*event, summary);
      stream::dispatch(*event, activity);
    }
    rest.remove_prefix(at + 1);
  }
  const auto now = activity.now();
  return RunLook{now.kind, std::string(now.text), began + Millis(now.since_ms), summary.cost_usd()};
}

}  // namespace ralph::cli
