#include <algorithm>
#include <system_error>
#include <unordered_set>

#include "agent/permission/command_files.h"
#include "agent/permission/sensitive_files.h"

namespace ralph::permission {
namespace {

namespace fs = std::filesystem;
using Kind = FileCommand::Kind;

std::string_view last_name(std::string_view text) {
  while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
  const auto slash = text.rfind('/');
  return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

/// Whether a link still points into the copied directory wherever the copy is: its target uses ".." only at the start and
/// not beyond the directory.
bool stays_within(const fs::path& link, const fs::path& folder) {
  std::error_code error;
  const auto target = fs::read_symlink(link, error);
  if (error || target.is_absolute()) return false;
  const auto way = link.parent_path().lexically_relative(folder);
  auto depth = way == "." ? 0 : std::distance(way.begin(), way.end());
  bool climbing = true;
  for (const auto& part : target) {
    if (part != "..") {
      climbing = false;
    } else if (!climbing || --depth < 0) {
      return false;
    }
  }
  return true;
}

/// Whether the path or a directory above it is in the set; `above_only`: not the path itself.
bool is_below_some(const std::unordered_set<std::string>& set, std::string path, bool above_only) {
  if (!above_only && set.contains(path)) return true;
  for (auto slash = path.rfind('/'); slash != std::string::npos; slash = path.rfind('/')) {
    path.resize(slash);
    if (set.contains(path)) return true;
  }
  return false;
}

}  // namespace

bool CommandFiles::folder_may_be_copied(std::string_view text) const {
  const auto found = paths(text);
  return std::ranges::all_of(found, [&](const std::string& folder) {
    return !any_below(folder, [&](const fs::path& entry) {
      std::error_code error;
      if (is_sensitive_name(entry.filename().string())) return true;
      return fs::is_symlink(fs::symlink_status(entry, error)) && !stays_within(entry, folder);
    });
  });
}

bool CommandFiles::has_links(std::string_view text) const {
  return any_below(text, [](const fs::path& entry) {
    std::error_code error;
    return fs::is_symlink(fs::symlink_status(entry, error));
  });
}

/// Links may not be copied or moved: at the target they could lead elsewhere, for this line or for a background command.
/// While one is running, no directory may be moved, because ".." in it would change.
bool CommandFiles::copies_inside(const FileCommand& command) const {
  const auto& target = command.target->text;
  for (const auto& source : command.files) {
    const auto name = last_name(source.text);
    if (name == "..") return false;
    for (const auto& base : bases_) {
      if (resolver_.is_link(base.physical, source.text)) return false;
    }
    if (command.copies_folders && is_folder(source.text)) {
      if (command.kind == Kind::move && tasks_running_) return false;
      if (!folder_may_be_copied(source.text)) return false;
    }
    if (name != "." && !may_change(target + "/" + std::string(name), Kind::make)) return false;
  }
  return command.kind == Kind::move || !command.copies_folders || !has_links(target);
}

bool CommandFiles::changes_inside(const FileCommand& command) const {
  const auto fine = [&](const ShellWord& word) { return may_change(word.text, command.kind); };
  if (!std::ranges::all_of(command.files, fine)) return false;
  if (!command.target) return true;
  return may_change(command.target->text, Kind::make) && copies_inside(command);
}

bool CommandFiles::follows_copy() const {
  std::unordered_set<std::string> copied;
  for (const auto& command : line_.commands) {
    const auto change = file_command(command);
    const bool copies = change && change->target;
    const auto hit = [&](const ShellWord& word) {
      const bool open = word.pattern && !word.literal;
      const auto wildcard = open ? word.text.find_first_of("*?[{") : std::string::npos;
      const auto text = std::string_view(word.text).substr(0, wildcard);
      const auto fixed = text.substr(0, open ? text.rfind('/') + 1 : text.npos);
      const auto found = paths(fixed);
      return found.empty() || std::ranges::any_of(found, [&](const std::string& path) {
               return is_below_some(copied, path, !copies && !open);
             });
    };
    if (!copied.empty() &&
        (std::ranges::any_of(command.words, hit) || std::ranges::any_of(command.outputs, hit) ||
         std::ranges::any_of(command.inputs, hit))) {
      return true;
    }
    if (!copies) continue;
    for (const auto& source : change->files) {
      for (auto& path : paths(source.text)) copied.insert(std::move(path));
    }
    for (auto& path : paths(change->target->text)) copied.insert(std::move(path));
  }
  return false;
}

}  // namespace ralph::permission
