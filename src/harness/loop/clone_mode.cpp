#include "harness/loop/clone_mode.h"

#include "core/base/file.h"
#include "harness/loop/check_file.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestClonedFile = std::size_t{64} << 20;

/// `.ralph/` without what ralph itself keeps there: commands may name its files. It is in no tree.
void copy_ralph_folder(const fs::path& from, const fs::path& to) {
  for (const auto& [name, digest] : ralph_folder_digests(from)) {
    const auto file = from / kRalphFolder / name;
    std::error_code ignored;
    const auto status = fs::symlink_status(file, ignored);
    const auto bytes = read_file(file, kLargestClonedFile);
    if (!fs::is_regular_file(status) || !bytes) continue;
    const auto copy = to / kRalphFolder / name;
    if (!make_folders(copy.parent_path())) continue;
    const auto mode = static_cast<unsigned>(status.permissions()) & 0700U;
    static_cast<void>(write_file_atomically(copy, *bytes, mode));
  }
}

}  // namespace

Result<run::CleanClone> make_clone(const CloneSource& source) {
  const auto& git = source.work.program();
  TRY_ASSIGN(const auto objects,
             git.ask_line({{"rev-parse", "--path-format=absolute", "--git-path", "objects"}}));
  return run::CleanClone::make({.git = git,
                                .objects = {objects},
                                .workspace = source.workspace,
                                .commit = source.commit,
                                .tree = source.tree});
}

Result<Verifier::Mode> mode_in_clone(const run::CleanClone& clone, const CloneSource& source,
                                     const std::vector<process::EnvChange>& own_env,
                                     const std::string& bwrap) {
  const auto in_clone = [&](const fs::path& folder) {
    const auto within = folder.lexically_relative(source.work.root());
    return within.empty() || within == "." ? clone.root() : clone.root() / within;
  };
  Verifier::Mode mode;
  mode.elsewhere = in_clone(source.workspace);
  mode.elsewhere_root = in_clone(source.root);
  TRY(make_folders(mode.elsewhere));
  TRY(make_folders(mode.elsewhere_root / kRalphFolder));
  copy_ralph_folder(source.root, mode.elsewhere_root);
  if (source.root != source.workspace) copy_ralph_folder(source.workspace, mode.elsewhere);
  mode.env = clone.environment(own_env);
  if (!bwrap.empty()) mode.wrap = clone.confinement(bwrap, {source.workspace}, mode.elsewhere);
  return mode;
}

}  // namespace ralph::loop
