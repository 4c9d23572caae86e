#include "core/base/shell_words.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/text.h"

namespace ralph {
namespace {

constexpr std::size_t kMaxLine = 65536;
constexpr int kMaxDepth = 20;

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_word(char c) {
  return is_blank(c) || std::string_view("\n;|&()<>").find(c) != std::string_view::npos;
}

/// "NAME=…" or "NAME+=…", with the name literal.
bool is_assignment(std::string_view raw) {
  if (raw.empty() || !is_name_start(raw.front())) return false;
  const auto end = std::ranges::find_if(
      raw, [](char c) { return !is_name_start(c) && !is_digit(c) && c != '+' && c != '['; });
  return end != raw.end() && *end == '=';
}

/// A recursive descent parser.
class Parser {
 public:
  /// At the first construct it is not sure of: stop, or guess and continue.
  enum class Doubt { stop, guess };

  Parser(std::string_view text, Doubt doubt) : text_(text), doubt_(doubt) {}

  ShellLine run() {
    if (text_.size() > kMaxLine || std::ranges::any_of(text_, unusual)) continue_after_doubt();
    while (!at_end()) parse_list('\0');
    if (line_.understood) line_.parsed = text_.size();
    return std::move(line_);
  }

 private:
  enum class Quotes { none, around };

  static bool unusual(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool comes(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!comes(what)) return false;
    at_ += what.size();
    return true;
  }
  bool stopped() const { return !line_.understood && doubt_ == Doubt::stop; }
  void stop() {
    if (line_.understood) line_.parsed = std::min(at_, text_.size());
    line_.understood = false;
    at_ = text_.size();
  }
  /// Marks the line as not understood. False: parsing stopped; true: it continues `skipped` bytes further.
  bool continue_after_doubt(std::size_t skipped = 0) {
    const auto next = std::min(at_ + skipped, text_.size());
    stop();
    if (doubt_ == Doubt::guess) at_ = next;
    return doubt_ == Doubt::guess;
  }

  /// Commands up to `closing`, which is not consumed; "\0": up to the end.
  void parse_list(char closing) {
    bool need_command = false;  // after "&&", "||" and "|"
    while (!stopped()) {
      skip_blanks(need_command);
      if (at_end() || peek() == ')') {
        const bool unexpected = (peek() == ')') != (closing == ')');
        if (need_command || unexpected) continue_after_doubt(unexpected ? 1 : 0);
        return;
      }
      const auto before = line_.commands.size();
      parse_command();
      skip_blanks(false);
      need_command = !at_end() && peek() != ')' && parse_separator(before);
    }
  }

  /// Whether a command must follow. `before`: the number of commands before the last one.
  bool parse_separator(std::size_t before) {
    if (take("&&") || take("||")) return true;
    if (take("|&") || take("|")) {
      mark_captured(before);
      return true;
    }
    if ((!take(";") && !take("\n")) || peek() == ';') continue_after_doubt(1);
    return false;
  }

  /// Marks the commands from this one on; each is marked at most kMaxDepth times.
  void mark_captured(std::size_t from) {
    for (; from < line_.commands.size(); ++from) line_.commands[from].captured = true;
  }

  void skip_blanks(bool newlines_too) {
    for (; !at_end(); ++at_) {
      if (comes("\\\n")) {
        ++at_;
      } else if (peek() == '#') {
        while (!at_end() && peek() != '\n') ++at_;
        if (at_end() || !newlines_too) return;
      } else if (!is_blank(peek()) && !(newlines_too && peek() == '\n')) {
        return;
      }
    }
  }

  void parse_command() {
    skip_newlines();
    if (at_end() || peek() == ')') return;
    if (peek() == '(') return parse_subshell();
    ShellCommand command;
    const auto begin = at_;
    if (parse_words(command)) finish(std::move(command), begin);
  }

  /// Words and redirections up to a separator. False: no command can be made of them.
  bool parse_words(ShellCommand& command) {
    while (!stopped()) {
      skip_blanks(false);
      if (at_end() || is_separator()) break;
      if (peek() == '(') {
        if (!continue_after_doubt(1)) return false;
        parse_nested(ShellNesting::substitution);
      } else if (!parse_redirection(command)) {
        parse_argument(command);
      }
    }
    return true;
  }

