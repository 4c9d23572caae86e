#include "core/base/disk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ralph {

bool is_disk_full(const Error& error) {
  return error.code == Code::storage &&
         std::ranges::any_of(std::initializer_list<int>{ENOSPC, EDQUOT, EROFS}, [&](int number) {
           return error.message.contains(std::strerror(number));
         });
}

}  // namespace ralph
