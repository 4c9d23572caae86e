#include "harness/loop/file_recovery.h"

#include <fmt/core.h>

#include "harness/loop/held_files.h"
#include "harness/store/workspace.h"

namespace ralph::loop {
namespace {

constexpr std::size_t kMostStateNames = 100'000;

/// Directories of held files that no list names: of a ralph that could keep no list, or another program's.
void warn_about_unknown(const std::filesystem::path& root, std::vector<std::string>& warnings) {
  const auto state = store::Workspace::at(root).state().folder();
  if (!state) return;
  for (const auto& name : state->names(kMostStateNames).value_or(std::vector<std::string>())) {
    if (name != "held" && !name.starts_with(kHeldPrefix)) continue;
    warnings.push_back(fmt::format(
        "'{}' is ignored: ralph has no record of it (it may contain files of yours: check, then "
        "remove it)",
        state->path_of(name).native()));
    return;
  }
}

}  // namespace

FileSwap::PutBack recover_files(const FileSwap::Place& place, const store::UserState* user) {
  FileSwap::PutBack recovered;
  auto list = user != nullptr ? load_held(*user) : Result<std::optional<HeldFiles>>();
  if (!list) recovered.warnings.push_back(describe(list.error()) + "; ignored");
  if (!list || !*list) {
    warn_about_unknown(place.root, recovered.warnings);
    return recovered;
  }
  auto swap = FileSwap::reopen(place, **list, *user);
  auto done = swap ? swap->put_back() : std::unexpected(swap.error());
  if (done) return *std::move(done);
  recovered.warnings.push_back(describe(done.error()));
  return recovered;
}

}  // namespace ralph::loop
