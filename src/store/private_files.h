#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ralph::store {

/// A failed system call on something of ours: Code::storage, and what to do about it.
std::unexpected<Error> fail_storage(int error_number, std::string what);

/// Makes a folder nobody else can look into, whatever the umask, or takes the existing one and
/// closes it to others. Refuses symbolic links: a checked-out repository may hold any.
Result<> make_private_folder(const std::filesystem::path& path);

/// Creates a file of mode 0600, whatever the umask, for appending; one that exists is an error.
Result<UniqueFd> create_private_file(const std::filesystem::path& path);

}  // namespace ralph::store
