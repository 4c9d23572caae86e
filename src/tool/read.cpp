#include "tool/read.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "tool/base64.h"
#include "tool/image.h"
#include "tool/input.h"
#include "tool/line_window.h"
#include "tool/safe_file.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUsualBytes = 256 * 1024;
constexpr std::size_t kLargestBytes = 8 << 20;    // with allow_large
constexpr std::size_t kImageBytes = 3750 * 1024;  // 5 MB as base64, what the API takes
constexpr std::size_t kHeadBytes = 8192;          // looked at to tell what it is
constexpr std::uint64_t kMostCounted = std::uint64_t{64} << 20;  // behind the lines asked for
constexpr std::uint64_t kMostSkipped = std::uint64_t{4} << 30;   // in front of them
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr std::string_view kDescription =
    "Shows a file. Text comes as numbered lines: the number, a tab, the line. Give offset (first "
    "line, from 1) and limit (how many lines) to see a part; files over 256 KB need them, or "
    "allow_large. PNG, JPEG, GIF and WebP files come as pictures. For folders use Glob or a shell "
    "command. Relative paths begin at the current folder.";

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"file_path":{"type":"string","description":"The file to show"},
"offset":{"type":"integer","minimum":0,"description":"First line to show, from 1"},
"limit":{"type":"integer","minimum":1,"description":"How many lines to show"},
"pages":{"type":"string","description":"Pages of a PDF; such files cannot be shown yet"},
"allow_large":{"type":"boolean","description":"Show a file over 256 KB whole"}},
"required":["file_path"],"additionalProperties":false})";

struct Request {
  std::string shown_path;
  fs::path path;
  std::uint64_t first = 1;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  bool partial = false;
  bool large = false;
};

Request request_of(const json::Document& input, const fs::path& path) {
  Request request;
  request.shown_path = text_of(input, "file_path");
  request.path = path;
  const auto offset = number_of(input, "offset");
  const auto limit = number_of(input, "limit");
  if (offset) request.first = static_cast<std::uint64_t>(std::max<std::int64_t>(1, *offset));
  if (limit) request.count = static_cast<std::uint64_t>(std::max<std::int64_t>(1, *limit));
  request.partial = offset || limit;
  request.large = flag_of(input, "allow_large");
  return request;
}

Outcome too_large(const std::string& size) {
  return failure(
      fmt::format("The content ({}) is larger than the 256 KB shown at once. Use offset and limit "
                  "for a part of the file, or search it for what you need. Only if you need all of "
                  "it, read again with allow_large: true.",
                  size));
}

std::string in_kilobytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f}KB", static_cast<double>(bytes) / 1024);
}

Outcome binary(const Request& request) {
  const auto extension = request.path.extension().string();
  return misuse(
      fmt::format("This tool shows text and pictures, and the file is binary{}. Use a "
                  "shell command that understands the format.",
                  extension.empty() ? "" : fmt::format(" ({})", extension)));
}

json::Document text_detail(const Request& request, std::string content, std::uint64_t lines,
                           std::uint64_t total) {
  return {{"type", "text"},
          {"file",
           {{"filePath", request.shown_path},
            {"content", std::move(content)},
            {"numLines", lines},
            {"startLine", request.first},
            {"totalLines", total}}}};
}

Outcome nothing_to_show(const Request& request, std::uint64_t total) {
  return success(
      fmt::format("<system-reminder>Warning: the file exists but is shorter than the provided "
                  "offset ({}). The file has {} lines.</system-reminder>",
                  request.first, total),
      text_detail(request, "", 0, total));
}

