#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/line_window.h"
#include "agent/tool/read_impl.h"
#include "agent/tool/text_encoding.h"
#include "agent/tool/token_estimate.h"
#include "core/base/number.h"
#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kLargestBytes = 8 << 20;                   // in memory with allow_large
constexpr std::size_t kUtf16Bytes = 32 << 20;                    // decoded whole
constexpr std::uint64_t kMostCounted = std::uint64_t{64} << 20;  // after the requested lines
constexpr std::uint64_t kMostSkipped = std::uint64_t{4} << 30;   // before them
constexpr std::int64_t kUsualCap = 25'000;
constexpr std::int64_t kMostCap = 1'000'000;

/// The requested lines, as far as they fit.
struct FileLines {
  std::string text;
  std::uint64_t taken = 0;
  std::uint64_t total = 0;
  bool counted = true;      // `total` is exact
  bool overflowed = false;  // `text` is incomplete
  bool utf8 = true;         // valid as far as the file was read
};

std::string encoding_note(const FileLines& lines) {
  if (lines.utf8) return {};
  return fmt::format(
      "\n\n[This file is not valid UTF-8: {}. Bytes that cannot be decoded are shown as U+FFFD. "
      "Edit and Write refuse it: change it with a shell command that keeps its encoding, or ask "
      "the user whether to convert it to UTF-8.]",
      kOtherEncoding);
}

json::Document text_detail(const ReadRequest& request, std::string content, std::uint64_t lines,
                           std::uint64_t total) {
  return {{"type", "text"},
          {"file",
           {{"filePath", request.shown_path},
            {"content", std::move(content)},
            {"numLines", lines},
            {"startLine", request.first},
            {"totalLines", total}}}};
}

Outcome nothing_to_show(const ReadRequest& request, std::uint64_t total) {
  return success(
      fmt::format("<system-reminder>Warning: the file exists but is shorter than the provided "
                  "offset ({}). The file has {} lines.</system-reminder>",
                  request.first, total),
      text_detail(request, "", 0, total));
}

