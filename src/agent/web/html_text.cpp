#include "agent/web/html_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/text.h"

namespace ralph::web {
namespace {

constexpr std::string_view kHtmlBlanks = " \t\r\n\f";
constexpr std::size_t kDeepestList = 8;

/// What a tag does to the text around it.
enum class Effect {
  none,
  paragraph,
  line,
  heading,
  item,
  list,
  row,
  cell,
  code,
  pre,
  link,
  image,
  hidden
};

struct Element {
  std::string_view name;
  Effect effect;
};

constexpr auto kElements = std::to_array<Element>({
    {"a", Effect::link},
    {"article", Effect::paragraph},
    {"aside", Effect::paragraph},
    {"blockquote", Effect::paragraph},
    {"br", Effect::line},
    {"code", Effect::code},
    {"dd", Effect::line},
    {"div", Effect::line},
    {"dl", Effect::paragraph},
    {"dt", Effect::line},
    {"figure", Effect::paragraph},
    {"footer", Effect::paragraph},
    {"form", Effect::paragraph},
    {"h1", Effect::heading},
    {"h2", Effect::heading},
    {"h3", Effect::heading},
    {"h4", Effect::heading},
    {"h5", Effect::heading},
    {"h6", Effect::heading},
    {"header", Effect::paragraph},
    {"hr", Effect::paragraph},
    {"iframe", Effect::hidden},
    {"img", Effect::image},
    {"li", Effect::item},
    {"main", Effect::paragraph},
    {"nav", Effect::paragraph},
    {"noscript", Effect::hidden},
    {"ol", Effect::list},
    {"option", Effect::line},
    {"p", Effect::paragraph},
    {"pre", Effect::pre},
    {"script", Effect::hidden},
    {"section", Effect::paragraph},
    {"style", Effect::hidden},
    {"svg", Effect::hidden},
    {"table", Effect::paragraph},
    {"td", Effect::cell},
    {"template", Effect::hidden},
    {"th", Effect::cell},
    {"title", Effect::paragraph},
    {"tr", Effect::row},
    {"ul", Effect::list},
});

Effect effect_of(std::string_view name) {
  const auto* const found = std::ranges::find(kElements, name, &Element::name);
  return found == kElements.end() ? Effect::none : found->effect;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct Tag {
  std::string name;
  std::string_view attributes;
  bool closing = false;
};

/// The value of an attribute, decoded; empty: there is none.
std::string attribute(std::string_view text, std::string_view wanted) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\f/"), text.size()));
    if (text.empty()) return {};
    const auto name = text.substr(0, std::max<std::size_t>(text.find_first_of(" \t\r\n\f/="), 1));
    text.remove_prefix(name.size());
    text.remove_prefix(std::min(text.find_first_not_of(kHtmlBlanks), text.size()));
    if (!text.starts_with('=')) continue;
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of(kHtmlBlanks), text.size()));
    const bool quoted = text.starts_with('"') || text.starts_with('\'');
    const auto end = quoted ? text.find(text.front(), 1) : text.find_first_of(kHtmlBlanks);
    const auto value =
        quoted ? text.substr(1, end == text.npos ? end : end - 1) : text.substr(0, end);
    if (to_lower(name) == wanted) return decode_references(value);
    text.remove_prefix(std::min(end == text.npos ? end : end + (quoted ? 1 : 0), text.size()));
  }
}

/// Cuts a page into texts and tags.
class Reader {
 public:
  explicit Reader(std::string_view html) : html_(html) {}