/// `counted`: all lines of the file were.
Outcome shown(const Request& request, const LineWindow& window, bool counted) {
  auto plain = utf8::repaired(window.text());
  std::string numbered;
  std::string_view rest = plain;
  for (std::uint64_t i = 0; i < window.taken(); ++i) {
    const auto line = rest.substr(0, rest.find('\n'));
    fmt::format_to(std::back_inserter(numbered), "{}{}\t{}", i == 0 ? "" : "\n", request.first + i,
                   line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  if (!counted) {
    numbered += fmt::format(
        "\n<system-reminder>The file is large and has at least {} lines.</system-reminder>",
        window.total());
  }
  return success(numbered, text_detail(request, std::move(plain), window.taken(), window.total()));
}

Outcome read_text(const Request& request, const OpenFile& file, std::string_view head,
                  const std::stop_token& stop) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  LineWindow window(request.first, request.count, request.large ? kLargestBytes : kUsualBytes);
  window.feed(head);
  std::string piece;
  std::uint64_t skipped = 0;
  std::uint64_t counted = 0;
  while (counted < kMostCounted) {
    if (stop.stop_requested()) return failure("Stopped while the file was being read.");
    const auto more = read_piece(file, piece, request.path);
    if (!more) return failure(more.error());
    if (more->empty()) break;
    window.feed(*more);
    if (window.overflowed()) break;
    (window.complete() ? counted : skipped) += more->size();
    if (skipped > kMostSkipped) {
      return failure(
          fmt::format("The first {} GB of the file have only {} lines. Use a shell "
                      "command to see more of it.",
                      kMostSkipped >> 30, window.total()));
    }
  }
  if (window.overflowed()) {
    return request.large ? failure("The content is larger than 8 MB. Use offset and limit.")
                         : too_large("the lines asked for");
  }
  if (window.taken() == 0) return nothing_to_show(request, window.total());
  return shown(request, window, counted < kMostCounted);
}

Outcome read_image(const Request& request, const OpenFile& opened) {
  const auto bytes = read_whole(opened, kImageBytes, request.path);
  if (!bytes) {
    return failure(fmt::format("{}. Pictures up to {} KB can be shown: make a smaller copy first.",
                               bytes.error().message, kImageBytes / 1024));
  }
  const auto image = image_of(*bytes, false);
  if (!image) return binary(request);
  const auto data = base64(*bytes);
  const json::Document content = json::Document::array(
      {{{"type", "image"},
        {"source", {{"type", "base64"}, {"data", data}, {"media_type", image->media_type}}}}});
  json::Document file = {
      {"base64", data}, {"type", image->media_type}, {"originalSize", bytes->size()}};
  file["dimensions"] = {{"originalWidth", image->width},
                        {"originalHeight", image->height},
                        {"displayWidth", image->width},
                        {"displayHeight", image->height}};
  return {json::write(content), std::nullopt,
          json::write(json::Document{{"type", "image"}, {"file", std::move(file)}})};
}

Outcome read_open_file(const Request& request, const OpenFile& file, const std::stop_token& stop) {
  std::string piece;
  const auto start = read_piece(file, piece, request.path);
  if (!start) return failure(start.error());
  if (image_of(*start, start->size() < file.stamp.size)) return read_image(request, file);
  if (start->starts_with("%PDF-")) {
    return misuse("PDF files cannot be shown. Use a shell command such as pdftotext.");
  }
  if (start->substr(0, kHeadBytes).find('\0') != std::string_view::npos) return binary(request);
  if (start->empty()) {
    return success(
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        text_detail(request, "", 1, 1));
  }
  if (file.stamp.size > kUsualBytes && !request.partial && !request.large) {
    return too_large(in_kilobytes(file.stamp.size));
  }
  return read_text(request, file, *start, stop);
}

class Read final : public Tool {
 public:
  std::string_view name() const override { return "Read"; }
  std::string_view description() const override { return kDescription; }
  std::string_view schema() const override { return kSchema; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::read, path_of(input, "file_path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token& stop) const override {
    const auto request = request_of(input, access.path);
    switch (kind_of(request.path)) {
      case FileKind::missing: return failure(missing_file(request.path, workspace));
      case FileKind::folder:
        return failure(
            fmt::format("EISDIR: illegal operation on a directory, read '{}'", request.shown_path));
      default: break;
    }
    const auto file = open_for_reading(request.path);
    if (!file) return failure(file.error());
    auto outcome = read_open_file(request, *file, stop);
    if (!outcome.is_error) workspace.remember(request.path, file->stamp);
    return outcome;
  }
};

}  // namespace

const Tool& read_tool() {
  static const Read tool;
  return tool;
}

}  // namespace ralph::tool
