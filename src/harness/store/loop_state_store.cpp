#include "harness/store/loop_state_store.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/names.h"

namespace ralph::store {
namespace {

/// The names of the fields that differ, comma-separated.
std::string differences(const LoopState& trusted, const LoopState& copy) {
  std::string text;
  const auto add = [&](std::string_view name, bool same) {
    if (!same) text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  };
  add("loop_id", trusted.loop_id == copy.loop_id);
  add("end", trusted.end == copy.end);
  add("goal", trusted.goal == copy.goal);
  add("backend", trusted.backend == copy.backend);
  add("model", trusted.model == copy.model);
  add("flags", trusted.flags == copy.flags);
  add("limits",
      trusted.max_iterations == copy.max_iterations && trusted.max_cost_usd == copy.max_cost_usd);
  add("digests", trusted.verify_digest == copy.verify_digest &&
                     trusted.protected_digest == copy.protected_digest &&
                     trusted.settings == copy.settings && trusted.git_digest == copy.git_digest);
  add("start", trusted.commit_at_start == copy.commit_at_start &&
                   trusted.tree_at_start == copy.tree_at_start &&
                   trusted.branch_at_start == copy.branch_at_start &&
                   trusted.started == copy.started);
  add("costs", trusted.earlier_days == copy.earlier_days && trusted.ran >= copy.ran);
  return text;
}

/// A ralph that was killed may not have written the last one to the copy.
bool is_copy_of(const std::vector<LoopRecord>& copy, const std::vector<LoopRecord>& records) {
  if (copy.size() > records.size() || copy.size() + 1 < records.size()) return false;
  return std::equal(copy.begin(), copy.end(), records.begin());
}

}  // namespace

LoopStateStore::LoopStateStore(const std::filesystem::path& workspace,
                               std::filesystem::path state_folder)
    : files_(workspace), trusted_(workspace, std::move(state_folder)) {}

Result<> LoopStateStore::prepare() {
  TRY(trusted_.prepare());
  outside_ = true;
  return {};
}

Result<LoopStateStore::Loaded> LoopStateStore::load_copy(const LoopState& state) const {
  Loaded loaded{state, {}, false, {}};
  std::int64_t bad = 0;
  TRY_ASSIGN(loaded.records, files_.records(bad));
  if (bad > 0) {
    loaded.warnings.push_back(fmt::format("ignored in '{}': {} that cannot be read",
                                          (files_.folder() / "progress.ndjson").native(),
                                          counted(bad, "line")));
  }
  return loaded;
}

void LoopStateStore::warn_about_copy(Loaded& loaded, std::string_view different) const {
  const auto warn = [&](std::string_view name, std::string_view why) {
    loaded.warnings.push_back(
        fmt::format("'{}' is not what ralph wrote ({}); using the records in '{}'",
                    (files_.folder() / name).native(), why, trusted_.folder().native()));
  };
  if (!different.empty()) warn("loop.json", different);
  const auto copy = load_copy(loaded.state);
  if (!copy) {
    warn("progress.ndjson", copy.error().message);
  } else if (!is_copy_of(copy->records, loaded.records)) {
    warn("progress.ndjson", "other records");
  }
}

Result<std::optional<LoopStateStore::Loaded>> LoopStateStore::load(Source source) {
  std::string warning;
  const auto copy = files_.peek(warning);
  auto trusted = trusted_.load();
  if (trusted && *trusted && !copy && !trusted_.same_folder()) trusted = std::nullopt;
  auto records = trusted && *trusted ? trusted_.records() : Result<std::vector<LoopRecord>>();
  if (trusted && *trusted && records) {
    Loaded loaded{**trusted, *std::move(records), true, {}};
    auto different = copy ? differences(loaded.state, *copy) : warning;
    if (!copy && different.empty()) different = "missing";
    warn_about_copy(loaded, different);
    return loaded;
  }
  const bool known = !trusted || *trusted || copy;
  if (!known && !warning.empty()) {
    return fail(Code::storage, "the loop cannot be resumed: " + warning,
                "check the file; 'ralph loop GOAL.md' starts a new loop");
  }
  if (!known) return std::nullopt;
  Error why{Code::permission,
            fmt::format("ralph has no record of this loop in '{}': '.ralph/state/loop.json' alone "
                        "is not trusted, because an agent can write it",
                        trusted_.folder().native()),
            std::string(kUntrustedStateHint)};
  if (!trusted) why = trusted.error();
  if (trusted && !records) why = records.error();
  if (source == Source::trusted) return std::unexpected(std::move(why));
  if (!copy) return std::nullopt;
  TRY_ASSIGN(auto loaded, load_copy(*copy));
  loaded.warnings.push_back(why.message);
  return loaded;
}

Result<> LoopStateStore::save(const LoopState& state) {
  if (outside_) TRY(trusted_.save(state));
  return files_.save(state);
}

Result<> LoopStateStore::append(const LoopRecord& record) {
  if (outside_) TRY(trusted_.append(record));
  return files_.append(record);
}

Result<> LoopStateStore::adopt(const LoopState& state, const std::vector<LoopRecord>& records) {
  if (!outside_) return {};
  TRY(trusted_.restart(state.loop_id));
  for (const auto& record : records) TRY(trusted_.append(record));
  return {};
}

Result<> LoopStateStore::rewrite_copy(const std::vector<LoopRecord>& records) const {
  std::int64_t bad = 0;
  const auto present = files_.records(bad);
  if (present && bad == 0 && *present == records) return {};
  return files_.rewrite(records);
}

Result<> LoopStateStore::put_records_aside(std::string_view id) const {
  if (outside_) trusted_.forget_others();
  return files_.put_records_aside(id);
}

}  // namespace ralph::store
