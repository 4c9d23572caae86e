#include "system/process/guard/confiner.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/process/guard/files.h"
#include "system/process/guard/mounts.h"

namespace ralph::process::guard {

namespace {

/// As the newest kernel has it; older ones accept it while the fields they do not know are zero.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

/// Access rights that mean something for a path that is not a directory.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | (1ULL << 14) | (1ULL << 15);
constexpr int kJoinSessionKeyring = 1;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

ConfineError failed(ConfinePart part, const char* path = "") {
  return {part, errno != 0 ? errno : EINVAL, path};
}

std::size_t padded(std::size_t length) { return (length + 7) / 8 * 8; }

/// A path that is missing or that we may not look for: the program may not either. Through a link nothing is allowed.
bool is_left_out(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == ELOOP;
}

/// 0, also for a path that is left out.
int add_rule(int ruleset, const char* path, std::uint64_t access) {
  const int fd = open_exactly(path, O_PATH);
  if (fd < 0) return is_left_out(errno) ? 0 : errno;
  landlock_path_beneath_attr rule{};
  rule.parent_fd = fd;
  rule.allowed_access = access;
  const auto add = [&] {
    return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  };
  bool added = add();
  if (!added && errno == EINVAL) {  // not a directory
    rule.allowed_access &= kOfFiles;
    added = add();
  }
  const int error = added ? 0 : errno;
  ::close(fd);
  return error;
}

}  // namespace

ConfineError Confiner::load(int fd) {
  struct stat status{};
  errno = 0;
  if (::fstat(fd, &status) != 0 || status.st_size <= 0) return failed(ConfinePart::rules);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ > kMostBytes) return {ConfinePart::rules, E2BIG, ""};
  bytes_ = static_cast<char*>(std::malloc(size_));
  if (bytes_ == nullptr) return {ConfinePart::rules, ENOMEM, ""};
  const bool whole = ::pread(fd, bytes_, size_, 0) == status.st_size;
  ::close(fd);
  std::size_t at = 0;
  Rule rule{};
  while (next(at, rule)) {
    const bool is_filter =
        rule.header.kind == RuleKind::filter || rule.header.kind == RuleKind::wrapper_filter;
    const bool is_path = !is_filter && rule.header.length > 0;
    if (is_path && rule.bytes[rule.header.length - 1] != '\0') break;
  }
  if (!whole || at != size_) return {ConfinePart::rules, EPROTO, ""};
  return {};
}

bool Confiner::next(std::size_t& at, Rule& rule) const {
  if (size_ - at < sizeof rule.header) return false;
  std::memcpy(&rule.header, bytes_ + at, sizeof rule.header);
  if (size_ - at - sizeof rule.header < padded(rule.header.length)) return false;
  rule.bytes = bytes_ + at + sizeof rule.header;
  at += sizeof rule.header + padded(rule.header.length);
  return true;
}

/// Calls the function for every rule of a kind, up to the first that fails.
template <typename Function>
ConfineError Confiner::each(RuleKind kind, Function function) const {
  std::size_t at = 0;
  Rule rule{};
  while (next(at, rule)) {
    if (rule.header.kind != kind) continue;
    if (const ConfineError error = function(rule); error.error != 0) return error;
  }
  return {};
}

ConfineError Confiner::prepare() {
  (void)each(RuleKind::capabilities, [this](const Rule& rule) {
    kept_ = rule.header.number;
    return ConfineError{};
  });
  (void)each(RuleKind::keyring, [this](const Rule&) {
    new_keyring_ = true;
    return ConfineError{};
  });
  ConfineError error = prepare_scratch();
  if (error.error == 0) error = prepare_placeholders();
  if (error.error == 0) error = prepare_mounts();
  if (error.error == 0) error = prepare_landlock();
  if (error.error == 0) error = prepare_filter();
  if (error.error == 0) error = pass_filter();
  return error;
}

ConfineError Confiner::prepare_scratch() {
  return each(RuleKind::scratch, [this](const Rule& rule) {
    scratch_ = rule.bytes;
    return ConfineError{};
  });
}

ConfineError Confiner::prepare_placeholders() {
  return each(RuleKind::protect, [this](const Rule& rule) {
    errno = 0;
    if (placeholders_.hold(rule.bytes)) return ConfineError{};
    return failed(ConfinePart::placeholder, rule.bytes);
  });
}

ConfineError Confiner::prepare_mounts() {
  (void)each(RuleKind::mounts, [this](const Rule&) {
    own_mounts_ = true;
    return ConfineError{};
  });
  std::size_t count = 0;
  const auto counted = [&](const Rule&) {
    ++count;
    return ConfineError{};
  };
  (void)each(RuleKind::writable, counted);
  if (count == 0) return {};
  copies_ = static_cast<Copy*>(std::malloc(count * sizeof(Copy)));
  if (copies_ == nullptr) return {ConfinePart::mounts, ENOMEM, ""};
  return each(RuleKind::writable, [this](const Rule& rule) {
    copies_[copy_count_++] = {rule.bytes, -1};
    return ConfineError{};
  });
}

ConfineError Confiner::copy_writable() const {
  for (std::size_t i = 0; i < copy_count_; ++i) {
    copies_[i].tree = copy_mounts(copies_[i].path);
    if (copies_[i].tree < 0) return failed(ConfinePart::mounts, copies_[i].path);
  }
  return {};
}

ConfineError Confiner::put_writable(bool scratch) const {
  for (std::size_t i = 0; i < copy_count_; ++i) {
    const Copy& copy = copies_[i];
    const bool is_scratch = scratch_ != nullptr && std::strcmp(copy.path, scratch_) == 0;
    if (is_scratch == scratch && !put_mounts(copy.tree, copy.path)) {
      return failed(ConfinePart::mounts, copy.path);
    }
  }
  return {};
}

