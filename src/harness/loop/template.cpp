#include "harness/loop/template.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/base/text.h"
#include "harness/loop/builtin_template.h"

namespace ralph::loop {
namespace {

constexpr auto kNames = std::to_array<std::string_view>(
    {"iteration", "max_iterations", "goal", "agents_md", "claude_md", "explore", "history",
     "verification", "guidance", "verify_commands", "commits", "answer", "answer_in_text",
     "answer_tool", "done_marker"});

constexpr std::string_view kSpaces = " \t\r";

std::string known_names() {
  std::string all;
  for (const auto name : kNames) {
    if (!all.empty()) all += ", ";
    all += name;
  }
  return all;
}

/// One {{…}} and where it stands.
struct Tag {
  std::size_t begin = 0, end = 0;
  char mark = 0;  // '#', '^', '/', or 0: a value
  std::string_view name;
  std::size_t line = 1;
};

/// Takes the tags of a text one by one.
class Tags {
 public:
  Tags(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  /// A tag with begin == end: there is none left.
  Result<Tag> next() {
    Tag tag;
    tag.begin = text_.find("{{", at_);
    if (tag.begin == text_.npos) return Tag{text_.size(), text_.size(), 0, {}, line_};
    line_ += lines(at_, tag.begin);
    tag.line = line_;
    at_ = tag.begin;
    const auto close = text_.find("}}", tag.begin);
    const auto inside = text_.substr(tag.begin + 2, close - tag.begin - 2);
    if (close == text_.npos || inside.find('\n') != inside.npos) {
      return wrong(tag, "'{{' without '}}' on its line");
    }
    read(inside, tag);
    if (std::find(kNames.begin(), kNames.end(), tag.name) == kNames.end()) {
      return wrong(tag, fmt::format("'{}' is not a part of the prompt", tag.name.substr(0, 80)),
                   "the parts are: " + known_names());
    }
    tag.end = at_ = close + 2;
    if (tag.mark != 0) take_whole_line(tag);
    return tag;
  }

  std::unexpected<Error> wrong(const Tag& tag, std::string_view what, std::string hint = {}) const {
    return fail(Code::config, fmt::format("{}:{}: {}", name_, tag.line, what), std::move(hint));
  }

 private:
  std::size_t lines(std::size_t from, std::size_t to) const {
    const auto begin = text_.begin();
    return static_cast<std::size_t>(std::count(begin + static_cast<std::ptrdiff_t>(from),
                                               begin + static_cast<std::ptrdiff_t>(to), '\n'));
  }
  static void read(std::string_view inside, Tag& tag) {
    inside = trim(inside, kSpaces);
    if (!inside.empty() && std::string_view("#^/").find(inside[0]) != inside.npos) {
      tag.mark = inside[0];
      inside = trim(inside.substr(1), kSpaces);
    }
    tag.name = inside;
  }
  /// When nothing else is on the tag's line, the line goes with it.
  void take_whole_line(Tag& tag) {
    const auto before = text_.substr(0, tag.begin).find_last_not_of(" \t");
    const auto after = std::min(text_.find_first_not_of(kSpaces, tag.end), text_.size());
    const bool alone = (before == text_.npos || text_[before] == '\n') &&
                       (after == text_.size() || text_[after] == '\n');
    if (!alone) return;
    tag.begin = before == text_.npos ? 0 : before + 1;
    tag.end = at_ = std::min(after + 1, text_.size());
    line_ += lines(after, at_);
  }

  std::string_view text_, name_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

Result<Template> Template::parse(std::string_view text, std::string_view name) {
  Template form;
  const auto add = [&](Piece::Kind kind, std::string_view what) {
    form.pieces_.push_back({kind, std::string(what)});
  };
  std::vector<Tag> open;
  Tags tags(text, name);
  for (std::size_t at = 0;;) {
    TRY_ASSIGN(const Tag tag, tags.next());
    // A line that went with the tag before may begin behind this one's blanks.
    if (tag.begin > at) add(Piece::Kind::text, text.substr(at, tag.begin - at));
    if (tag.begin == tag.end) break;
    at = tag.end;
    if (tag.mark == '/') {
      if (open.empty() || open.back().name != tag.name) {
        return tags.wrong(tag, fmt::format("{{{{/{}}}}} ends a section that is not open, or not "
                                           "as the last one",
                                           tag.name));
      }
      open.pop_back();
      add(Piece::Kind::end, {});
    } else if (tag.mark != 0) {
      open.push_back(tag);
      add(tag.mark == '#' ? Piece::Kind::when : Piece::Kind::unless, tag.name);
    } else {
      add(Piece::Kind::value, tag.name);
    }
  }
  if (!open.empty()) {
    const auto& tag = open.back();
    return tags.wrong(tag, fmt::format("the section '{}' is not closed", tag.name),
                      fmt::format("write {{{{/{}}}}} where it ends", tag.name));
  }
  return form;
}

bool Template::has(std::string_view name) const {
  return std::ranges::any_of(pieces_, [&](const Piece& piece) {
    return piece.kind == Piece::Kind::value && piece.text == name;
  });
}

std::string Template::fill(const std::vector<Value>& values) const {
  const auto text_of = [&](std::string_view name) {
    const auto found = std::ranges::find(values, name, &Value::name);
    return found == values.end() ? std::string_view() : found->text;
  };
  std::string out;
  std::size_t open = 0, hidden = 0;  // sections; the number of the outermost that is left out
  for (const auto& piece : pieces_) {
    switch (piece.kind) {
      case Piece::Kind::when:
      case Piece::Kind::unless:
        ++open;
        if (hidden == 0 && text_of(piece.text).empty() == (piece.kind == Piece::Kind::when)) {
          hidden = open;
        }
        break;
      case Piece::Kind::end:
        if (hidden == open) hidden = 0;
        --open;
        break;
      case Piece::Kind::text:
        if (hidden == 0) out += piece.text;
        break;
      case Piece::Kind::value:
        if (hidden == 0) out += text_of(piece.text);
        break;
    }
  }
  return out;
}

const Template& Template::builtin() {
  static const Template form = parse(std::string(builtin_template()), "built-in template").value();
  return form;
}

}  // namespace ralph::loop
