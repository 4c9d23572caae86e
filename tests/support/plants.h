#pragma once
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/result.h"
#include "support/temp_folder.h"

namespace ralph::test {

/// What an agent could put in the place of a file of ours.
enum class Plant {
  link_to_file,
  link_to_folder,
  link_to_nothing,
  hard_link,
  fifo,
  folder,
  full_folder,
  device,
  huge_file,
  garbage,
};
inline constexpr std::array kPlants{
    std::pair{Plant::link_to_file, "link to a file"},
    std::pair{Plant::link_to_folder, "link to a folder"},
    std::pair{Plant::link_to_nothing, "link to nothing"},
    std::pair{Plant::hard_link, "hard link"},
    std::pair{Plant::fifo, "named pipe"},
    std::pair{Plant::folder, "folder"},
    std::pair{Plant::full_folder, "folder that is not empty"},
    std::pair{Plant::device, "device"},
    std::pair{Plant::huge_file, "file of 8 GB"},
    std::pair{Plant::garbage, "garbage"},
};

/// The user's own files, which nothing in the workspace may lead to.
class Outside {
 public:
  static constexpr const char* kText = "PRECIOUS-TEXT";

  Outside() {
    folder_.write("precious", kText);
    folder_.write("notes/a.md", kText);
    before_ = content();
  }
  const TempFolder& folder() const { return folder_; }
  void expect_untouched() const { EXPECT_EQ(content(), before_); }

 private:
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      files[entry.path().native()] = entry.is_regular_file() ? text_of(entry.path()) : "";
    }
    return files;
  }
  TempFolder folder_;
  std::map<std::string, std::string> before_;
};

/// False: it cannot be made here (a device needs root).
inline bool put(Plant plant, const std::filesystem::path& at, const Outside& outside) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::remove_all(at, ignored);
  fs::create_directories(at.parent_path());
  switch (plant) {
    case Plant::link_to_file: fs::create_symlink(outside.folder() / "precious", at); break;
    case Plant::link_to_folder: fs::create_symlink(outside.folder() / "notes", at); break;
    case Plant::link_to_nothing: fs::create_symlink(outside.folder() / "new", at); break;
    case Plant::hard_link: fs::create_hard_link(outside.folder() / "precious", at); break;
    case Plant::fifo: return ::mkfifo(at.c_str(), 0600) == 0;
    case Plant::folder: fs::create_directory(at); break;
    case Plant::full_folder:
      fs::create_directory(at);
      std::ofstream(at / "file") << "x";
      break;
    case Plant::device: return ::mknod(at.c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0;
    case Plant::huge_file:
      std::ofstream(at).flush();
      fs::resize_file(at, std::uintmax_t{8} << 30, ignored);
      return !ignored;
    case Plant::garbage: std::ofstream(at) << "\x1b]0;x\x07{]"; break;
  }
  return true;
}

/// A file of ours, and everything that is done with it. `use` returns what a user or a model would be shown.
struct Place {
  const char* path;  // below the workspace
  std::function<std::string(const std::filesystem::path& workspace)> use;
};

template <typename T>
std::string told(const Result<T>& result) {
  return result ? std::string() : describe(result.error()) + "\n";
}

/// Every plant in every place: nothing hangs or crashes, nothing outside is touched, or shown.
inline void expect_harmless(const std::vector<Place>& places) {
  for (const auto& place : places) {
    for (const auto& [plant, name] : kPlants) {
      SCOPED_TRACE(std::string(place.path) + " is a " + name);
      const TempFolder workspace;
      const Outside outside;
      if (!put(plant, workspace / place.path, outside)) continue;
      ::alarm(60);
      const auto shown = place.use(workspace.path());
      ::alarm(0);
      EXPECT_EQ(shown.find(Outside::kText), std::string::npos) << shown;
      outside.expect_untouched();
    }
  }
}

}  // namespace ralph::test
