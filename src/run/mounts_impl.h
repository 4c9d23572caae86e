#pragma once
// Private to this room's .cpp files.
#include <filesystem>
#include <string>
#include <vector>

#include "backend/plan.h"

namespace ralph::run {

/// Whether `path` is `folder` or lies below it. Both are absolute and without "..".
bool contains(const std::filesystem::path& folder, const std::filesystem::path& path);

/// The path with every symbolic link resolved but a last one.
std::filesystem::path real_parent(const std::filesystem::path& path);

/// What of the machine a sandbox hides, and what of the hidden it shows again, as words for bwrap.
/// Whatever is shown later lies over what was shown before.
class Mounts {
 public:
  enum class Access { read_only, writable };

  /// Empties a folder; of anything else the content. What does not exist needs no hiding.
  void hide(const std::filesystem::path& place);
  /// A path that is hidden, or a folder that is to be writable; what does not exist is left out.
  void show(const std::filesystem::path& path, Access access);
  /// A program that lies in a hidden place: the links to it, the file, the packages beside it (node_modules),
  /// and the interpreter its first line names.
  void show_program(const std::filesystem::path& program, const backend::Host& host);

  std::vector<std::string> words() const;

 private:
  bool hidden(const std::filesystem::path& path) const;
  std::filesystem::path show_links(std::filesystem::path file);

  std::vector<std::filesystem::path> hidden_;
  std::vector<std::string> links_, shown_;
};

}  // namespace ralph::run