  /// Assignments or redirections alone are a command; nothing at all is an error.
  void finish(ShellCommand command, std::size_t begin) {
    command.text = trim(text_.substr(begin, at_ - begin), " \t\n");
    command.nesting = nesting_;
    if (may_have_patterns(command) && !continue_after_doubt()) return;
    if (command.text.empty()) {
      continue_after_doubt();
      return;
    }
    line_.commands.push_back(std::move(command));
  }

  /// The ")" after a pattern of "case" closes nothing. "case" may follow words that begin other commands.
  static bool may_have_patterns(const ShellCommand& command) {
    constexpr std::string_view kLeading =
        " if then else elif while until do ! { } time coproc function for select case ";
    if (command.words.empty()) return false;
    const auto first = " " + command.words.front().text + " ";
    return kLeading.find(first) != kLeading.npos &&
           std::ranges::any_of(command.words,
                               [](const ShellWord& word) { return word.is("case"); });
  }

  void skip_newlines() {
    while (peek() == '\n' && !at_end()) {
      ++at_;
      skip_blanks(true);
    }
  }

  bool is_separator() const {
    return peek() == '\n' || peek() == ';' || peek() == '|' || peek() == ')' ||
           (peek() == '&' && peek(1) != '>');
  }

  void parse_subshell() {
    if (peek(1) == '(' && !continue_after_doubt()) return;
    ++at_;
    parse_nested(ShellNesting::subshell);
    skip_blanks(false);
    ShellCommand redirections;
    if (!at_end() && !is_separator() && continue_after_doubt()) parse_words(redirections);
  }

  /// After "(": its commands and the ")".
  void parse_nested(ShellNesting nesting) {
    if (++depth_ > kMaxDepth) return stop();
    const auto outermost = nesting_ == ShellNesting::none ? nesting : nesting_;
    const auto outer = std::exchange(nesting_, outermost);
    const auto before = line_.commands.size();
    parse_list(')');
    if (!take(")") || line_.commands.size() == before) continue_after_doubt();
    nesting_ = outer;
    --depth_;
  }

  /// False: here is none.
  bool parse_redirection(ShellCommand& command) {
    const auto begin = at_;
    while (is_digit(peek())) ++at_;
    if (at_ == begin && take("&>")) {
      take(">");
      redirect_to(command, command.outputs);
      return true;
    }
    if (peek() != '<' && peek() != '>') {
      at_ = begin;
      return false;
    }
    if (take("<<<")) {
      redirect_to(command, command.here_strings);
      return true;
    }
    if (comes("<<") || comes("<(") || comes(">(")) {
      continue_after_doubt(peek(1) == '(' ? 1 : 2);
      return true;
    }
    if (take("<&") || take(">&")) {
      parse_duplicate(command);
      return true;
    }
    const bool writes = comes(">") || comes("<>");
    if (!take(">>") && !take(">|") && !take("<>")) ++at_;
    redirect_to(command, writes ? command.outputs : command.inputs);
    return true;
  }

  /// After ">&": a number or "-" makes no file.
  void parse_duplicate(ShellCommand& command) {
    skip_blanks(false);
    const auto word = parse_word();
    command.quoted_code = command.quoted_code || word.quoted_code;
    const bool number = word.is("-") || (word.literal && !word.text.empty() &&
                                         std::ranges::all_of(word.text, is_digit));
    if (!number) command.outputs.push_back(word);
  }

  void redirect_to(ShellCommand& command, std::vector<ShellWord>& files) {
    skip_blanks(false);
    const auto begin = at_;
    auto word = parse_word();
    if (at_ == begin) continue_after_doubt();
    command.quoted_code = command.quoted_code || word.quoted_code;
    if (!word.is("/dev/null")) files.push_back(std::move(word));
  }

  void parse_argument(ShellCommand& command) {
    const auto begin = at_;
    auto word = parse_word();
    if (at_ == begin && !continue_after_doubt(1)) return;
    const auto raw = text_.substr(begin, at_ - begin);
    const bool names_descriptor = raw.starts_with('{') && (peek() == '<' || peek() == '>');
    if (names_descriptor && !continue_after_doubt()) return;  // "{NAME}>file" sets a variable
    command.quoted_code = command.quoted_code || word.quoted_code;
    if (command.words.empty() && is_assignment(raw)) {
      command.assignments.emplace_back(raw);
    } else {
      command.words.push_back(std::move(word));
    }
  }

