#include "core/base/unique_fd.h"

#include <unistd.h>

namespace ralph {

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace ralph
