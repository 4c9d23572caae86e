#pragma once
#include <expected>
#include <string>
#include <vector>

namespace ralph::process {

/// The guard's program as a sealed memfd, made once per process; otherwise the error number.
std::expected<int, int> guard_image_fd();

/// Where the guard's file may be, for machines that refuse to execute a memfd: beside the
/// executable, then ../libexec/ralph/. Only files that exist and may be executed.
std::vector<std::string> guard_files(const std::string& executable);

}  // namespace ralph::process
