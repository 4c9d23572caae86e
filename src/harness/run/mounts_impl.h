#pragma once
// Private to this module's .cpp files.
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/path.h"
#include "harness/backend/plan.h"

namespace ralph::run {

/// The path with every symbolic link resolved but a last one.
std::filesystem::path real_parent(const std::filesystem::path& path);

/// The mount arguments of bwrap for a sandbox: hidden paths, and exceptions.
/// Whatever is shown later lies over what was shown before.
class Mounts {
 public:
  enum class Access { read_only, writable };

  /// Empties a directory; of anything else the content. What does not exist needs no hiding.
  void hide(const std::filesystem::path& place);
  /// A path that is hidden, or one whose access changes; what does not exist is left out. It becomes a mount of its
  /// own, so it can be neither renamed nor removed inside.
  void show(const std::filesystem::path& path, Access access);
  /// The same, read-only, for a real path; nothing when it is not hidden.
  void show_hidden(const std::filesystem::path& real);
  /// Read-only from now on. A symbolic link itself cannot be mounted: see ProtectedFiles.
  void protect(const std::filesystem::path& path);
  /// Writable, but neither renamed nor removed: a directory that only holds mounts could be. Call it before anything in the
  /// directory is protected; later calls change nothing.
  void pin(const std::filesystem::path& folder);
  /// The same for the directories between `from` and the path, from the outermost on.
  void pin_parents(const std::filesystem::path& from, const std::filesystem::path& path);
  /// Whether a hidden place lies in the directory.
  bool hides_part_of(const std::filesystem::path& folder) const;
  /// A directory that is empty inside; what is written into it is gone afterwards.
  void show_empty(const std::filesystem::path& folder);
  /// A directory that does not exist is empty and read-only inside. bwrap creates the mount point.
  void block_folder(const std::filesystem::path& folder);
  /// What may not exist before the sandbox starts, or no longer, under this name inside.
  void show_as(const std::filesystem::path& file, const std::filesystem::path& name, Access access);
  /// A program that lies in a hidden place: the links to it, the file, the packages beside it (node_modules),
  /// and the interpreter its first line names. For one in the workspace nothing: an agent may have written it to have
  /// something shown.
  void show_program(const std::filesystem::path& program, const backend::Host& host);

  std::vector<std::string> words() const;

 private:
  bool hidden(const std::filesystem::path& path) const;
  std::filesystem::path show_links(std::filesystem::path file);

  std::vector<std::filesystem::path> hidden_;
  std::vector<std::filesystem::path> emptied_;
  std::vector<std::filesystem::path> pinned_, protected_;
  std::vector<std::string> links_, shown_;
};

}  // namespace ralph::run
