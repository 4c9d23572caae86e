#include "core/config/yaml.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph::config {
namespace {

/// Limit of open brackets: far more than kMaxDepth, as brackets in texts count too, and few enough for yaml-cpp.
constexpr std::ptrdiff_t kMaxOpenBrackets = 1000;
/// Scalars of the whole tree together; aliases repeat them.
constexpr std::size_t kMaxTextBytes = 4 * kMaxBytes;

struct Problem {
  int line = 0;
  std::string message;
};

int line_at(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, position), '\n'));
}

std::optional<Problem> find_bad_utf8(std::string_view text) {
  if (utf8::valid(text)) return std::nullopt;
  int line = 1;
  while (utf8::valid(text.substr(0, text.find('\n')))) {
    text.remove_prefix(text.find('\n') + 1);
    ++line;
  }
  return Problem{line, "not valid UTF-8"};
}

/// yaml-cpp treats 0x04 as the end of the file.
std::optional<Problem> find_control_character(std::string_view text) {
  const auto bad = std::ranges::find_if(
      text, [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\r' && c != '\t'; });
  if (bad == text.end()) return std::nullopt;
  return Problem{line_at(text, static_cast<std::size_t>(bad - text.begin())),
                 fmt::format("control character 0x{:02x}", static_cast<unsigned char>(*bad))};
}

std::optional<Problem> find_deep_nesting(std::string_view text) {
  std::ptrdiff_t open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') ++open;
    if (text[i] == ']' || text[i] == '}') --open;
    open = std::max<std::ptrdiff_t>(open, 0);
    if (open > kMaxOpenBrackets) return Problem{line_at(text, i), "brackets nested too deeply"};
  }
  return std::nullopt;
}

std::optional<Problem> find_problem(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return Problem{1, fmt::format("file too large: {} bytes (limit: {})", text.size(), kMaxBytes)};
  }
  for (const auto look : {find_bad_utf8, find_control_character, find_deep_nesting}) {
    if (auto problem = look(text)) return problem;
  }
  return std::nullopt;
}

/// JSON escapes 😀 as "\ud83d\ude00"; YAML only as "\U0001f600".
std::string join_surrogates(std::string_view text) {
  const auto unit_at = [&](std::size_t at) -> unsigned {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
    unsigned value = 0;
    for (const char c : text.substr(at + 2, 4)) {
      const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      if (digit == std::string_view::npos) return 0;
      value = value * 16 + static_cast<unsigned>(digit);
    }
    return value;
  };
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const unsigned high = unit_at(i), low = high >> 10 == 0x36 ? unit_at(i + 6) : 0;
    if (low >> 10 == 0x37) {
      out += fmt::format("\\U{:08x}", 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff));
      i += 12;
      continue;
    }
    const std::size_t length = text[i] == '\\' && i + 1 < text.size() ? 2 : 1;
    out += text.substr(i, length);
    i += length;
  }
  return out;
}

/// Whether a quoted scalar has a closing quote and indented continuation lines. yaml-cpp checks neither: a forgotten
/// quote would swallow the settings after it.
bool ends_as_yaml_says(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = std::min(text.find_first_of(kBlanks, at), text.size());
    at = std::min(text.find_first_not_of(kBlanks, at), text.size());
  }
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return true;
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\n' && at + 1 < text.size() &&
        !std::isspace(static_cast<unsigned char>(text[at + 1]))) {
      return false;
    }
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

/// Grows the tree from yaml-cpp's events. After the first problem it ignores the rest.
class Builder final : public YAML::EventHandler {
 public:
  std::optional<Problem> problem;
  Node root;
  bool any = false;

