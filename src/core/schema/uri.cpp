#include "core/schema/uri.h"

#include <charconv>
#include <optional>

namespace ralph::schema {
namespace {

/// The parts of an address, each with its marks: "http:", "//a", "/b", "?c", "#d".
struct Parts {
  std::string_view scheme, authority, path, query, fragment;
};

std::string_view take_from(std::string_view& text, std::size_t at) {
  const auto tail = at == text.npos ? std::string_view{} : text.substr(at);
  text.remove_suffix(tail.size());
  return tail;
}

Parts parts_of(std::string_view uri) {
  Parts parts;
  parts.fragment = take_from(uri, uri.find('#'));
  parts.query = take_from(uri, uri.find('?'));
  const auto colon = uri.find(':');
  if (colon != uri.npos && colon > 0 && uri.find('/') > colon) {
    parts.scheme = uri.substr(0, colon + 1);
    uri.remove_prefix(colon + 1);
  }
  parts.path = uri;
  if (uri.starts_with("//")) {
    parts.path = take_from(uri, uri.find('/', 2));
    parts.authority = uri;
  }
  return parts;
}

/// "/a/./b/../c" becomes "/a/c".
std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    auto end = path.find('/', 1);
    if (end == path.npos) end = path.size();
    const auto segment = path.substr(0, end);
    path.remove_prefix(end);
    if (segment == "/." || segment == "/..") {
      if (segment == "/..") out.erase(out.rfind('/') == out.npos ? 0 : out.rfind('/'));
      if (path.empty()) out += '/';
    } else {
      out += segment;
    }
  }
  return out;
}

std::string merged(const Parts& base, std::string_view path) {
  if (path.starts_with('/')) return without_dots(path);
  const auto slash = base.path.rfind('/');
  if (slash == base.path.npos) {
    return base.authority.empty() ? std::string(path) : without_dots("/" + std::string(path));
  }
  return without_dots(std::string(base.path.substr(0, slash + 1)) + std::string(path));
}

std::string joined(const Parts& parts, std::string_view path) {
  std::string out;
  for (const auto piece : {parts.scheme, parts.authority, path, parts.query, parts.fragment}) {
    out += piece;
  }
  return out;
}

}  // namespace

SplitUri split_uri(std::string_view uri) {
  const auto hash = uri.find('#');
  if (hash == uri.npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string resolve_uri(std::string_view base, std::string_view reference) {
  const auto from = parts_of(base);
  auto to = parts_of(reference);
  if (!to.scheme.empty()) return joined(to, to.path);
  to.scheme = from.scheme;
  if (!to.authority.empty()) return joined(to, without_dots(to.path));
  to.authority = from.authority;
  if (!to.path.empty()) return joined(to, merged(from, to.path));
  if (to.query.empty()) to.query = from.query;
  return joined(to, from.path);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const end = text.data() + i + 3;
    if (text[i] == '%' && text.size() - i > 2 &&
        std::from_chars(text.data() + i + 1, end, value, 16).ptr == end) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace ralph::schema
