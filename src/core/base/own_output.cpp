#include "core/base/own_output.h"

#include <algorithm>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"

namespace ralph {

bool OwnOutput::is_there() const {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

std::vector<OwnOutput> own_outputs() {
  std::vector<OwnOutput> outputs;
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, log::descriptor()}) {
    struct stat info{};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) continue;
    std::error_code error;
    auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
    OwnOutput output{std::move(path), info.st_dev, info.st_ino};
    if (!error && output.is_there()) outputs.push_back(std::move(output));
  }
  return outputs;
}

std::vector<OwnOutput> own_outputs_and(const std::vector<OwnOutput>& earlier) {
  auto outputs = own_outputs();
  for (const auto& output : earlier) {
    const bool known = std::ranges::find(outputs, output) != outputs.end();
    if (!known && output.is_there()) outputs.push_back(output);
  }
  return outputs;
}

std::set<std::string> names_below(const std::filesystem::path& folder,
                                  const std::vector<OwnOutput>& outputs) {
  std::set<std::string> names;
  if (outputs.empty()) return names;
  std::error_code error;
  const auto real = std::filesystem::canonical(folder, error);
  for (const auto& output : outputs) {
    auto name = output.path.lexically_relative(real).native();
    if (!error && !name.empty() && !name.starts_with("../") && output.is_there()) {
      names.insert(std::move(name));
    }
  }
  return names;
}

}  // namespace ralph
