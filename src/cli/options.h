#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "cli/command.h"

namespace ralph::cli {

/// The words behind a subcommand, sorted by its table.
class Arguments {
 public:
  bool flag(std::string_view name) const { return values_.contains(name); }
  /// The value of an option, or `otherwise`. Given twice, the last one counts.
  std::string_view value(std::string_view name, std::string_view otherwise = {}) const;
  /// Every value of an option that may be repeated, in order.
  std::vector<std::string> all(std::string_view name) const;
  /// Empty: an optional one that was not given.
  std::string_view positional(std::size_t n) const { return positionals_.at(n); }
  /// The words behind "--", for a command that takes them.
  const std::vector<std::string>& rest() const { return rest_; }
  bool wants_help() const { return flag("help"); }

 private:
  friend Result<Arguments> parse_arguments(const Command&, const std::vector<std::string>&);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;  // of a flag: none
  std::vector<std::string> positionals_;
  std::vector<std::string> rest_;
};

/// Reads `words` (those behind the subcommand's name). Errors are of Code::usage. The only user of
/// CLI11.
Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words);

/// "-v,--verbose" → "verbose".
std::string_view long_name(std::string_view names);

}  // namespace ralph::cli