  bool at_end() const { return at_ >= html_.size(); }
  /// The text up to the next tag.
  std::string_view text() {
    const auto begin = at_;
    while (at_ < html_.size() && !at_markup())
      at_ = std::min(html_.find('<', at_ + 1), html_.size());
    return html_.substr(begin, at_ - begin);
  }
  /// nullopt: a comment or a declaration.
  std::optional<Tag> tag() {
    if (html_.substr(at_).starts_with("<!--")) return skip_to("-->");
    if (html_[at_ + 1] == '!' || html_[at_ + 1] == '?') return skip_to(">");
    Tag tag{.name = {}, .attributes = {}, .closing = html_[at_ + 1] == '/'};
    const auto begin = at_ + (tag.closing ? 2 : 1);
    const auto end = std::min(html_.find_first_of(" \t\r\n\f/>", begin), html_.size());
    tag.name = to_lower(html_.substr(begin, end - begin));
    at_ = end_of_tag(end);
    tag.attributes = html_.substr(end, at_ - end);
    at_ = std::min(at_ + 1, html_.size());
    return tag;
  }
  /// To behind the closing tag of that name.
  void skip_element(const std::string& name) {
    for (at_ = html_.find("</", at_); at_ != html_.npos; at_ = html_.find("</", at_ + 2)) {
      if (equals(html_.substr(at_ + 2, name.size()), name)) break;
    }
    if (at_ != html_.npos) at_ = html_.find('>', at_);
    at_ = at_ == html_.npos ? html_.size() : at_ + 1;
  }

 private:
  static bool equals(std::string_view text, std::string_view name) {
    return to_lower(text) == name;
  }

  bool at_markup() const {
    if (html_[at_] != '<' || at_ + 1 >= html_.size()) return false;
    const char next = html_[at_ + 1];
    if (next == '/') return at_ + 2 < html_.size() && is_letter(html_[at_ + 2]);
    return next == '!' || next == '?' || is_letter(next);
  }
  std::nullopt_t skip_to(std::string_view mark) {
    const auto found = html_.find(mark, at_);
    at_ = found == html_.npos ? html_.size() : found + mark.size();
    return std::nullopt;
  }
  /// The ">" that ends the tag, not one in quotes. A quote that is not closed does not count.
  std::size_t end_of_tag(std::size_t from) {
    while (true) {
      const auto stop = html_.find_first_of(">\"'", from);
      if (stop == html_.npos) return html_.size();
      if (html_[stop] == '>') return stop;
      auto& open = html_[stop] == '"' ? no_double_ : no_single_;
      const auto close = open ? html_.npos : html_.find(html_[stop], stop + 1);
      if (close == html_.npos) open = true;
      from = (close == html_.npos ? stop : close) + 1;
    }
  }

  std::string_view html_;
  std::size_t at_ = 0;
  bool no_double_ = false;  // behind here there is no further quote of the kind
  bool no_single_ = false;
};

/// Writes the text of a page.
class Writer {
 public:
  void text(std::string_view text) {
    if (pre_ > 0) return raw(decode_references(text));
    while (!text.empty()) {
      const auto blank = std::min(text.find_first_not_of(kHtmlBlanks), text.size());
      if (blank > 0) blank_ = true;
      text.remove_prefix(blank);
      const auto word = text.substr(0, text.find_first_of(kHtmlBlanks));
      if (!word.empty()) raw(decode_references(word));
      text.remove_prefix(word.size());
    }
  }

  void tag(const Tag& tag) {
    switch (effect_of(tag.name)) {
      case Effect::paragraph: return lines(2);
      case Effect::line: return lines(1);
      case Effect::heading: return heading(tag);
      case Effect::list: return list(tag);
      case Effect::item: return item(tag);
      case Effect::row: return row();
      case Effect::cell: return cell(tag);
      case Effect::code: return code();
      case Effect::pre: return pre(tag);
      case Effect::link: return link(tag);
      case Effect::image: return image(tag);
      case Effect::hidden:
      case Effect::none: return;
    }
  }

  std::string take() {
    close_link();
    if (pre_ > 0) raw("\n```");
    return std::move(out_);
  }

 private:
  /// Before the next text.
  void lines(int count) { lines_ = std::max(lines_, count); }

