#include "system/process/confinement.h"

#include <string_view>

#include <fmt/format.h>

namespace ralph::process {

namespace {

using Paths = std::vector<std::filesystem::path>;

void add_lines(std::string& text, std::string_view name, const Paths& paths) {
  for (const auto& path : paths) text += fmt::format("{} {}\n", name, path.string());
}

}  // namespace

std::string to_text(const Confinement& confinement) {
  std::string text;
  add_lines(text, "read", confinement.read);
  add_lines(text, "execute", confinement.execute);
  add_lines(text, "write", confinement.write);
  add_lines(text, "hidden", confinement.hidden);
  add_lines(text, "protect", confinement.protect);
  if (!confinement.scratch.empty()) text += "scratch " + confinement.scratch.string() + "\n";
  text += confinement.network == Confinement::Network::none ? "network none\n" : "network all\n";
  text += "signals own tree\n";
  for (const auto& change : confinement.environment) {
    text += change.value ? fmt::format("set {}={}\n", change.name, *change.value)
                         : fmt::format("unset {}\n", change.name);
  }
  return text;
}

std::string describe(const ConfinementSupport& support) {
  const bool kernel = support.landlock_abi > 0 && support.seccomp;
  const auto by = [&](bool possible, std::string_view means) {
    if (possible) return std::string(means);
    return support.bubblewrap.empty() || !support.seccomp ? std::string("denied")
                                                          : std::string("bubblewrap and seccomp");
  };
  return fmt::format(
      "read-only commands: {}; deny rules in working directories and acceptEdits: {}",
      by(kernel, fmt::format("Landlock ABI {} and seccomp", support.landlock_abi)),
      by(kernel && support.mounts,
         fmt::format("Landlock ABI {}, seccomp and a mount namespace", support.landlock_abi)));
}

Result<Mechanism> mechanism_for(const Confinement& confinement, const ConfinementSupport& support) {
  const bool kernel = support.landlock_abi > 0 && support.seccomp;
  if (kernel && (support.mounts || !confinement.needs_mounts())) return Mechanism::kernel;
  if (!support.bubblewrap.empty() && support.seccomp) return Mechanism::bubblewrap;
  std::string missing;
  if (!support.seccomp && support.landlock_abi > 0) {
    missing = "no seccomp filter for this kernel or architecture";
  } else if (support.landlock_abi <= 0) {
    missing = "the kernel has no Landlock";
  } else {
    missing = support.no_mounts.empty() ? "cannot create a mount namespace" : support.no_mounts;
  }
  return fail(Code::unavailable,
              fmt::format("the command cannot be confined here: {}, and bubblewrap is not "
                          "installed or does not work",
                          missing),
              "'ralph doctor' shows what this machine can enforce");
}

}  // namespace ralph::process