std::string numbered(std::string_view text, std::uint64_t first, std::uint64_t count) {
  std::string out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto line = text.substr(0, text.find('\n'));
    fmt::format_to(std::back_inserter(out), "{}{}\t{}", i == 0 ? "" : "\n", first + i, line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

Outcome whole(const ReadRequest& request, FileLines lines) {
  auto text = numbered(lines.text, request.first, lines.taken);
  if (!lines.counted) {
    text += fmt::format(
        "\n<system-reminder>The file is large and has at least {} lines.</system-reminder>",
        lines.total);
  }
  text += encoding_note(lines);
  return success(text, text_detail(request, std::move(lines.text), lines.taken, lines.total));
}

/// The first lines that fit into the token cap with their numbers; only the start of the first line if it does not fit.
struct FirstPage {
  std::string_view text;
  std::uint64_t lines = 0;
  bool cut_line = false;
};

FirstPage first_page(std::string_view text, std::int64_t cap) {
  TokenEstimate estimate;
  FirstPage page;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    estimate.add(fmt::format("{}\t", page.lines + 1));
    estimate.add(text.substr(at, end - at + 1));
    if (estimate.tokens() > cap) break;
    page.text = text.substr(0, end);
    ++page.lines;
    at = end + 1;
  }
  if (page.lines > 0) return page;
  // A byte costs at least a quarter of a token.
  auto line = utf8::prefix(text.substr(0, text.find('\n')), static_cast<std::size_t>(cap) * 4);
  while (estimated_tokens(line) > cap) line = utf8::prefix(line, line.size() / 2);
  return {line, 1, true};
}

std::string how_to_see_all(bool large) {
  return large ? "Even with allow_large it does not fit into what is left of the context."
               : "Only if you need all of it, read it with allow_large: true, which shows as much "
                 "as still fits into the context.";
}

Outcome first_part(const ReadRequest& request, const FileLines& lines, const FirstPage& page,
                   std::int64_t tokens, const Workspace& workspace) {
  const auto size =
      fmt::format("{} {}{} tokens (estimated), at most {} are shown at once",
                  request.range ? "the lines asked for have" : "the file has",
                  lines.overflowed ? "more than " : "", tokens, read_token_cap(workspace));
  const auto seen =
      page.cut_line ? fmt::format(
                          "the first {} bytes of line {}; {}. The line is too long for offset and "
                          "limit: search for what you need, or cut it with a shell command.",
                          page.text.size(), request.first, size)
                    : fmt::format(
                          "lines 1-{} of {}{}; {}. Continue with offset={} limit={}, or search for "
                          "what you need.",
                          page.lines, lines.counted ? "" : "at least ", lines.total, size,
                          page.lines + 1, page.lines);
  auto detail = text_detail(request, std::string(page.text), page.lines, lines.total);
  detail["file"]["truncatedByTokenCap"] = true;
  return success(fmt::format("{}\n\n<system-reminder>This is a part of the file: {} {} Do not "
                             "answer from it alone where the rest may matter.</system-reminder>{}",
                             numbered(page.text, request.first, page.lines), seen,
                             how_to_see_all(request.large), encoding_note(lines)),
                 detail);
}

Outcome too_much(const ReadRequest& request, std::string_view size, const Workspace& workspace) {
  return failure(fmt::format(
      "The lines asked for have {}, at most {} tokens are shown at once. Ask for fewer lines, or "
      "search for what you need. {}",
      size, read_token_cap(workspace), how_to_see_all(request.large)));
}

Outcome show_lines(const ReadRequest& request, FileLines lines, Workspace& workspace) {
  lines.text = utf8::repaired(lines.text);
  const auto tokens = estimated_tokens(lines.text);
  if (!lines.overflowed && tokens <= read_token_cap(workspace)) {
    return whole(request, std::move(lines));
  }
  if (!lines.overflowed && request.large && workspace.reserve_read_room(tokens)) {
    return whole(request, std::move(lines));
  }
  // A line that does not fit alone is cut: no offset and limit could show any of it.
  const auto page = first_page(lines.text, read_token_cap(workspace));
  if (!request.range || page.cut_line) return first_part(request, lines, page, tokens, workspace);
  const auto most = request.large ? kLargestBytes : kUsualReadBytes;
  return too_much(request,
                  lines.overflowed ? fmt::format("more than {} KB", most / 1024)
                                   : fmt::format("{} tokens (estimated)", tokens),
                  workspace);
}

Result<FileLines> read_pieces(const ReadRequest& request, const OpenFile& file,
                              std::string_view head, const std::stop_token& stop) {
  LineWindow window(request.first, request.count, request.large ? kLargestBytes : kUsualReadBytes);
  window.feed(head);
  Utf8Check check;
  check.feed(head);
  bool at_end = false;
  std::string piece;
  std::uint64_t skipped = 0;
  std::uint64_t counted = 0;
  while (counted < kMostCounted) {
    if (stop.stop_requested()) {
      return fail(Code::unavailable, "stopped while the file was being read");
    }
    TRY_ASSIGN(const auto more, read_piece(file, piece, request.path));
    at_end = more.empty();
    if (at_end) break;
    window.feed(more);
    check.feed(more);
    if (window.overflowed() && request.range) break;
    (window.complete() || window.overflowed() ? counted : skipped) += more.size();
    if (skipped > kMostSkipped) {
      return fail(Code::limit,
                  fmt::format("the first {} GB of the file have only {} lines", kMostSkipped >> 30,
                              window.total()),
                  "use a shell command to see more of it");
    }
  }
  return FileLines{window.text(),          window.taken(),      window.total(),
                   counted < kMostCounted, window.overflowed(), check.valid(at_end)};
}

Result<FileLines> read_utf16(const ReadRequest& request, const OpenFile& file, Encoding encoding) {
  TRY_ASSIGN(const auto bytes, read_whole(file, kUtf16Bytes, request.path));
  LineWindow window(request.first, request.count, request.large ? kLargestBytes : kUsualReadBytes);
  window.feed(decoded(bytes, encoding));
  return FileLines{window.text(), window.taken(), window.total(), true, window.overflowed()};
}

}  // namespace

std::int64_t read_token_cap(const Workspace& workspace) {
  const auto text = workspace.variable("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS");
  const auto cap = leading_number<std::int64_t>(text).value_or(0);
  return cap > 0 ? std::min(cap, kMostCap) : kUsualCap;
}

std::string in_kilobytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f}KB", static_cast<double>(bytes) / 1024);
}

Outcome read_text(const ReadRequest& request, const OpenFile& file, std::string_view head,
                  Workspace& workspace, const std::stop_token& stop) {
  if (head.empty()) {
    return success(
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        text_detail(request, "", 1, 1));
  }
  if (file.stamp.size > kUsualReadBytes && !request.range && !request.large) {
    return failure(fmt::format(
        "The content ({}) is larger than the 256 KB shown at once. Use offset and limit for a part "
        "of the file, or search it for what you need. {}",
        in_kilobytes(file.stamp.size), how_to_see_all(false)));
  }
  const auto encoding = encoding_of(head);
  if (encoding == Encoding::utf8_marked) head.remove_prefix(3);
  auto lines = is_utf16(encoding) ? read_utf16(request, file, encoding)
                                  : read_pieces(request, file, head, stop);
  if (!lines) return failure(lines.error());
  if (lines->taken == 0) return nothing_to_show(request, lines->total);
  return show_lines(request, *std::move(lines), workspace);
}

}  // namespace ralph::tool
