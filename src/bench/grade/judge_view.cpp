#include "bench/grade/judge_view.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "bench/grade/graded_files.h"
#include "bench/trial/snapshot.h"
#include "core/base/file.h"
#include "harness/backend/agent_type.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> instruction_specs() {
  std::vector<std::string> specs;
  for (const auto name : backend::instruction_paths()) {
    specs.push_back(fmt::format(":(top,glob,icase)**/{}", name));
    specs.push_back(fmt::format(":(top,glob,icase)**/{}/**", name));
  }
  return specs;
}

std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> list;
  while (!names.empty()) {
    const auto end = names.find('\0');
    list.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(names.size(), end == names.npos ? end : end + 1));
  }
  return list;
}

/// Without an agent, the base is a commit of the user's repository. After one, its objects could be the agent's.
std::vector<process::EnvChange> object_folders(const GradeContext& context) {
  const auto& objects = context.comparison->worktree_objects;
  if (context.execution != nullptr || objects.empty()) return {};
  return {{"GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.native()}};
}

bool is_instruction(const fs::path& path) {
  const auto text = "/" + path.generic_string();
  return std::ranges::any_of(backend::instruction_paths(), [&](std::string_view name) {
    return text.ends_with(fmt::format("/{}", name));
  });
}

}  // namespace

JudgeView::JudgeView(JudgeView&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), reset_files_(std::move(other.reset_files_)) {}

JudgeView::~JudgeView() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

/// The snapshot of the agent's files; git applies neither their attributes nor their filters.
Result<> JudgeView::check_out(const GradeContext& context) {
  const auto& comparison = *context.comparison;
  const auto env = object_folders(context);
  auto git = comparison.git;
  git.pin(folder_, comparison.git.git_folder());
  const fs::path index = folder_.native() + ".index";
  TRY(git.ask({.words = {"read-tree", comparison.tree}, .index = index}));
  std::vector<std::string> words{"diff",          "--name-only",        "--no-renames",  "-z",
                                 "--no-ext-diff", comparison.base_tree, comparison.tree, "--"};
  const auto specs = instruction_specs();
  words.insert(words.end(), specs.begin(), specs.end());
  TRY_ASSIGN(const auto names, git.ask({.words = std::move(words), .env = env}));
  reset_files_ = split_names(names);
  if (!reset_files_.empty()) {
    git::Call reset{
        .words = {"reset", "--quiet", comparison.base_tree, "--"}, .index = index, .env = env};
    for (const auto& path : reset_files_) reset.words.push_back(":(top,literal)" + path);
    TRY(git.ask(reset));
  }
  TRY(git.ask({.words = {"checkout-index", "--all", "--force"}, .index = index, .env = env}));
  std::error_code ignored;
  fs::remove(index, ignored);
  return {};
}

/// Without a snapshot there is no earlier state: such files are left out.
Result<> JudgeView::copy(const fs::path& from) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(from, error);
  for (const auto end = fs::recursive_directory_iterator(); !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().lexically_relative(from);
    const bool instructs = is_instruction(name);
    if (instructs) reset_files_.push_back(name.generic_string());
    if (instructs || name.filename() == ".git") {
      entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_directory(error) && !entry->is_symlink(error)) {
      fs::create_directory(folder_ / name, error);
    } else if (entry->is_regular_file(error) || entry->is_symlink(error)) {
      fs::copy(entry->path(), folder_ / name, fs::copy_options::copy_symlinks, error);
    }
  }
  if (!error) return {};
  return fail(Code::storage, fmt::format("cannot copy '{}': {}", from.native(), error.message()),
              "check the free disk space and the permissions of the files");
}

Result<JudgeView> JudgeView::create(const GradeContext& context, const fs::path& folder) {
  TRY(make_folders(folder));
  JudgeView view(folder);
  if (context.comparison) {
    TRY(view.check_out(context));
  } else {
    TRY(view.copy(context.folder));
  }
  return view;
}

std::string patch_of(const GradeContext& context) {
  if (!context.comparison) return {};
  const auto& comparison = *context.comparison;
  const auto too_long = file_too_long_to_diff(comparison, comparison.base_tree);
  if (!too_long || !too_long->empty()) return too_long ? "(no patch: " + *too_long + ")" : "";
  git::Call call{.words = {"diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M",
                           comparison.base_tree, comparison.tree, "--", ":(top)"},
                 .env = object_folders(context)};
  for (const auto& file : context.helper_files) {
    call.words.push_back(":(top,exclude,literal)" + file);
  }
  return comparison.git.ask(call).value_or("");
}

namespace {

/// The tree of what the graded directory holds now.
Result<std::string> tree_now(const GradeContext& context) {
  if (context.retake) return context.retake();
  const auto& git = context.comparison->git;
  TRY_ASSIGN(auto store, trial::SnapshotStore::open(git, context.folder, git.git_folder()));
  return store.take();
}

/// With an index of its own: the record of the agent's work stays as it is.
Result<> restore_tree(const GradeContext& context, const std::string& from) {
  const auto& comparison = *context.comparison;
  const auto index = context.artifacts / ".ralph" / "judge.index";
  TRY(make_folders(index.parent_path()));
  const auto restored = [&]() -> Result<> {
    TRY(comparison.git.ask({.words = {"read-tree", from}, .index = index}));
    TRY(comparison.git.ask(
        {.words = {"read-tree", "--reset", "-u", comparison.tree}, .index = index}));
    return {};
  }();
  std::error_code ignored;
  fs::remove(index, ignored);
  return restored;
}

}  // namespace

Result<bool> undo_changes_of_judge(const GradeContext& context) {
  if (!context.comparison) return false;
  TRY_ASSIGN(const auto now, tree_now(context));
  if (now == context.comparison->tree) return false;
  if (context.execution == nullptr) return true;
  TRY(restore_tree(context, now));
  return true;
}

}  // namespace ralph::grade
