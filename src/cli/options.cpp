#include "cli/options.h"

#include <optional>
#include <span>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/nearest.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kShortestPart = 4;  // of an option that others begin with

std::unexpected<Error> bad_usage(std::string message) {
  return fail(Code::usage, std::move(message));
}

std::unexpected<Error> unknown_option(const Command& command, const std::string& word) {
  std::vector<std::string> names{"--help"};
  for (const auto& option : options_of(command))
    names.push_back(fmt::format("--{}", long_name(option.names)));
  const auto name = word.substr(0, word.find('='));
  auto near = nearest(name, names);
  if (near.empty() && name.size() >= kShortestPart) {
    std::erase_if(names, [&](const auto& other) { return !other.starts_with(name); });
    near = fmt::format("{}", fmt::join(names, "', '"));
  }
  return bad_usage(near.empty()
                       ? fmt::format("unknown option '{}'", word)
                       : fmt::format("unknown option '{}'; did you mean '{}'?", word, near));
}

bool has_name(const Option& option, std::string_view name) {
  for (auto names = option.names; !names.empty();) {
    const auto end = std::min(names.find(','), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

/// An option that has another option where its value should be.
struct Swallowed {
  Option option;
  std::string next;

  std::unexpected<Error> error() const {
    const auto name = long_name(option.names);
    return bad_usage(fmt::format(
        "option '--{}' needs a value: {}; '{}' is an option (if it is the value: --{}={})", name,
        option.value, next, name, next));
  }
};

std::optional<Swallowed> find_swallowed(const Command& command,
                                        std::span<const std::string> words) {
  const auto options = options_of(command);
  const auto find = [&](std::string_view word) {
    return std::ranges::find_if(options, [&](const auto& each) { return has_name(each, word); });
  };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto option = find(words[i]);
    const bool takes_next =
        option != options.end() && !option->value.empty() && !option->value.starts_with("[=");
    if (!takes_next) continue;
    const std::string_view next = words[++i];
    if (find(next.substr(0, next.find('='))) != options.end()) {
      return Swallowed{*option, std::string(next)};
    }
  }
  return std::nullopt;
}

/// What to do about an argument too many.
std::string remedy_for_more(const Command& command, const Arguments& arguments,
                            const std::vector<std::string>& positionals) {
  if (command.name == "run") return "; the prompt is given with -p";
  if (command.name == "tell") return "; put the message in quotes";
  if (arguments.flag("exec")) {
    return fmt::format("; the command of --exec goes behind '--': --exec -- {}",
                       fmt::join(positionals, " "));
  }
  return {};
}

/// CLI11's own words are for programmers; the kind of its error is enough to say it better.
std::string in_our_words(const Command& command, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return error.what();
  const std::string_view text = error.what();
  for (const auto& option : options_of(command)) {
    const auto name = long_name(option.names);
    if (!text.starts_with(fmt::format("--{}:", name)) &&
        !text.starts_with(fmt::format("{} ", name))) {
      continue;
    }
    return option.value.empty()
               ? fmt::format("option '--{}' takes no value", name)
               : fmt::format("option '--{}' needs a value: {}", name, option.value);
  }
  return error.what();
}

/// Registers the options of one command with CLI11 and takes what it makes of the words.
class Parser {
 public:
  explicit Parser(const Command& command) : command_(command) {
    app_.set_help_flag();
    app_.allow_extras();
    options_["help"] = app_.add_flag("-h,--help");
    for (const auto& option : options_of(command)) add(option);
  }

  Result<> parse(const std::vector<std::string>& words) {
    try {
      app_.parse(
          std::vector<std::string>(words.rbegin(), words.rend()));  // it takes them from the back
      return {};
    } catch (const CLI::ParseError& error) {
      return bad_usage(in_our_words(command_, error));
    }
  }

  std::map<std::string, std::vector<std::string>, std::less<>> values() const {
    std::map<std::string, std::vector<std::string>, std::less<>> given;
    for (const auto& [name, option] : options_) {
      if (option->count() > 0) given[name] = option->results();
    }
    return given;
  }
  std::vector<std::string> others() const { return app_.remaining(); }

 private:
  void add(const Option& option) {
    const std::string name(long_name(option.names)), names(option.names);
    auto* added = option.value.empty()             ? app_.add_flag(names)->disable_flag_override()
                  : option.value.starts_with("[=") ? app_.add_flag(names)
                                                   : app_.add_option(names, values_[name]);
    options_[name] = added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }

  const Command& command_;
  CLI::App app_;
  std::map<std::string, CLI::Option*> options_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> options;
  if (command.settings != nullptr) {
    const auto settings = command.settings();
    options.assign(settings.begin(), settings.end());
  }
  options.insert(options.end(), command.options.begin(), command.options.end());
  return options;
}

std::string_view long_name(std::string_view names) {
  const auto dashes = names.rfind("--");
  return names.substr(dashes == std::string_view::npos ? names.rfind('-') + 1 : dashes + 2);
}

std::string_view Arguments::value(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? otherwise : found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != dashes; ++word) {
    if (word->starts_with("--") && word->ends_with('=')) {
      return bad_usage(fmt::format("'{}' has no value", *word));
    }
    if (word->size() > 2 && (*word)[0] == '-' && (*word)[1] != '-' && (*word)[2] == '=') {
      return bad_usage(fmt::format("'{}': short options take no '='", *word));
    }
  }
  // A text can look like an option.
  const auto swallowed = find_swallowed(command, {words.begin(), dashes});
  if (swallowed && swallowed->option.value != "TEXT") return swallowed->error();
  Parser parser(command);
  TRY(parser.parse({words.begin(), dashes}));
  Arguments arguments;
  arguments.values_ = parser.values();
  if (arguments.wants_help()) return arguments;
  auto& positionals = arguments.positionals_;
  positionals = parser.others();
  if (swallowed && !positionals.empty()) return swallowed->error();
  const auto option = std::ranges::find_if(
      positionals, [](const auto& word) { return word.size() > 1 && word.front() == '-'; });
  if (option != positionals.end()) return unknown_option(command, *option);
  if (dashes != words.end()) {
    auto& behind = command.rest.empty() ? positionals : arguments.rest_;
    behind.insert(behind.end(), dashes + 1, words.end());
  }
  const auto wanted = command.positionals.size();
  if (positionals.size() > wanted) {
    return bad_usage(fmt::format("unexpected argument '{}'{}", positionals[wanted],
                                 remedy_for_more(command, arguments, positionals)));
  }
  if (positionals.size() < wanted) {
    const auto& missing = command.positionals[positionals.size()];
    if (missing.need == Need::required)
      return bad_usage(fmt::format("{} is missing", missing.name));
  }
  positionals.resize(wanted);
  return arguments;
}

}  // namespace ralph::cli
