#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>

#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/process/capture.h"
#include "system/process/confinement.h"
#include "system/process/seccomp_filter.h"

namespace ralph::process {

namespace {

constexpr int kNewestKnownAbi = 7;
constexpr Millis kProbeLimit{10'000};

int landlock_abi() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi <= 0 ? 0 : static_cast<int>(std::min<long>(abi, kNewestKnownAbi));
}

bool has_seccomp() {
  const unsigned action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0 &&
         seccomp_filter({}, kNewestKnownAbi).has_value();
}

/// Runs `true` under a confinement, by these means only. Empty: it works.
std::string refusal(const ConfinementSupport& means, Confinement confinement) {
  Command command;
  command.argv = {"/bin/true"};
  command.cwd = "/";
  command.confinement = std::move(confinement);
  command.support = means;
  const auto ran = capture(command, {.wall = kProbeLimit, .bytes = 2000});
  if (!ran) {
    constexpr std::string_view kBefore = "cannot be confined: ";
    const auto& message = ran.error().message;
    const auto at = message.find(kBefore);
    return at == std::string::npos ? message : message.substr(at + kBefore.size());
  }
  if (ran->ok()) return {};
  return ran->err.empty() ? "the probe failed" : ran->err.substr(0, ran->err.find('\n'));
}

/// What was found out, and what was not needed yet.
class Prober {
 public:
  ConfinementSupport kernel() {
    const std::lock_guard lock(mutex_);
    if (!kernel_) kernel_ = {landlock_abi(), has_seccomp(), false, {}, {}};
    return *kernel_;
  }
  void add_mounts(ConfinementSupport& support) {
    const std::lock_guard lock(mutex_);
    if (!no_mounts_) {
      ConfinementSupport means = support;
      means.mounts = true;
      Confinement confinement;
      confinement.execute = {"/"};
      confinement.write = {"/usr"};
      no_mounts_ = support.landlock_abi > 0 && support.seccomp ? refusal(means, confinement)
                                                               : "not tried without Landlock";
    }
    support.mounts = no_mounts_->empty();
    support.no_mounts = *no_mounts_;
  }
  void add_bubblewrap(ConfinementSupport& support) {
    const std::lock_guard lock(mutex_);
    if (!bubblewrap_) bubblewrap_ = find_bubblewrap();
    support.bubblewrap = *bubblewrap_;
  }

 private:
  /// Not by PATH: that may lead into a directory that others write.
  static std::string find_bubblewrap() {
    for (const char* const path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
      if (::access(path, X_OK) != 0) continue;
      ConfinementSupport means;
      means.bubblewrap = path;
      means.seccomp = has_seccomp();
      Confinement confinement;
      confinement.execute = {"/usr", "/bin", "/lib", "/lib64"};
      return refusal(means, confinement).empty() ? path : "";
    }
    return {};
  }

  std::mutex mutex_;
  std::optional<ConfinementSupport> kernel_;
  std::optional<std::string> no_mounts_;
  std::optional<std::string> bubblewrap_;
};

Prober& prober() {
  static Prober prober;
  return prober;
}

}  // namespace

ConfinementSupport support_for(const Confinement& confinement) {
  auto support = prober().kernel();
  const bool kernel = support.landlock_abi > 0 && support.seccomp;
  if (kernel && !confinement.needs_mounts()) return support;
  if (kernel) prober().add_mounts(support);
  if (!kernel || !support.mounts) prober().add_bubblewrap(support);
  return support;
}

ConfinementSupport full_support() {
  auto support = prober().kernel();
  prober().add_mounts(support);
  prober().add_bubblewrap(support);
  return support;
}

}  // namespace ralph::process
