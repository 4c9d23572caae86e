#include "harness/store/loop_event_log.h"

#include <deque>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/json/mask.h"
#include "harness/store/line_file.h"
#include "harness/store/line_follower.h"
#include "harness/store/shorten.h"

namespace ralph::store {

Result<> LoopEventLog::append(const LoopEvent& event) const {
  TRY_ASSIGN(const auto folder, folder_.make_folder());
  struct stat file{};
  if (::fstatat(folder.fd(), kName, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
      file.st_size >= static_cast<off_t>(largest_)) {
    TRY(folder.remove(kRotated));
    TRY(folder.rename(kName, kRotated));
  }
  auto line = json::mask(write_event(event), masker_);
  if (line.size() > kLongestText) line = shorten_members(line, kLongestText).value_or(line);
  return append_line(folder, kName, line, Durability::process_crash);
}

std::optional<LoopEvent> last_loop_step(const Location& folder) {
  // Most lines need not be parsed.
  constexpr std::size_t kKept = 256;
  std::deque<std::string> lines;
  const auto done = LineFollower(folder / LoopEventLog::kName).read([&](std::string_view line) {
    if (lines.size() == kKept) lines.pop_front();
    lines.emplace_back(line);
  });
  if (!done) return std::nullopt;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    auto event = read_event(*line);
    if (event && !std::holds_alternative<LoopNote>(event->step)) return event;
  }
  return std::nullopt;
}

}  // namespace ralph::store
