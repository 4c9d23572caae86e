#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tool/base64.h"
#include "tool/read_impl.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kLargestPdf = 20 << 20;
constexpr std::size_t kMostPages = 100;  // of the API

constexpr std::string_view kInstead =
    "Use a shell command, such as 'pdftotext -f 1 -l 5 FILE -' where poppler-utils is installed.";

/// The page objects that are not compressed: at most the number of pages, often exactly that.
std::size_t known_pages(std::string_view bytes) {
  constexpr std::string_view kType = "/Type";
  std::size_t pages = 0;
  for (auto at = bytes.find(kType); at != std::string_view::npos; at = bytes.find(kType, at)) {
    at += kType.size();
    const auto name = bytes.find_first_not_of(" \t\r\n", at);
    if (name == std::string_view::npos) break;
    const auto rest = bytes.substr(name);
    if (rest.starts_with("/Page") && rest.substr(5, 1).find_first_of(" \t\r\n/<>[") == 0) ++pages;
  }
  return pages;
}

/// The name /Encrypt itself, not one that begins like it, such as /EncryptMetadata.
bool is_encrypted(std::string_view bytes) {
  constexpr std::string_view kName = "/Encrypt";
  for (auto at = bytes.find(kName); at != std::string_view::npos; at = bytes.find(kName, at)) {
    at += kName.size();
    if (bytes.substr(at, 1).find_first_of(" \t\r\n\f/<>[](){}%") == 0) return true;
  }
  return false;
}

std::string size_of(std::uintmax_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  return bytes < 1 << 20 ? in_kilobytes(bytes)
                         : fmt::format("{:.1f}MB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

Outcome read_pdf(const ReadRequest& request, const OpenFile& file, Workspace& workspace) {
  const auto& path = request.shown_path;
  if (!request.pages.empty()) {
    return misuse(
        fmt::format("Single pages of a PDF file cannot be shown. Leave pages out to see "
                    "the whole document. {}",
                    kInstead));
  }
  if (file.stamp.size == 0) return failure(fmt::format("PDF file is empty: {}", path));
  if (file.stamp.size > kLargestPdf) {
    return failure(fmt::format("The PDF file ({}) is larger than the {} MB that can be shown. {}",
                               size_of(file.stamp.size), kLargestPdf >> 20, kInstead));
  }
  const auto bytes = read_whole(file, kLargestPdf, request.path);
  if (!bytes) return failure(bytes.error());
  if (!bytes->starts_with("%PDF-")) {
    return failure(fmt::format("File is not a valid PDF (it does not begin with %PDF-): {}", path));
  }
  if (is_encrypted(*bytes)) {
    return failure(fmt::format("The PDF file is encrypted and cannot be shown. {}", kInstead));
  }
  if (const auto pages = known_pages(*bytes); pages > kMostPages) {
    return failure(fmt::format("The PDF file has {} pages; at most {} can be shown. {}", pages,
                               kMostPages, kInstead));
  }
  if (!workspace.take_media_room(bytes->size())) {
    return failure(fmt::format("{} {}", kNoMediaRoom, kInstead));
  }
  auto data = base64(*bytes);
  const json::Document content = json::Document::array(
      {{{"type", "text"},
        {"text",
         fmt::format("PDF file read: {} ({})", request.path.string(), size_of(bytes->size()))}},
       {{"type", "document"},
        {"source", {{"type", "base64"}, {"media_type", "application/pdf"}, {"data", data}}}}});
  const json::Document detail = {{"type", "pdf"},
                                 {"file",
                                  {{"filePath", request.path.string()},
                                   {"base64", std::move(data)},
                                   {"originalSize", bytes->size()}}}};
  return {json::write(content), std::nullopt, json::write(detail)};
}

}  // namespace ralph::tool
