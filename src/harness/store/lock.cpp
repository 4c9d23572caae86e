#include "harness/store/lock.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/time.h"
#include "core/base/words.h"
#include "core/json/document.h"
#include "core/json/field.h"
#include "core/json/writer.h"
#include "harness/store/lock_owner.h"

namespace ralph::store {
namespace {

constexpr Words<LockUser, 4> kUsers{{"ralph run", "ralph loop", "ralph undo", "a run"}};
constexpr std::size_t kLongestNote = 4096;
constexpr std::size_t kLongestId = 60;
constexpr std::size_t kStartTicksField = 22;
constexpr const char* kUnknownTime = "an unknown time";
constexpr int kLooks = 10;
constexpr Millis kPause{20};

/// When a process started, in clock ticks since boot; 0: there is no such process. With its pid it identifies the
/// process for good.
std::int64_t start_ticks(std::string_view pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid), kLongestNote);
  if (!stat) return 0;
  // Field 2 is the name in brackets and may hold anything.
  auto at = stat->rfind(')');
  for (std::size_t field = 2; field < kStartTicksField && at != stat->npos; ++field) {
    at = stat->find(' ', at + 1);
  }
  std::int64_t ticks = 0;
  if (at == stat->npos) return ticks;
  std::from_chars(stat->data() + at + 1, stat->data() + stat->size(), ticks);
  return ticks;
}

/// What a holder writes into the file.
std::string note_of_ours(LockUser user, std::string_view id) {
  std::string note;
  json::ObjectWriter to(note);
  to.number("pid", std::int64_t{::getpid()})
      .text("started", iso_utc(now_utc()))
      .number("start_ticks", start_ticks("self"))
      .text("what", to_string(user));
  if (!id.empty()) to.text("id", id);
  to.close();
  return note + "\n";
}

/// It becomes a part of paths.
bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
}

using Holder = Lock::Holder;

/// The holder according to the file; nullopt when it is empty, or still that of a dead process: the holder has not
/// written its own yet. Any process can write the file.
std::optional<Holder> note_in(const UniqueFd& fd) {
  std::string text(kLongestNote, '\0');
  const auto got = ::pread(fd.get(), text.data(), text.size(), 0);
  if (got <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(got));
  const auto note = json::parse(text);
  if (!note || !note->is_object()) return std::nullopt;
  const auto pid = json::integer(*note, "pid");
  const auto ticks = json::integer(*note, "start_ticks");
  if (pid <= 0 || ticks == 0 || start_ticks(std::to_string(pid)) != ticks) return std::nullopt;
  const auto since = parse_iso(json::text(*note, "started"));
  auto id = json::text(*note, "id");
  if (!is_id(id)) id.clear();
  return Holder{pid, lock_user_named(json::text(*note, "what")),
                since ? iso_utc(*since) : kUnknownTime, std::move(id)};
}

/// The pid comes from the kernel; the rest of the file is used only if it has the same pid.
Holder holder_of(const UniqueFd& fd) {
  auto note = note_in(fd);
  const auto pid = lock_owner(fd, note ? note->pid : 0);
  Holder holder{pid, command_of(pid), kUnknownTime, {}};
  if (note && note->pid == pid) {
    holder.since = note->since;
    holder.id = note->id;
    if (holder.user == LockUser::unknown) holder.user = note->user;
  }
  return holder;
}

constexpr std::string_view kBusy = "another run is using this workspace";
constexpr const char* kUnknownHolder =
    "wait until it ends; its pid is unknown: it may run in another container";

std::unexpected<Error> fail_busy(const UniqueFd& fd, const std::string& file) {
  const auto holder = holder_of(fd);
  if (holder.pid != 0) return std::unexpected(Lock::busy(holder));
  return fail(Code::busy, fmt::format("{}: it holds '{}'", kBusy, file), kUnknownHolder);
}

/// Whether the name still leads to the open file: it may have been removed meanwhile.
bool is_at(const UniqueFd& fd, const Folder& folder, const std::string& name) {
  struct stat open_file{}, named{};
  return ::fstat(fd.get(), &open_file) == 0 &&
         ::fstatat(folder.fd(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/// The file is emptied later: it must not be another file under a second name.
Result<UniqueFd> open_lock_file(const Folder& folder, const std::string& name) {
  auto fd = folder.open_append(name);
  if (fd) return fd;
  auto error = as_storage(fd.error());
  error.message = "cannot open the lock: " + error.message;
  return std::unexpected(std::move(error));
}

/// The holder may not have written its pid yet; retry a few times.
Result<> lock(const UniqueFd& fd, const std::string& file) {
  for (int looks = 0;; ++looks) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return {};
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      return fail_storage(errno, fmt::format("cannot lock '{}'", file));
    }
    if (looks == kLooks || note_in(fd)) return fail_busy(fd, file);
    std::this_thread::sleep_for(kPause);
  }
}

Result<> write_note(const UniqueFd& fd, const std::string& file, const std::string& note) {
  int error_number = ::ftruncate(fd.get(), 0) == 0 ? 0 : errno;
  if (error_number == 0) error_number = try_write_all(fd.get(), note);
  if (error_number == 0) return {};
  return fail_storage(error_number, fmt::format("cannot write the lock '{}'", file));
}

}  // namespace

std::string_view to_string(LockUser user) { return kUsers.of(user); }

LockUser lock_user_named(std::string_view name) {
  return kUsers.find(name).value_or(LockUser::unknown);
}

Result<Lock> Lock::take(const Location& file, LockUser user, std::string_view id) {
  const auto shown = file.path().native();
  for (;;) {
    const auto folder = file.parent();
    if (!folder) {
      return fail(Code::storage,
                  fmt::format("cannot open the lock '{}': {}", shown, folder.error().message),
                  folder.error().hint);
    }
    TRY_ASSIGN(auto fd, open_lock_file(*folder, file.name()));
    TRY(lock(fd, shown));
    if (!is_at(fd, *folder, file.name())) continue;
    TRY(write_note(fd, shown, note_of_ours(user, id)));
    return Lock(std::move(fd));
  }
}

Error Lock::busy(const Holder& holder) {
  if (holder.pid == 0) return {Code::busy, std::string(kBusy), kUnknownHolder};
  return {Code::busy,
          fmt::format("{} ({}, pid {}, since {})", kBusy, to_string(holder.user), holder.pid,
                      holder.since),
          fmt::format("wait until it ends, or stop it: {}kill {}",
                      holder.user == LockUser::loop ? "ralph stop --now, or " : "", holder.pid)};
}

/// Tries a shared lock, which is released at once; take() tries more than once, so it is not disturbed.
std::optional<Lock::Holder> Lock::holder(const Location& file) {
  const auto folder = file.parent();
  if (!folder) return std::nullopt;
  const auto fd = folder->open_read(file.name());
  if (!fd || ::flock(fd->get(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
    return std::nullopt;
  }
  return holder_of(*fd);
}

/// The file stays: removing it could remove one that another run has just locked.
Lock::~Lock() { [[maybe_unused]] const bool emptied = fd_ && ::ftruncate(fd_.get(), 0) == 0; }

}  // namespace ralph::store
