#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/base64.h"
#include "agent/tool/pdf.h"
#include "agent/tool/read_impl.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPdf = 20 << 20;

constexpr std::string_view kPdfAlternative =
    "Use a shell command, such as 'pdftotext -f 1 -l 5 FILE -' where poppler-utils is installed.";

std::string size_of(std::uintmax_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  return bytes < 1 << 20 ? in_kilobytes(bytes)
                         : fmt::format("{:.1f}MB", static_cast<double>(bytes) / (1 << 20));
}

Outcome show_pdf(const fs::path& path, std::string_view bytes) {
  auto data = base64(bytes);
  const json::Document content = json::Document::array(
      {{{"type", "text"},
        {"text", fmt::format("PDF file read: {} ({})", path.string(), size_of(bytes.size()))}},
       {{"type", "document"},
        {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", data}}}}});
  const json::Document detail = {
      {"type", "pdf"},
      {"file",
       {{"filePath", path.string()}, {"base64", std::move(data)}, {"originalSize", bytes.size()}}}};
  return {json::write(content), std::nullopt, json::write(detail)};
}

}  // namespace

Outcome read_pdf(const ReadRequest& request, const OpenFile& file, Workspace& workspace) {
  const auto& path = request.shown_path;
  if (!request.pages.empty()) {
    return misuse(
        fmt::format("Single pages of a PDF file cannot be shown. Leave pages out to see "
                    "the whole document. {}",
                    kPdfAlternative));
  }
  if (file.stamp.size == 0) return failure(fmt::format("PDF file is empty: {}", path));
  if (file.stamp.size > kLargestPdf) {
    return failure(fmt::format("The PDF file ({}) is larger than the {} MB that can be shown. {}",
                               size_of(file.stamp.size), kLargestPdf >> 20, kPdfAlternative));
  }
  const auto bytes = read_whole(file, kLargestPdf, request.path);
  if (!bytes) return failure(bytes.error());
  if (!bytes->starts_with("%PDF-")) {
    return failure(fmt::format("File is not a valid PDF (it does not begin with %PDF-): {}", path));
  }
  if (is_encrypted(*bytes)) {
    return failure(
        fmt::format("The PDF file is encrypted and cannot be shown. {}", kPdfAlternative));
  }
  const auto pages = std::max<std::size_t>(1, known_pages(*bytes));
  if (!workspace.reserve_media_room(
          {base64_size(bytes->size()), static_cast<std::int64_t>(pages)})) {
    const auto what = fmt::format("The PDF file ({} pages, {})", pages, size_of(bytes->size()));
    return failure(fmt::format("{} {}", no_media_room(what), kPdfAlternative));
  }
  return show_pdf(request.path, *bytes);
}

}  // namespace ralph::tool
