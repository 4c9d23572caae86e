#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/base/result.h"
#include "core/options/option_reader.h"

namespace ralph::cli {

/// Every command has it, beside those of its table.
inline constexpr Option kHelpOption{"-h,--help", "", "show help"};

/// The parsed arguments of a command.
class Arguments {
 public:
  bool flag(std::string_view name) const { return values_.contains(name); }
  /// The value of an option, or `otherwise`. Of a repeated option, the last one.
  std::string_view value(std::string_view name, std::string_view otherwise = {}) const;
  /// All values of a repeatable option, in order.
  std::vector<std::string> all(std::string_view name) const;
  /// Empty: an optional argument that was not given.
  std::string_view positional(std::size_t n) const { return positionals_.at(n); }
  /// The words after "--", for a command that takes them.
  const std::vector<std::string>& rest() const { return rest_; }
  bool wants_help() const { return flag("help"); }

 private:
  friend Result<Arguments> parse_arguments(const Command&, const std::vector<std::string>&);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;  // of a flag: "true"
  std::vector<std::string> positionals_;
  std::vector<std::string> rest_;
};

/// Parses the words after the command's name. Errors have Code::usage.
Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words);

/// "-v,--verbose" → "verbose".
std::string_view long_name(std::string_view names);
/// "-v,--verbose" → "-v", "--verbose".
std::vector<std::string_view> names_of(const Option& option);
options::Takes takes_of(const Option& option);

}  // namespace ralph::cli
