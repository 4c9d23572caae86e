#include "harness/run/state_record.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/unique_fd.h"
#include "harness/store/private_files.h"

namespace ralph::run {

namespace fs = std::filesystem;

Result<> write_state_record(const fs::path& record, std::string_view text) {
  const auto temporary = record.native() + ".tmp";
  ::unlink(temporary.c_str());
  const UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const auto what = fmt::format("cannot write '{}'", record.native());
  if (!fd) return fail_errno(errno, what);
  TRY(write_all(fd.get(), text, temporary));
  if (::rename(temporary.c_str(), record.c_str()) != 0) return fail_errno(errno, what);
  return {};
}

Result<> make_state_folder(const fs::path& state, std::string_view name) {
  auto made = make_folders(state.parent_path());
  if (made) made = store::make_private_folder(state);
  if (made) made = store::make_private_folder(state / name);
  if (made) return {};
  return fail(Code::storage, "cannot save ralph's state: " + made.error().message,
              "set XDG_STATE_HOME to a writable directory");
}

}  // namespace ralph::run
