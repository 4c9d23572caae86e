#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/image.h"
#include "agent/tool/input.h"
#include "agent/tool/read_impl.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/text_encoding.h"
#include "core/base/text.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

constexpr std::string_view kReadDescription =
    "Shows a file. Text comes as numbered lines: the number, a tab, the line. Give offset (first "
    "line, from 1) and limit (how many lines) to see a part; files over 256 KB need them, or "
    "allow_large. Of a file over 25,000 tokens the first part is shown. PNG, JPEG, GIF and WebP "
    "files come as pictures, PDF files as documents, notebooks (.ipynb) as cells with outputs. For "
    "directories use Glob or a shell command. Paths may be relative to the current directory.";

constexpr std::string_view kReadSchema = R"({"type":"object","properties":{
"file_path":{"type":"string","description":"The file to show"},
"offset":{"type":"integer","description":"First line to show, from 1"},
"limit":{"type":"integer","description":"How many lines to show"},
"pages":{"type":"string","description":"Not supported: a PDF is shown whole"},
"allow_large":{"type":"boolean","description":"Show all of a large file that still fits"}},
"required":["file_path"],"additionalProperties":false})";

/// Numbers below 1 count as absent.
ReadRequest read_request(const json::Document& input, const std::filesystem::path& path) {
  ReadRequest request;
  request.shown_path = json::text(input, "file_path");
  request.path = path;
  const auto offset = number_of(input, "offset").value_or(0);
  const auto limit = number_of(input, "limit").value_or(0);
  if (offset > 0) request.first = static_cast<std::uint64_t>(offset);
  if (limit > 0) request.count = static_cast<std::uint64_t>(limit);
  request.range = offset > 0 || limit > 0;
  request.large = flag_of(input, "allow_large");
  request.pages = json::text(input, "pages");
  return request;
}

Outcome binary(const ReadRequest& request) {
  const auto extension = request.path.extension().string();
  return misuse(
      fmt::format("This tool shows text, pictures, PDF files and notebooks, and the file is "
                  "binary{}. Use a shell command that understands the format.",
                  extension.empty() ? "" : fmt::format(" ({})", extension)));
}

bool has_picture_extension(const std::filesystem::path& path) {
  const auto extension = to_lower(path.extension().string());
  constexpr std::array kExtensions{".png", ".jpg", ".jpeg", ".gif", ".webp"};
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

Outcome not_a_picture(const ReadRequest& request, std::string_view head) {
  if (head.empty()) return failure(fmt::format("Image file is empty: {}", request.path.string()));
  std::string first;
  for (const char c : head.substr(0, 8)) {
    fmt::format_to(std::back_inserter(first), " {:02x}", static_cast<unsigned char>(c));
  }
  return failure(
      fmt::format("The file has the extension of a picture, but its content is not a valid PNG, "
                  "JPEG, GIF or WebP file (first bytes:{}). It may be an error page that was saved "
                  "in place of a picture. Look at it with a shell command, such as 'file' or "
                  "'head -c 500'.",
                  first));
}

Outcome read_open_file(const ReadRequest& request, const OpenFile& file, Workspace& workspace,
                       const std::stop_token& stop) {
  std::string piece;
  const auto head = read_piece(file, piece, request.path);
  if (!head) return failure(head.error());
  if (image_of(*head, head->size() < file.stamp.size)) {
    return read_picture(request, file, workspace, stop);
  }
  if (has_picture_extension(request.path)) return not_a_picture(request, *head);
  const auto extension = request.path.extension();
  if (head->starts_with("%PDF-") || extension == ".pdf") return read_pdf(request, file, workspace);
  if (extension == ".ipynb") return read_notebook(request, file, workspace);
  if (is_binary(*head)) return binary(request);
  return read_text(request, file, *head, workspace, stop);
}

class Read final : public Tool {
 public:
  std::string_view name() const override { return "Read"; }
  std::string_view description() const override { return kReadDescription; }
  std::string_view schema() const override { return kReadSchema; }
  bool is_parallel(const json::Document&) const override { return true; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::read, path_of(input, "file_path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token& stop) const override {
    const auto request = read_request(input, access.path);
    switch (kind_of(request.path)) {
      case FileKind::missing: return failure(missing_file(request.path, workspace));
      case FileKind::folder:
        return failure(
            fmt::format("EISDIR: illegal operation on a directory, read '{}'", request.shown_path));
      default: break;
    }
    const auto file = open_for_reading(request.path);
    if (!file) return failure(file.error());
    auto outcome = read_open_file(request, *file, workspace, stop);
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
