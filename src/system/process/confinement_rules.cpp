#include "system/process/confinement_rules.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <unistd.h>

#include "core/base/path.h"
#include "system/process/guard/protocol.h"
#include "system/process/guard/rules.h"
#include "system/process/seccomp_filter.h"

namespace ralph::process {

namespace {

namespace fs = std::filesystem;
using guard::RuleKind;

// Newer than the headers of some systems.
constexpr std::uint64_t kRefer = 1ULL << 13, kTruncate = 1ULL << 14, kIoctlDevice = 1ULL << 15;
constexpr std::uint64_t kScopeAbstractSockets = 1, kScopeSignals = 2;
constexpr std::uint64_t kSinceFirst = (1ULL << 13) - 1;
constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr int kWithRefer = 2, kWithTruncate = 3, kWithIoctl = 5, kWithScopes = 6;
constexpr int kNewestAbi = kWithScopes;

constexpr std::string_view kNull = "/dev/null";
/// What programs read; terminals, disks and shared memory are not among them.
constexpr std::string_view kReadDevices[] = {"/dev/zero", "/dev/full", "/dev/random",
                                             "/dev/urandom"};

/// Links of the root directory that every path to a program leads through.
constexpr std::string_view kSystemLinks[] = {
    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/localtime", "/etc/os-release"};

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }

class Encoder {
 public:
  void add(RuleKind kind, std::string_view bytes, std::uint64_t number = 0,
           std::uint64_t second = 0) {
    guard::RuleHeader header;
    header.kind = kind;
    header.length = static_cast<std::uint32_t>(bytes.size());
    header.number = number;
    header.second = second;
    rules_.append(reinterpret_cast<const char*>(&header), sizeof header);
    rules_ += bytes;
    rules_.append((8 - bytes.size() % 8) % 8, '\0');
  }
  void add_path(RuleKind kind, const fs::path& path, std::uint64_t number = 0) {
    const auto& text = path.native();
    add(kind, {text.c_str(), text.size() + 1}, number);
  }
  std::string take() { return std::move(rules_); }

