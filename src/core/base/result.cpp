#include "core/base/result.h"

#include <cerrno>
#include <cstring>

#include <fmt/core.h>

namespace ralph {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::usage: return "usage";
    case Code::config: return "config";
    case Code::not_found: return "not_found";
    case Code::permission: return "permission";
    case Code::storage: return "storage";
    case Code::disk_full: return "disk_full";
    case Code::malformed: return "malformed";
    case Code::limit: return "limit";
    case Code::unavailable: return "unavailable";
    case Code::busy: return "busy";
    case Code::internal: return "internal";
  }
  return "internal";
}

std::string describe(const Error& error) {
  return error.hint.empty() ? error.message : fmt::format("{} ({})", error.message, error.hint);
}

namespace {

Code code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR: return Code::not_found;
    case EACCES:
    case EPERM: return Code::permission;
    case EROFS:
    case ENOSPC:
    case EDQUOT: return Code::disk_full;
    case EIO:
    case EFBIG: return Code::storage;
    case E2BIG:
    case ENAMETOOLONG: return Code::limit;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case ENOSYS: return Code::unavailable;
    case EINVAL: return Code::usage;
    default: return Code::storage;
  }
}

}  // namespace

std::unexpected<Error> fail_errno(int error_number, std::string what, std::string hint) {
  return fail(code_of(error_number), fmt::format("{}: {}", what, std::strerror(error_number)),
              std::move(hint));
}

Error as_storage(Error error) {
  if (error.code != Code::disk_full) error.code = Code::storage;
  return error;
}

}  // namespace ralph