  void raw(std::string_view text) {
    if (text.empty()) return;
    if (!out_.empty() && !nothing_since_mark()) {
      if (lines_ > 0) {
        out_.append(static_cast<std::size_t>(lines_), '\n');
      } else if (blank_) {
        out_ += ' ';
      }
    }
    lines_ = 0;
    blank_ = row_is_empty_ = false;
    out_ += text;
  }
  /// The next text follows at once, unless end_mark() comes first.
  void mark(std::string_view text) {
    raw(text);
    glued_ = out_.size();
  }
  void end_mark() { glued_ = std::string::npos; }
  bool nothing_since_mark() const { return glued_ == out_.size(); }

  void heading(const Tag& tag) {
    lines(2);
    end_mark();
    if (tag.closing) return;
    mark(std::string(static_cast<std::size_t>(tag.name[1] - '0'), '#') + " ");
  }
  void list(const Tag& tag) {
    lines(lists_.size() > 1 ? 1 : 2);
    if (!tag.closing) {
      lists_.push_back(tag.name == "ol" ? 1 : 0);
    } else if (!lists_.empty()) {
      lists_.pop_back();
    }
  }
  void item(const Tag& tag) {
    lines(1);
    if (tag.closing) return;
    const auto depth = std::clamp<std::size_t>(lists_.size(), 1, kDeepestList) - 1;
    const bool numbered = !lists_.empty() && lists_.back() > 0;
    mark(std::string(2 * depth, ' ') + (numbered ? fmt::format("{}. ", lists_.back()++) : "- "));
  }
  void row() {
    first_cell_ = row_is_empty_ = true;
    end_mark();
    lines(1);
  }
  void cell(const Tag& tag) {
    if (tag.closing) return;
    if (!first_cell_) {
      if (!row_is_empty_) lines_ = 0;
      blank_ = true;
      mark("| ");
    }
    first_cell_ = false;
  }
  void code() {
    if (pre_ == 0) raw("`");
  }
  void pre(const Tag& tag) {
    if (!tag.closing) {
      lines(2);
      if (pre_++ == 0) raw("```\n");
    } else if (pre_ > 0) {
      if (--pre_ == 0) raw(out_.ends_with('\n') ? "```" : "\n```");
      lines(2);
    }
  }
  void link(const Tag& tag) {
    close_link();
    if (tag.closing) return;
    auto target = attribute(tag.attributes, "href");
    if (target.empty() || target.starts_with('#') || target.starts_with("javascript:")) return;
    link_ = std::move(target);
    mark("[");
  }
  void close_link() {
    if (!link_) return;
    if (nothing_since_mark() && out_.ends_with('[')) {
      out_.pop_back();
      end_mark();
    } else {
      lines_ = 0;
      blank_ = false;
      raw(fmt::format("]({})", *link_));
    }
    link_.reset();
  }
  void image(const Tag& tag) {
    const auto about = attribute(tag.attributes, "alt");
    if (!about.empty()) raw(fmt::format("[image: {}]", about));
  }

  std::string out_;
  int lines_ = 0;       // to begin before the next text
  bool blank_ = false;  // before the next text
  int pre_ = 0;
  bool first_cell_ = true;
  bool row_is_empty_ = false;  // nothing was written since its beginning
  std::vector<int> lists_;     // the next number; 0: not numbered
  std::optional<std::string> link_;
  std::size_t glued_ = std::string::npos;  // the end of the last mark
};

}  // namespace

std::string html_text(std::string_view html) {
  Reader reader(html);
  Writer writer;
  while (!reader.at_end()) {
    writer.text(reader.text());
    if (reader.at_end()) break;
    const auto tag = reader.tag();
    if (!tag) continue;
    if (!tag->closing && effect_of(tag->name) == Effect::hidden) {
      reader.skip_element(tag->name);
    } else {
      writer.tag(*tag);
    }
  }
  return writer.take();
}

}  // namespace ralph::web
