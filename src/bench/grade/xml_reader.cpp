#include "bench/grade/xml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/core.h>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph::grade {
namespace {

constexpr std::string_view kAfterName = " \t\r\n/>=<\"'&";

/// The character that a reference ("amp", "#x41") stands for; nullopt: there is none.
std::optional<std::string> referenced(std::string_view name) {
  struct Entity {
    std::string_view name, text;
  };
  constexpr auto kEntities = std::to_array<Entity>(
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}});
  const auto known = std::ranges::find(kEntities, name, &Entity::name);
  if (known != kEntities.end()) return std::string(known->text);
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x');
  if (hex) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  constexpr std::uint32_t kAscii = 0x7f, kLast = 0x10ffff;
  const bool valid = error == std::errc{} && end == name.data() + name.size() && code <= kLast;
  if (!valid) return std::nullopt;
  // No attribute that is used here has other characters.
  return code > 0 && code <= kAscii ? std::string(1, static_cast<char>(code)) : "\uFFFD";
}

/// A text with its references replaced; nullopt: one is wrong.
std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (;;) {
    const auto at = text.find('&');
    out += text.substr(0, at);
    if (at == text.npos) return out;
    text.remove_prefix(at + 1);
    const auto end = text.find(';');
    const auto character = end == text.npos ? std::nullopt : referenced(text.substr(0, end));
    if (!character) return std::nullopt;
    out += *character;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

const std::string* XmlTag::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &Attribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

XmlReader::XmlReader(std::string_view text) : whole_(text), rest_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::unexpected<Error> XmlReader::malformed(std::string_view problem) const {
  const auto before = whole_.substr(0, whole_.size() - rest_.size());
  return fail(Code::malformed,
              fmt::format("line {}: {}", std::ranges::count(before, '\n') + 1, problem));
}

void XmlReader::skip_blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
}

Result<> XmlReader::check_text(std::string_view text) const {
  if (open_.empty() && !is_blank(text)) return malformed("text outside of the root element");
  if (text.contains('&') && !unescaped(text)) return malformed("unknown entity");
  return {};
}

/// Comments, CDATA and processing instructions.
Result<> XmlReader::skip_special() {
  const bool comment = rest_.starts_with("<!--"), data = rest_.starts_with("<![CDATA[");
  if (!comment && !data && rest_.starts_with("<!")) return malformed("a DOCTYPE is not allowed");
  if (data && open_.empty()) return malformed("text outside of the root element");
  const std::string_view close = comment ? "-->" : data ? "]]>" : "?>";
  const auto end = rest_.find(close, comment ? 4 : 2);
  if (end == rest_.npos) return malformed(fmt::format("the file ends before '{}'", close));
  rest_.remove_prefix(end + close.size());
  return {};
}

Result<> XmlReader::skip_to_tag() {
  for (;;) {
    const auto text = rest_.substr(0, rest_.find('<'));
    TRY(check_text(text));
    rest_.remove_prefix(text.size());
    if (!rest_.starts_with("<!") && !rest_.starts_with("<?")) return {};
    TRY(skip_special());
  }
}

Result<std::string_view> XmlReader::read_name() {
  const auto name = rest_.substr(0, rest_.find_first_of(kAfterName));
  if (name.empty()) return malformed("a name is missing");
  rest_.remove_prefix(name.size());
  return name;
}

Result<XmlTag::Attribute> XmlReader::read_attribute() {
  TRY_ASSIGN(const auto name, read_name());
  skip_blanks();
  if (!rest_.starts_with('=')) return malformed(fmt::format("attribute '{}' has no value", name));
  rest_.remove_prefix(1);
  skip_blanks();
  const char quote = rest_.empty() ? '\0' : rest_.front();
  const auto end = quote == '"' || quote == '\'' ? rest_.find(quote, 1) : rest_.npos;
  if (end == rest_.npos) return malformed(fmt::format("attribute '{}' has no value", name));
  const auto raw = rest_.substr(1, end - 1);
  auto value = unescaped(raw);
  if (!value || raw.contains('<')) return malformed(fmt::format("attribute '{}' is wrong", name));
  rest_.remove_prefix(end + 1);
  return XmlTag::Attribute{std::string(name), *std::move(value)};
}

Result<XmlTag> XmlReader::read_start() {
  if (open_.empty() && had_root_) return malformed("a second root element");
  rest_.remove_prefix(1);
  XmlTag tag;
  TRY_ASSIGN(tag.name, read_name());
  for (;;) {
    const auto before = rest_.size();
    skip_blanks();
    if (rest_.empty()) return malformed(fmt::format("the file ends in <{}", tag.name));
    const bool is_empty = rest_.starts_with("/>");
    if (is_empty || rest_.starts_with('>')) {
      rest_.remove_prefix(is_empty ? 2 : 1);
      open_.push_back(tag.name);
      if (is_empty) ends_ = tag.name;
      had_root_ = true;
      return tag;
    }
    if (rest_.size() == before) return malformed(fmt::format("<{} is wrong", tag.name));
    TRY_ASSIGN(auto attribute, read_attribute());
    if (tag.find(attribute.name) != nullptr) {
      return malformed(fmt::format("<{}> has '{}' twice", tag.name, attribute.name));
    }
    tag.attributes.push_back(std::move(attribute));
  }
}

Result<XmlTag> XmlReader::read_end() {
  rest_.remove_prefix(2);
  TRY_ASSIGN(const auto name, read_name());
  skip_blanks();
  if (open_.empty() || open_.back() != name || !rest_.starts_with('>')) {
    return malformed(fmt::format("</{}> does not end an element", name));
  }
  rest_.remove_prefix(1);
  open_.pop_back();
  return XmlTag{.is_end = true, .name = name};
}

Result<std::optional<XmlTag>> XmlReader::next() {
  if (ends_) {
    const XmlTag tag{.is_end = true, .name = *ends_};
    ends_.reset();
    open_.pop_back();
    return tag;
  }
  TRY(skip_to_tag());
  if (!rest_.empty()) {
    auto tag = rest_.starts_with("</") ? read_end() : read_start();
    if (!tag) return std::unexpected(tag.error());
    return *std::move(tag);
  }
  if (!open_.empty()) return malformed(fmt::format("the file ends before </{}>", open_.back()));
  if (!had_root_) return malformed("there is no element");
  return std::nullopt;
}

}  // namespace ralph::grade