  ShellWord parse_word() {
    ShellWord word;
    bool first = true;
    for (; !stopped() && !at_end() && !ends_word(peek()); first = false) {
      if (!take("\\\n")) parse_word_part(word, first);
    }
    if (word.pattern && (word.text == "[" || word.text == "{}")) return {word.text};
    return word;
  }

  void parse_word_part(ShellWord& word, bool first) {
    const char c = peek();
    if (c == '\'') return parse_single_quotes(word);
    if (c == '"') return parse_double_quotes(word);
    if (c == '\\') {
      if (at_ + 1 >= text_.size()) return stop();
      add_quoted(word, text_.substr(at_ + 1, 1));
      at_ += 2;
      return;
    }
    if (c == '$') return parse_dollar(word, Quotes::none);
    if (c == '`') return skip_backquotes(word);
    if (std::string_view("*?[{}").find(c) != std::string_view::npos) {
      if (word.literal) word.pattern = true;
      not_literal(word);
      word.several = true;
    }
    if (c == '~' && (first || word.text.ends_with('=') || word.text.ends_with(':'))) {
      not_literal(word);
      word.pattern = false;
    }
    word.text += c;
    ++at_;
  }

  static void not_literal(ShellWord& word) {
    if (word.text.empty()) word.certain = false;
    word.literal = false;
  }

  static void add_quoted(ShellWord& word, std::string_view text) {
    word.quoted = word.quoted || text.find_first_of("*?[]{}\\") != std::string_view::npos;
    const auto before = word.text.size();
    word.text += text;
    const auto seen = std::string_view(word.text).substr(before == 0 ? 0 : before - 1);
    word.quoted_code = word.quoted_code || seen.find("$(") != seen.npos ||
                       text.find('`') != std::string_view::npos;
  }

  void parse_single_quotes(ShellWord& word) {
    const auto end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return stop();
    add_quoted(word, text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
  }

  void parse_double_quotes(ShellWord& word) {
    for (++at_; !stopped() && !at_end() && peek() != '"';) {
      if (take("\\\n")) continue;
      if (peek() == '`' && !continue_after_doubt()) return;
      if (peek() == '$' && peek(1) != '"' && peek(1) != ' ') {
        parse_dollar(word, Quotes::around);
        continue;
      }
      const bool escape = peek() == '\\' &&
                          std::string_view("$`\"\\").find(peek(1)) != std::string_view::npos &&
                          peek(1) != '\0';
      if (escape) ++at_;
      add_quoted(word, text_.substr(at_, 1));
      ++at_;
    }
    if (!take("\"")) continue_after_doubt();
  }

  void skip_backquotes(ShellWord& word) {
    if (!continue_after_doubt(1)) return;
    not_literal(word);
    while (!at_end() && peek() != '`') at_ += peek() == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  /// "$NAME", "${NAME}", "$1", "$?" and "$(…)"; every other kind can do more than it seems.
  void parse_dollar(ShellWord& word, Quotes quotes) {
    not_literal(word);
    word.pattern = false;
    word.several = word.several || quotes == Quotes::none;
    const auto begin = at_++;
    if (comes("((") && !continue_after_doubt()) return;
    if (take("(")) {
      word.captures = true;
      const auto before = line_.commands.size();
      parse_nested(ShellNesting::substitution);
      mark_captured(before);
    } else if (take("{")) {
      parse_name(word);
      if (!take("}")) continue_after_doubt();
    } else if (is_name_start(peek())) {
      parse_name(word);
    } else if (is_digit(peek()) || peek() == '?' || peek() == '#') {
      ++at_;
    } else {
      continue_after_doubt();
    }
    if (!stopped()) word.text += text_.substr(begin, at_ - begin);
  }

  void parse_name(ShellWord& word) {
    const auto begin = at_;
    if (!is_name_start(peek()) && !continue_after_doubt()) return;
    while (is_name_start(peek()) || is_digit(peek())) ++at_;
    if (comes("\\\n") && !continue_after_doubt()) return;  // the name may continue on the next line
    word.variables.emplace_back(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Doubt doubt_;
  int depth_ = 0;
  ShellNesting nesting_ = ShellNesting::none;
  ShellLine line_;
};

}  // namespace

ShellLine parse_shell_line(std::string_view line) {
  return Parser(line, Parser::Doubt::stop).run();
}

ShellLine guess_shell_line(std::string_view line) {
  return Parser(line, Parser::Doubt::guess).run();
}

}  // namespace ralph
