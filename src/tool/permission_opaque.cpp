#include "tool/permission_opaque.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace ralph::tool {
namespace {

using Words = std::span<const ShellWord>;

/// They take commands as text, from their input, or for later.
constexpr std::array<std::string_view, 29> kOpaque{
    "bash",     "sh",      "dash",     "zsh",    "ksh",    "ash",    "fish", "busybox",
    "coproc",   "trap",    "xargs",    "env",    "watch",  "script", "su",   "eval",
    "source",   ".",       "alias",    "hash",   "enable", "shopt",  "[[",   "chroot",
    "function", "runuser", "parallel", "toybox", "unshare"};

/// The next word is a command as well.
constexpr std::array<std::string_view, 10> kKeywords{"if",    "then", "else", "elif", "while",
                                                     "until", "do",   "!",    "{",    "}"};

/// One of their arguments is the command.
constexpr std::array<std::string_view, 13> kWrappers{
    "sudo",    "doas",    "timeout", "nice",   "ionice", "nohup",  "time",
    "command", "builtin", "exec",    "setsid", "stdbuf", "setpriv"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

std::string_view base_name(const ShellWord& word) {
  const std::string_view text = word.text;
  const auto slash = text.rfind('/');
  return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

std::string why_not_clear(const ShellWord& word) {
  if (is_in(kOpaque, base_name(word))) return fmt::format("'{}' runs other commands", word.text);
  if (!word.literal) return fmt::format("'{}' is no plain name of a command", word.text);
  return {};
}

std::string why_opaque(Words words) {
  while (!words.empty() && is_in(kKeywords, words.front().text)) words = words.subspan(1);
  if (words.empty()) return {};
  const auto name = base_name(words.front());
  if (name == "env" && words.size() == 1) return {};
  if (auto why = why_not_clear(words.front()); !why.empty()) return why;
  const auto runs = [](const ShellWord& word) {
    return word.text.starts_with("-exec") || word.text.starts_with("-ok") || !word.literal;
  };
  if (name == "find") {
    return std::ranges::any_of(words, runs) ? "'find' with -exec or wildcards runs other commands"
                                            : "";
  }
  if (!is_in(kWrappers, name)) return {};
  for (const auto& word : words.subspan(1)) {
    if (auto why = why_not_clear(word); !why.empty()) return why;
    if (base_name(word) == "find") return "a command in front of 'find' hides what it runs";
  }
  return {};
}

}  // namespace

std::string hidden_commands(const ShellLine& line) {
  if (!line.understood) return "the line is too intricate to be taken apart";
  for (const auto& command : line.commands) {
    if (auto why = why_opaque(command.words); !why.empty()) return why;
  }
  return {};
}

}  // namespace ralph::tool
