#pragma once
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace ralph {

/// The kind of an error, for code that decides by it; the message is for people.
enum class Code {
  usage,       // the caller's arguments are wrong
  config,      // a settings file is wrong
  not_found,   // a file, program or name does not exist
  permission,  // the system denies access
  storage,     // unwritable, unreadable
  disk_full,  // storage: disk full, quota used up, file system read-only; never caused by the content of files
  malformed,    // data that does not parse
  limit,        // too big, too deep, too many
  unavailable,  // the system cannot do this (no PTY left, no memory, no such feature)
  busy,         // another process holds it
  internal,     // a bug in ralph
};

std::string_view to_string(Code code);

/// Every failure in ralph. The message says what happened and to what; the hint what to do about it.
struct Error {
  Code code = Code::internal;
  std::string message;
  std::string hint;

  bool operator==(const Error&) const = default;
};

/// "message" or "message (hint)".
std::string describe(const Error& error);

template <typename T = void>
using Result = std::expected<T, Error>;

/// `return fail(Code::usage, "no prompt given", "use -p TEXT or -P FILE");`
inline std::unexpected<Error> fail(Code code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint)});
}

/// A failed system call: "cannot open 'x': No such file or directory", the code taken from errno.
std::unexpected<Error> fail_errno(int error_number, std::string what, std::string hint = {});

/// The error with Code::storage; Code::disk_full stays.
Error as_storage(Error error);

}  // namespace ralph

#define RALPH_CONCAT_(a, b) a##b
#define RALPH_CONCAT(a, b) RALPH_CONCAT_(a, b)

/// Returns the error of an expression, if it has one.
#define TRY(expression)                                      \
  do {                                                       \
    if (auto try_result = (expression); !try_result) {       \
      return std::unexpected(std::move(try_result).error()); \
    }                                                        \
  } while (false)

/// `TRY_ASSIGN(auto text, read_file(path));`
#define TRY_ASSIGN(target, expression) \
  TRY_ASSIGN_(RALPH_CONCAT(try_value_, __LINE__), target, expression)
#define TRY_ASSIGN_(temporary, target, expression)                      \
  auto temporary = (expression);                                        \
  if (!temporary) return std::unexpected(std::move(temporary).error()); \
  target = *std::move(temporary)