 private:
  std::string rules_;
};

Result<> check_paths(const Confinement& confinement) {
  for (const auto* const list : {&confinement.read, &confinement.execute, &confinement.write,
                                 &confinement.hidden, &confinement.protect}) {
    for (const auto& path : *list) {
      if (path.is_absolute() && path.native().find('\0') == std::string::npos) continue;
      return fail(Code::internal,
                  fmt::format("a confinement needs absolute paths, not '{}'", path.string()));
    }
  }
  return {};
}

void add_landlock(Encoder& rules, const Confinement& confinement, int abi) {
  const auto rights = landlock_rights(abi, confinement.network);
  rules.add(RuleKind::landlock, {}, rights.handled, rights.scopes);
  const auto allow = [&](const fs::path& path, std::uint64_t access) {
    rules.add_path(RuleKind::allow, path, access);
  };
  for (const auto& path : confinement.read) allow(path, rights.read);
  for (const auto& path : confinement.execute) allow(path, rights.execute);
  for (const auto& path : confinement.write) allow(path, rights.write);
  if (!confinement.scratch.empty()) allow(confinement.scratch, rights.write);
  allow(kNull, rights.device);
  for (const auto device : kReadDevices) allow(device, LANDLOCK_ACCESS_FS_READ_FILE);
}

/// The directories around a hidden path that could be moved, so that the path no longer is what a rule names; outer ones
/// first.
std::set<fs::path> fixed_folders(const Confinement& confinement) {
  std::set<fs::path> folders;
  const auto movable = [&](const fs::path& folder) {
    return std::ranges::any_of(confinement.write, [&](const fs::path& writable) {
      return folder != writable && is_below(folder, writable);
    });
  };
  for (const auto& hidden : confinement.hidden) {
    for (auto folder = hidden.parent_path(); movable(folder); folder = folder.parent_path()) {
      if (!folders.insert(folder).second) break;
    }
  }
  return folders;
}

void add_mounts(Encoder& rules, const Confinement& confinement) {
  rules.add(RuleKind::mounts, {});
  auto writable = confinement.write;
  if (!confinement.scratch.empty()) writable.push_back(confinement.scratch);
  std::ranges::sort(writable);  // a directory before what is in it
  for (const auto& path : writable) rules.add_path(RuleKind::writable, path);
  for (const auto& path : fixed_folders(confinement)) rules.add_path(RuleKind::fixed, path);
  for (const auto& path : confinement.hidden) rules.add_path(RuleKind::hidden, path);
}

}  // namespace

LandlockRights landlock_rights(int abi, Confinement::Network network) {
  LandlockRights rights;
  rights.handled = kSinceFirst;
  if (abi >= kWithRefer) rights.handled |= kRefer;
  if (abi >= kWithTruncate) rights.handled |= kTruncate;
  if (abi >= kWithIoctl) rights.handled |= kIoctlDevice;
  if (abi >= kWithScopes) {
    const bool offline = network == Confinement::Network::none;
    rights.scopes = kScopeSignals | (offline ? kScopeAbstractSockets : 0);
  }
  rights.read = kRead;
  rights.execute = kRead | LANDLOCK_ACCESS_FS_EXECUTE;
  rights.write = rights.handled & ~(kDevices | kIoctlDevice | LANDLOCK_ACCESS_FS_EXECUTE);
  rights.device = rights.handled & (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                    kTruncate | kIoctlDevice);
  return rights;
}

std::uint64_t kept_capabilities(const Confinement& confinement, bool is_root) {
  if (!is_root) return 0;
  if (confinement.write.empty()) return bit(CAP_DAC_READ_SEARCH);
  return bit(CAP_DAC_READ_SEARCH) | bit(CAP_DAC_OVERRIDE) | bit(CAP_CHOWN) | bit(CAP_FOWNER);
}

Result<std::string> encode_rules(const Confinement& confinement, const ConfinementSupport& support,
                                 Mechanism mechanism) {
  TRY(check_paths(confinement));
  Encoder rules;
  if (!confinement.scratch.empty()) rules.add_path(RuleKind::scratch, confinement.scratch);
  for (const auto& path : confinement.protect) rules.add_path(RuleKind::protect, path);
  if (mechanism == Mechanism::bubblewrap) {
    // Mounts and namespaces do what Landlock would: of the filter only what every Landlock leaves to it is needed.
    const auto filter = seccomp_filter(confinement, kNewestAbi);
    if (!filter) return fail(Code::unavailable, "no seccomp filter for this architecture");
    rules.add(RuleKind::wrapper_filter, *filter);
    return rules.take();
  }
  if (confinement.needs_mounts()) add_mounts(rules, confinement);
  add_landlock(rules, confinement, support.landlock_abi);
  rules.add(RuleKind::capabilities, {}, kept_capabilities(confinement, ::geteuid() == 0));
  const auto filter = seccomp_filter(confinement, support.landlock_abi);
  if (!filter) return fail(Code::unavailable, "no seccomp filter for this architecture");
  rules.add(RuleKind::filter, *filter);
  return rules.take();
}

Result<std::string> sandbox_rules(SandboxFilter wanted) {
  Encoder rules;
  rules.add(RuleKind::keyring, {});
  const auto filter = sandbox_filter(wanted);
  if (!filter) return fail(Code::unavailable, "no seccomp filter for this architecture");
  rules.add(RuleKind::wrapper_filter, *filter);
  return rules.take();
}

std::vector<std::string> bubblewrap_words(const Confinement& confinement,
                                          const std::string& bubblewrap, const fs::path& cwd) {
  std::vector<std::string> words{bubblewrap,
                                 "--die-with-parent",
                                 "--unshare-pid",
                                 "--unshare-ipc",
                                 "--unshare-uts",
                                 "--cap-drop",
                                 "ALL",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc",
                                 "--seccomp",
                                 std::to_string(guard::kFilterFd)};
  if (confinement.network == Confinement::Network::none) words.emplace_back("--unshare-net");
  const auto mount = [&](std::string_view option, const fs::path& path) {
    words.insert(words.end(), {std::string(option), path.string(), path.string()});
  };
  std::vector<std::pair<fs::path, std::string_view>> places;
  for (const auto* const list : {&confinement.read, &confinement.execute}) {
    for (const auto& path : *list) places.emplace_back(path, "--ro-bind-try");
  }
  for (const auto& path : confinement.write) places.emplace_back(path, "--bind");
  for (const auto& path : fixed_folders(confinement)) places.emplace_back(path, "--bind");
  if (!confinement.scratch.empty()) places.emplace_back(confinement.scratch, "--bind");
  std::ranges::stable_sort(places, {}, &std::pair<fs::path, std::string_view>::first);
  for (const auto& [path, option] : places) {
    if (path != "/proc") mount(option, path);
  }
  for (const fs::path path : kSystemLinks) {
    std::error_code error;
    const auto target = fs::read_symlink(path, error);
    const auto same = [&](const auto& place) { return place.first == path; };
    if (error || std::ranges::any_of(places, same)) continue;
    words.insert(words.end(), {"--symlink", target.string(), path.string()});
  }
  for (const auto& path : confinement.protect) mount("--ro-bind", path);
  for (const auto& path : confinement.hidden) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      words.insert(words.end(), {"--tmpfs", path.string(), "--remount-ro", path.string()});
    } else if (fs::exists(path, error)) {
      words.insert(words.end(), {"--ro-bind", "/dev/null", path.string()});
    } else {
      mount("--ro-bind", path);  // fails: it was there when it was looked for
    }
  }
  if (!cwd.empty()) words.insert(words.end(), {"--chdir", cwd.string()});
  words.emplace_back("--");
  return words;
}

}  // namespace ralph::process
