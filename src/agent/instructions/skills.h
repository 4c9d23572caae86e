#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/settings/source_file.h"
#include "core/base/result.h"

namespace ralph::instructions {

/// Something that can be called by its name: by the user with "/name …", by the model with the Skill tool.
struct Skill {
  enum class Kind {
    skill,    // a folder with a SKILL.md
    set,      // a list of skills that are loaded together
    command,  // a text
  };
  Kind kind = Kind::skill;
  std::string name;                  // of its folder or file: "greet", "sub:deep"
  std::string description;           // one line; empty: none
  std::string argument_hint;         // for people
  std::filesystem::path file;        // links resolved
  std::filesystem::path boundary;    // as for read_source_file()
  bool for_model = true;             // false: only the user calls it
  std::vector<std::string> members;  // of a set
  std::vector<std::string>
      allowed_tools;  // rules; they say what it is meant to use, and permit nothing by themselves

  /// Its head names the shell: !`command` in it is meant to be run.
  bool runs_commands() const;
};

/// Runs a command that a text names, and returns what replaces it.
using RunCommand = std::function<std::string(const std::string& command)>;

/// The skills and commands of a session, by name. Their texts are read when they are called, as they are then.
class Skills {
 public:
  /// Of the user: skills/ and commands/ in the configuration folder. Of the workspace, in .claude/: skills/, library/,
  /// skillsets/ and commands/. Of two with the same name the first counts, in this order, and a skill before a command. None with
  /// --bare or --disable-slash-commands. Of the workspace's, none that is a file rules deny to read.
  static Skills find(const settings::Options& options, const settings::Environment& environment,
                     const std::filesystem::path& cwd, settings::DeniedFiles denied);

  bool empty() const { return all_.empty(); }
  /// Sorted by name.
  const std::map<std::string, Skill, std::less<>>& all() const { return all_; }
  /// nullptr: there is none.
  const Skill* find(std::string_view name) const;
  /// What it says, as with_arguments() makes it. An error: it can no longer be read, or is too long (Code::limit).
  Result<std::string> text(const Skill& skill, std::string_view arguments,
                           const RunCommand& run = {}) const;

 private:
  void add(Skill skill);
  std::string text_of_set(const Skill& set, std::string_view arguments,
                          const RunCommand& run) const;

  settings::DeniedFiles denied_;
  std::map<std::string, Skill, std::less<>> all_;
};

/// Puts the arguments into a text: $ARGUMENTS is all of them, $ARGUMENTS[0] and $0 the first word. Places for words there
/// are not stay as they are; a text without any place gets the arguments at its end. With `run` every !`command` of the
/// text, where it begins a word, gives way to its output; arguments within it are words for the shell, never syntax, and
/// what arguments and outputs bring is never run. An error: it would be more than 512 KB.
Result<std::string> with_arguments(std::string_view text, std::string_view arguments,
                                   const RunCommand& run = {});

}  // namespace ralph::instructions
