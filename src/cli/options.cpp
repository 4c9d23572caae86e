#include "cli/options.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/nearest.h"
#include "core/options/option_reader.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kShortestPart = 4;  // of an option that others begin with

std::unexpected<Error> bad_usage(std::string message) {
  return fail(Code::usage, std::move(message));
}

/// The one of 'ralph run' and 'ralph loop' that has the option which the other has not; nullptr: none.
const Command* command_with(const Command& command, std::string_view name) {
  if (&command != &kRunCommand && &command != &kLoopCommand) return nullptr;
  const auto* const other = &command == &kRunCommand ? &kLoopCommand : &kRunCommand;
  const bool has = std::ranges::any_of(options_of(*other), [&](const auto& option) {
    const auto names = names_of(option);
    return std::ranges::find(names, name) != names.end();
  });
  return has ? other : nullptr;
}

/// What other programs call an option of ours.
struct OtherName {
  std::string_view name, ours;
};
constexpr OtherName kNamesElsewhere[] = {
    {"--agent", "--backend"},
    {"--budget", "--max-cost"},
    {"--max-budget-usd", "--max-cost"},
};

std::unexpected<Error> unknown_option(const Command& command, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  if (&command == &kRunCommand || &command == &kLoopCommand) {
    const auto* const known = std::ranges::find(kNamesElsewhere, name, &OtherName::name);
    if (known != std::end(kNamesElsewhere)) {
      return bad_usage(fmt::format("unknown option '{}'; use '{}'", name, known->ours));
    }
  }
  if (const auto* const other = command_with(command, name)) {
    return bad_usage(fmt::format("'{}' is an option of 'ralph {}' only", name, other->name));
  }
  std::vector<std::string> names{"--help"};
  for (const auto& option : options_of(command))
    names.push_back(fmt::format("--{}", long_name(option.names)));
  std::vector<std::string> longer;
  std::ranges::copy_if(names, std::back_inserter(longer), [&](const auto& other) {
    return name.size() >= kShortestPart && other.starts_with(name);
  });
  const auto near =
      longer.empty() ? nearest(name, names) : fmt::format("{}", fmt::join(longer, "', '"));
  return bad_usage(near.empty()
                       ? fmt::format("unknown option '{}'", word)
                       : fmt::format("unknown option '{}'; did you mean '{}'?", word, near));
}

std::unexpected<Error> missing_value(const Option& option) {
  return bad_usage(
      fmt::format("option '--{}' needs a value: {}", long_name(option.names), option.value));
}

/// What to do about an argument too many.
std::string remedy_for_more(const Command& command, const Arguments& arguments,
                            const std::vector<std::string>& positionals) {
  if (command.name == "run") return "; pass the prompt with -p";
  if (command.name == "tell") return "; put the message in quotes";
  if (command.name == "config") return "; 'ralph config show' prints every setting";
  if (arguments.flag("exec")) {
    return fmt::format("; the command of --exec goes after '--': --exec -- {}",
                       fmt::join(positionals, " "));
  }
  return {};
}

/// The words before "--", sorted. The first error ends the reading; unknown options are only
/// recorded, because --help wins over them.
class ArgumentReader {
 public:
  explicit ArgumentReader(const Command& command) : options_(options_of(command)) {
    options_.push_back(kHelpOption);
  }

  Result<> read(std::span<const std::string> words) {
    std::vector<options::Declaration> declarations;
    for (const auto& option : options_) {
      declarations.push_back({names_of(option), takes_of(option)});
    }
    options::OptionReader reader(std::move(declarations), words);
    while (const auto item = reader.next()) TRY(add(*item));
    return {};
  }

  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::vector<std::string> positionals;
  std::string unknown;                  // the first unknown option
  std::optional<Error> doubtful_value;  // set when the value of an option is the name of another

 private:
  Result<> add(const options::Item& item) {
    switch (item.kind) {
      case options::Item::Kind::option: return add_option(options_[item.option], item);
      case options::Item::Kind::operand: positionals.push_back(item.word); return {};
      case options::Item::Kind::unknown_option:
        if (unknown.empty()) unknown = item.word;
        return {};
      case options::Item::Kind::missing_value: return missing_value(options_[item.option]);
      case options::Item::Kind::unexpected_value:
        return bad_usage(
            fmt::format("option '--{}' takes no value", long_name(options_[item.option].names)));
    }
    return {};
  }

  Result<> add_option(const Option& option, const options::Item& item) {
    const std::string name(long_name(option.names));
    auto& list = values[name];
    const auto& word = item.word;
    if (!word.starts_with("--") && word.size() > 2 && word[2] == '=') {
      return bad_usage(fmt::format("'{}': short options take no '='", word));
    }
    if (!item.value) {
      list.emplace_back("true");
      return {};
    }
    if (word.starts_with("--") && word.ends_with('=')) {
      return bad_usage(fmt::format("'{}' has no value", word));
    }
    const auto& value = list.emplace_back(*item.value);
    const auto names = names_of(option);
    const bool is_next_word = std::ranges::find(names, word) != names.end();
    if (!is_next_word || !is_name(value) || doubtful_value) return {};
    doubtful_value = {Code::usage,
                      fmt::format("option '--{0}' needs a value: {1}; '{2}' is an option (if it is "
                                  "the value: --{0}={2})",
                                  name, option.value, value),
                      {}};
    if (option.value != "TEXT") return std::unexpected(*doubtful_value);  // a text can look so
    return {};
  }

  bool is_name(std::string_view word) const {
    const auto name = word.substr(0, word.find('='));
    return std::ranges::any_of(options_, [&](const auto& option) {
      const auto names = names_of(option);
      return std::ranges::find(names, name) != names.end();
    });
  }

  std::vector<Option> options_;
};

Result<> check_positionals(const Command& command, const Arguments& arguments,
                           const std::vector<std::string>& given) {
  const auto wanted = command.positionals.size();
  if (given.size() > wanted) {
    return bad_usage(fmt::format("unexpected argument '{}'{}", given[wanted],
                                 remedy_for_more(command, arguments, given)));
  }
  if (given.size() == wanted) return {};
  const auto& missing = command.positionals[given.size()];
  if (missing.need == Need::required) return bad_usage(fmt::format("{} is missing", missing.name));
  return {};
}

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

std::vector<std::string_view> names_of(const Option& option) {
  const auto comma = option.names.find(',');
  if (comma == option.names.npos) return {option.names};
  return {option.names.substr(0, comma), option.names.substr(comma + 1)};
}

options::Takes takes_of(const Option& option) {
  if (option.value.empty()) return options::Takes::nothing;
  return option.value.starts_with("[=") ? options::Takes::attached : options::Takes::value;
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
  ArgumentReader reader(command);
  TRY(reader.read({words.begin(), dashes}));
  Arguments arguments;
  arguments.values_ = std::move(reader.values);
  if (arguments.wants_help()) return arguments;
  if (reader.doubtful_value && !(reader.positionals.empty() && reader.unknown.empty())) {
    return std::unexpected(*reader.doubtful_value);
  }
  if (!reader.unknown.empty()) return unknown_option(command, reader.unknown);
  auto& positionals = arguments.positionals_;
  positionals = std::move(reader.positionals);
  if (dashes != words.end()) {
    auto& behind = command.rest.empty() ? positionals : arguments.rest_;
    behind.insert(behind.end(), std::next(dashes), words.end());
  }
  TRY(check_positionals(command, arguments, positionals));
  positionals.resize(command.positionals.size());
  return arguments;
}

}  // namespace ralph::cli