/// What something is mounted on cannot be moved.
ConfineError Confiner::fix_folders() const {
  return each(RuleKind::fixed, [](const Rule& rule) {
    const int tree = copy_mounts(rule.bytes);
    if (tree >= 0 && put_mounts(tree, rule.bytes)) return ConfineError{};
    return failed(ConfinePart::hidden, rule.bytes);
  });
}

/// The scratch directory lends its place to what covers; its own mount then goes on top of that.
ConfineError Confiner::cover_hidden() const {
  Cover cover;
  bool covering = false;
  return each(RuleKind::hidden, [&](const Rule& rule) {
    if (!covering && (scratch_ == nullptr || !cover.begin(scratch_))) {
      return failed(ConfinePart::hidden, scratch_ == nullptr ? "" : scratch_);
    }
    covering = true;
    return cover.hide(rule.bytes) ? ConfineError{} : failed(ConfinePart::hidden, rule.bytes);
  });
}

ConfineError Confiner::enter_mounts() const {
  if (!own_mounts_) return {};
  errno = 0;
  if (!enter_mount_namespace()) return failed(ConfinePart::mount_namespace);
  ConfineError error = copy_writable();
  if (error.error != 0) return error;
  if (!make_all_read_only()) return failed(ConfinePart::mounts, "/");
  error = put_writable(false);
  if (error.error == 0) error = fix_folders();
  if (error.error != 0) return error;
  error = each(RuleKind::protect, [](const Rule& rule) {
    const int tree = copy_mounts_read_only(rule.bytes);
    if (tree >= 0 && put_mounts(tree, rule.bytes)) return ConfineError{};
    return failed(ConfinePart::mounts, rule.bytes);
  });
  if (error.error == 0) error = cover_hidden();
  if (error.error == 0) error = put_writable(true);
  return error;
}

ConfineError Confiner::prepare_landlock() {
  auto error = each(RuleKind::landlock, [this](const Rule& rule) {
    const RulesetAttributes attributes{rule.header.number, 0, rule.header.second};
    ruleset_ =
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    return ruleset_ < 0 ? failed(ConfinePart::landlock) : ConfineError{};
  });
  if (error.error != 0 || ruleset_ < 0) return error;
  ::fcntl(ruleset_, F_SETFD, FD_CLOEXEC);
  return each(RuleKind::allow, [this](const Rule& rule) {
    const int error_number = add_rule(ruleset_, rule.bytes, rule.header.number);
    return error_number == 0 ? ConfineError{}
                             : ConfineError{ConfinePart::landlock, error_number, rule.bytes};
  });
}

ConfineError Confiner::prepare_filter() {
  return each(RuleKind::filter, [this](const Rule& rule) {
    const std::size_t count = rule.header.length / sizeof(sock_filter);
    if (count == 0 || count > BPF_MAXINSNS || rule.header.length % sizeof(sock_filter) != 0) {
      return ConfineError{ConfinePart::filter, EINVAL, ""};
    }
    auto* const copy = static_cast<sock_filter*>(std::malloc(rule.header.length));
    if (copy == nullptr) return ConfineError{ConfinePart::filter, ENOMEM, ""};
    std::memcpy(copy, rule.bytes, rule.header.length);
    filter_ = {static_cast<unsigned short>(count), copy};
    return ConfineError{};
  });
}

/// A file in memory that the wrapper inherits; it closes it.
ConfineError Confiner::pass_filter() {
  return each(RuleKind::wrapper_filter, [](const Rule& rule) {
    errno = 0;
    const int file = ::memfd_create("ralph-filter", MFD_CLOEXEC);
    if (file < 0) return failed(ConfinePart::filter);
    const bool passed =
        ::write(file, rule.bytes, rule.header.length) == static_cast<ssize_t>(rule.header.length) &&
        ::lseek(file, 0, SEEK_SET) == 0 && ::dup2(file, kFilterFd) == kFilterFd;
    const auto error = passed ? ConfineError{} : failed(ConfinePart::filter);
    if (file == kFilterFd) {
      ::fcntl(file, F_SETFD, 0);
    } else {
      ::close(file);
    }
    return error;
  });
}

/// The bounding set can stay: after PR_SET_NO_NEW_PRIVS no program gets what is not permitted here.
ConfineError Confiner::drop_capabilities() const {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return failed(ConfinePart::capabilities);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int half = 0; half < 2; ++half) {
    data[half].permitted &= static_cast<__u32>(kept_ >> (32 * half));
    data[half].effective = data[half].permitted;
    data[half].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, data) != 0) return failed(ConfinePart::capabilities);
  return {};
}

ConfineError Confiner::enter() const {
  // A kernel without keyrings, or a container that denies them, has none to leave.
  if (new_keyring_) ::syscall(SYS_keyctl, kJoinSessionKeyring, nullptr);
  if (ruleset_ < 0 && filter_.filter == nullptr) return {};  // bubblewrap does it
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed(ConfinePart::privileges);
  if (ruleset_ >= 0) {
    if (::syscall(SYS_landlock_restrict_self, ruleset_, 0) != 0) {
      return failed(ConfinePart::landlock);
    }
    if (const ConfineError error = drop_capabilities(); error.error != 0) return error;
  }
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter_) != 0) {
    return failed(ConfinePart::filter);
  }
  return {};
}

void Confiner::clean_up() {
  if (bytes_ == nullptr) return;
  placeholders_.release();
  if (scratch_ != nullptr) remove_folder(scratch_);
}

}  // namespace ralph::process::guard
