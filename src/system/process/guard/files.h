#pragma once

namespace ralph::process::guard {

/// open() that follows no link at all. -1 with errno.
int open_exactly(const char* path, int flags);

/// Removes a directory with everything in it, however deep; follows no link.
void remove_folder(const char* path);

}  // namespace ralph::process::guard