  /// `text` is what yaml-cpp reads; it outlives this.
  explicit Builder(std::string_view text) : text_(text) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(any, true)) complain(mark, "more than one document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(scalar(mark, "", false), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    if (!problem && !ends_as_yaml_says(text_, static_cast<std::size_t>(std::max(mark.pos, 0)))) {
      complain(mark, "the quote opened here is not closed on this line");
    }
    add(scalar(mark, value, tag == "!" || tag.ends_with(":str")), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      return complain(mark, "an alias refers to the value that contains it");
    count(found->second, mark);
    if (problem) return;
    Node copy = found->second;
    copy.line = line_of(mark);
    add(std::move(copy), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::unordered_map<std::string, int> lines;  // of the keys seen
    bool key_waits = false;                      // the next value belongs to the last key
  };

  static int line_of(const YAML::Mark& mark) { return mark.line + 1; }

  void complain(const YAML::Mark& mark, std::string message) {
    if (!problem) problem = Problem{line_of(mark), std::move(message)};
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:")) return;
    complain(mark, "tags (words that begin with '!') are not supported");
  }

  static Node scalar(const YAML::Mark& mark, const std::string& text, bool quoted) {
    Node node;
    node.text = text;
    node.quoted = quoted;
    node.line = line_of(mark);
    return node;
  }

  void count(const Node& node, const YAML::Mark& mark) {
    text_bytes_ += node.text.size();
    if (++nodes_ > kMaxNodes || text_bytes_ > kMaxTextBytes) complain(mark, "too many values");
    for (const auto& key : node.keys) text_bytes_ += key.text.size();
    for (const auto& item : node.items) {
      if (problem) return;
      count(item, mark);
    }
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    check_tag(mark, tag);
    if (!open_.empty() && waits_for_key()) complain(mark, "a key must be a single text");
    if (open_.size() >= kMaxDepth) {
      complain(mark, fmt::format("nested too deeply (at most {} levels)", kMaxDepth));
    }
    if (++nodes_ > kMaxNodes) complain(mark, "too many values");
    if (problem) return;
    Open level;
    level.node.kind = kind;
    level.node.line = line_of(mark);
    level.anchor = anchor;
    open_.push_back(std::move(level));
  }

  void close() {
    if (problem) return;
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  bool waits_for_key() const {
    return open_.back().node.kind == Node::Kind::map && !open_.back().key_waits;
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (problem) return;
    YAML::Mark mark;
    mark.line = node.line - 1;
    if (node.kind == Node::Kind::scalar) count(node, mark);
    if (anchor != 0) add_anchor(node, anchor, mark);
    if (open_.empty()) {
      root = std::move(node);
    } else if (waits_for_key()) {
      add_key(std::move(node), mark);
    } else {
      open_.back().node.items.push_back(std::move(node));
      open_.back().key_waits = false;
    }
  }

  /// Keeps a copy for aliases; it counts towards the limits.
  void add_anchor(const Node& node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    count(node, mark);
    if (!problem) anchors_[anchor] = node;
  }

  void add_key(Node node, const YAML::Mark& mark) {
    if (node.kind != Node::Kind::scalar) {
      return complain(mark, "a key must be a single text");
    }
    auto& level = open_.back();
    const auto [seen, fresh] = level.lines.try_emplace(node.text, node.line);
    if (!fresh) {
      return complain(mark, fmt::format("key '{}' is already set in line {}",
                                        utf8::shortened(node.text, 60), seen->second));
    }
    level.node.keys.push_back({std::move(node.text), node.line});
    level.key_waits = true;
  }

  std::string_view text_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0, text_bytes_ = 0;
};

/// yaml-cpp's error, or the usual cause if it does not name it.
Problem explain(const YAML::Exception& error, std::string_view text) {
  const int line = std::max(error.mark.line + 1, 1);
  for (int i = 1; i < line; ++i) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const auto indent = text.substr(0, std::min(text.find_first_not_of(" \t"), text.size()));
  if (indent.find('\t') != std::string_view::npos) {
    return {line, "tabs cannot be used for indentation; use spaces"};
  }
  if (error.msg == "end of map not found" || error.msg == "end of sequence not found")
    return {line, "not valid YAML: the indentation of this line fits no line above"};
  return {line, fmt::format("not valid YAML: {}", error.msg)};
}

/// The first problem, if any. HandleNextDocument is called at most twice: on some invalid texts it returns empty
/// documents forever.
std::optional<Problem> build(const std::string& text, Builder& builder) {
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
    return builder.problem;
  } catch (const YAML::Exception& error) {
    return builder.problem ? builder.problem : explain(error, text);
  }
}

}  // namespace

bool Node::is_null() const {
  constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
  return kind == Kind::scalar && !quoted && std::ranges::find(kNulls, text) != kNulls.end();
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &Key::text);
  return found == keys.end() ? nullptr : &items[static_cast<std::size_t>(found - keys.begin())];
}

Result<Node> parse(std::string_view text, std::string_view name) {
  const auto bad = [&](const Problem& problem) {
    return fail(Code::config, fmt::format("{}:{}: {}", name, problem.line, problem.message));
  };
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto problem = find_problem(text)) return bad(*problem);
  const auto first = text.find_first_not_of(kBlanks);
  const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  // With a newline at the end yaml-cpp accepts an open quote, so that the error can name its line.
  const auto read = (json ? join_surrogates(text) : std::string(text)) + "\n";
  Builder builder(read);
  builder.root.kind = Node::Kind::map;
  const auto problem = build(read, builder);
  if (problem) return bad(*problem);
  return std::move(builder.root);
}

}  // namespace ralph::config
