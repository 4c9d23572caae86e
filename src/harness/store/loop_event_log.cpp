#include "harness/store/loop_event_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/json/mask.h"
#include "harness/store/line_file.h"
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

}  // namespace ralph::store
