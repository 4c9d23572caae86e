#pragma once
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/session/inbox.h"
#include "agent/wire/io.h"
#include "core/base/result.h"

namespace ralph::wire {

/// A line of stdin may be this long; images come inline.
inline constexpr std::size_t kLongestInputLine = std::size_t{256} << 20;
/// More text is an error, as in Claude Code.
inline constexpr std::size_t kLongestTextInput = std::size_t{10} << 20;

/// Reads lines until the end of input, a stop request or an error of `take`; the last line needs no newline.
/// `ahead`: what was read before.
Result<> read_lines(int fd, const std::stop_token& stop,
                    const std::function<Result<>(std::string_view line)>& take,
                    std::string ahead = {});

/// Reads until there is a complete line, the input ends or a stop is requested.
Result<std::string> read_first_line(int fd, const std::stop_token& stop);

struct TextInput {
  std::string text;
  bool silent = false;  // nothing came in time, and reading stopped
};

/// Reads a text to its end. Stops if there is no data for three seconds.
Result<TextInput> read_text(int fd, const std::stop_token& stop);

/// The prompt without stream-json input: the argument, followed by stdin.
Result<session::UserMessage> read_prompt(std::string prompt, const Io& io,
                                         const std::stop_token& stop);

}  // namespace ralph::wire
