#include "agent/tool/pdf.h"

namespace ralph::tool {

std::size_t known_pages(std::string_view pdf) {
  constexpr std::string_view kType = "/Type";
  std::size_t pages = 0;
  for (auto at = pdf.find(kType); at != std::string_view::npos; at = pdf.find(kType, at)) {
    at += kType.size();
    const auto name = pdf.find_first_not_of(" \t\r\n", at);
    if (name == std::string_view::npos) break;
    const auto rest = pdf.substr(name);
    if (rest.starts_with("/Page") && rest.substr(5, 1).find_first_of(" \t\r\n/<>[") == 0) ++pages;
  }
  return pages;
}

/// The name /Encrypt itself, not a longer one such as /EncryptMetadata.
bool is_encrypted(std::string_view pdf) {
  constexpr std::string_view kName = "/Encrypt";
  for (auto at = pdf.find(kName); at != std::string_view::npos; at = pdf.find(kName, at)) {
    at += kName.size();
    if (pdf.substr(at, 1).find_first_of(" \t\r\n\f/<>[](){}%") == 0) return true;
  }
  return false;
}

}  // namespace ralph::tool
