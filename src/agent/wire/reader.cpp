#include "agent/wire/reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/session/json_text.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/base/wakeable_reader.h"

namespace ralph::wire {
namespace {

using ReadEvent = WakeableReader::Event;

constexpr std::size_t kPiece = std::size_t{64} << 10;
constexpr Millis kPatience{3000};

std::unexpected<Error> unreadable(int error_number) {
  return fail_errno(error_number, "cannot read stdin");
}

/// Passes the complete lines of `buffer` to `take` and keeps the rest. Its first `seen` bytes have no newline.
Result<> take_lines(std::string& buffer, std::size_t seen,
                    const std::function<Result<>(std::string_view)>& take) {
  std::size_t begin = 0;
  for (;;) {
    const auto end = buffer.find('\n', std::max(begin, seen));
    if (end == buffer.npos) break;
    TRY(take(std::string_view(buffer).substr(begin, end - begin)));
    begin = end + 1;
  }
  buffer.erase(0, begin);
  if (buffer.size() > kLongestInputLine) {
    return fail(Code::limit,
                fmt::format("Error: an input line is over {} bytes", kLongestInputLine));
  }
  return {};
}

}  // namespace

Result<> read_lines(int fd, const std::stop_token& stop,
                    const std::function<Result<>(std::string_view line)>& take, std::string ahead) {
  WakeableReader reader(fd);
  const auto piece = std::make_unique<std::array<char, kPiece>>();
  auto buffer = std::move(ahead);
  TRY(take_lines(buffer, 0, take));
  for (;;) {
    const auto got = reader.read(*piece, stop);
    if (got.event == ReadEvent::failed && got.error_number != EBADF) {
      return unreadable(got.error_number);
    }
    if (got.event != ReadEvent::bytes) {
      return got.event == ReadEvent::end && !buffer.empty() ? take(buffer) : Result<>{};
    }
    const auto seen = buffer.size();
    buffer.append(piece->data(), got.size);
    TRY(take_lines(buffer, seen, take));
  }
}

Result<std::string> read_first_line(int fd, const std::stop_token& stop) {
  WakeableReader reader(fd);
  const auto piece = std::make_unique<std::array<char, kPiece>>();
  std::string text;
  while (text.size() <= kLongestInputLine) {
    const auto got = reader.read(*piece, stop);
    if (got.event == ReadEvent::failed && got.error_number != EBADF) {
      return unreadable(got.error_number);
    }
    if (got.event != ReadEvent::bytes) break;
    const std::string_view bytes(piece->data(), got.size);
    text += bytes;
    if (bytes.contains('\n')) break;
  }
  return text;
}

Result<TextInput> read_text(int fd, const std::stop_token& stop) {
  WakeableReader reader(fd);
  const auto piece = std::make_unique<std::array<char, kPiece>>();
  TextInput input;
  for (;;) {
    const bool first = input.text.empty();
    const auto got =
        reader.read(*piece, stop, first ? std::optional<Millis>(kPatience) : std::nullopt);
    if (got.event == ReadEvent::failed && got.error_number != EBADF) {
      return unreadable(got.error_number);
    }
    if (got.event == ReadEvent::timed_out) input.silent = true;
    if (got.event != ReadEvent::bytes) return input;
    input.text.append(piece->data(), got.size);
    if (input.text.size() > kLongestTextInput) {
      return fail(Code::limit,
                  fmt::format("Error: stdin is over {} MB of text", kLongestTextInput >> 20));
    }
  }
}

Result<session::UserMessage> read_prompt(std::string prompt, const Io& io,
                                         const std::stop_token& stop) {
  if (::isatty(io.in) == 0) {
    TRY_ASSIGN(const auto input, read_text(io.in, stop));
    if (input.silent) {
      io.err("ralph: no data on stdin; continuing without it (use < /dev/null to skip the wait)\n");
    }
    if (!prompt.empty() && !input.text.empty()) prompt += '\n';
    prompt += input.text;
  }
  if (prompt.empty() && ::isatty(io.in) == 1) {
    return fail(Code::usage, "Error: 'ralph agent' has no interactive mode",
                "give the prompt as an argument, as in: claude -p 'TEXT'");
  }
  if (prompt.empty()) {
    return fail(Code::usage,
                "Error: Input must be provided either through stdin or as a prompt argument when "
                "using --print");
  }
  if (is_blank(prompt)) {
    return fail(Code::usage, "Error: Input contained only whitespace");
  }
  session::UserMessage message;
  message.content = session::text_content(utf8::repaired(prompt));
  return message;
}

}  // namespace ralph::wire
