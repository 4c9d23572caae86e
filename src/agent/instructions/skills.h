#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/settings/source_file.h"
#include "core/base/result.h"

namespace ralph::instructions {

/// A skill, a set of skills or a command: called by the user with "/name …", by the model with the Skill tool.
struct Skill {
  enum class Kind {
    skill,    // a directory with a SKILL.md
    set,      // a list of skills that are loaded together
    command,  // a text
  };
  Kind kind = Kind::skill;
  std::string name;                        // of its directory or file: "greet", "sub:deep"
  std::string description;                 // one line; empty: none
  std::string argument_hint;               // for people
  std::filesystem::path file;              // links resolved
  std::filesystem::path boundary;          // as for read_source_file()
  bool for_model = true;                   // false: only the user calls it
  std::vector<std::string> members;        // of a set
  std::vector<std::string> allowed_tools;  // rules that declare what it uses; they permit nothing

  /// Its frontmatter allows Bash: every !`command` in its text is run.
  bool runs_commands() const;
};

/// Of a skill, with its arguments and the output of its commands; of a set, all its skills.
inline constexpr std::size_t kLargestSkillText = std::size_t{512} << 10;

/// Runs a command that a text names, and returns what replaces it.
using RunCommand = std::function<std::string(const std::string& command)>;

/// The skills and commands of a session, by name. Their texts are read when they are called.
class Skills {
 public:
  /// Searches skills/ and commands/ in the user's configuration directory, and skills/, library/, skillsets/ and commands/ in
  /// .claude/ of the workspace. Of two with the same name the first wins, in this order, and a skill before a command. Finds
  /// none with --bare or --disable-slash-commands. Skips files of the workspace that rules deny to read.
  static Skills find(const settings::Options& options, const settings::Environment& environment,
                     const std::filesystem::path& cwd, settings::DeniedFiles denied);

  bool empty() const { return all_.empty(); }
  /// Sorted by name.
  const std::map<std::string, Skill, std::less<>>& all() const { return all_; }
  /// nullptr: there is none.
  const Skill* find(std::string_view name) const;
  /// Its text after with_arguments(). An error: the file can no longer be read, or the text is too long (Code::limit).
  Result<std::string> text(const Skill& skill, std::string_view arguments,
                           const RunCommand& run = {}) const;

 private:
  void add(Skill skill);
  std::string text_of_set(const Skill& set, std::string_view arguments,
                          const RunCommand& run) const;

  settings::DeniedFiles denied_;
  std::map<std::string, Skill, std::less<>> all_;
};

/// Inserts the arguments into a text: $ARGUMENTS stands for all of them, $ARGUMENTS[0] and $0 for the first word, $NAME for
/// the word with the place of NAME in `names`. Placeholders with a name may be empty, others without an argument stay; a text without placeholders gets the arguments appended. With `run`, every
/// !`command` at the beginning of a word is replaced by its output; arguments inside it are quoted for the shell, and text
/// from arguments and outputs is never run. An error: the result is over 512 KB.
Result<std::string> with_arguments(std::string_view text, std::string_view arguments,
                                   const RunCommand& run = {},
                                   std::span<const std::string> names = {});

}  // namespace ralph::instructions
