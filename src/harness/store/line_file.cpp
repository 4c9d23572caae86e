#include "harness/store/line_file.h"

#include <cerrno>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "core/base/file.h"

namespace ralph::store {
namespace {

bool ends_in_a_line(const UniqueFd& fd) {
  const auto size = ::lseek(fd.get(), 0, SEEK_END);
  char last = '\n';
  return size <= 0 || ::pread(fd.get(), &last, 1, size - 1) != 1 || last == '\n';
}

}  // namespace

Result<> append_line(const Folder& folder, std::string_view name, std::string_view line,
                     Durability durability) {
  const auto fd = folder.open_append(name);
  if (!fd) return std::unexpected(as_storage(fd.error()));
  const auto text = fmt::format("{}{}\n", ends_in_a_line(*fd) ? "" : "\n", line);
  int error = try_write_all(fd->get(), text);
  const bool sync = error == 0 && durability == Durability::power_failure;
  if (sync && ::fdatasync(fd->get()) != 0) error = errno;
  if (error == 0) return {};
  return fail_storage(error, fmt::format("cannot write '{}'", folder.path_of(name).native()));
}

}  // namespace ralph::store
