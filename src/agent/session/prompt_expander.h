#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/instructions/skills.h"
#include "agent/session/inbox.h"
#include "agent/session/toolbox.h"
#include "agent/settings/options.h"
#include "core/json/document_value.h"

namespace ralph::session {

/// "/name arguments".
struct SlashCall {
  std::string name;
  std::string arguments;
};

/// The call in a message with a single text; nullopt: none.
std::optional<SlashCall> slash_call(const UserMessage& message);

/// The file names in a text: @name or @"name with blanks", at the beginning of a word.
std::vector<std::string> named_files(std::string_view text);

/// Expands a user message for the model: inserts the text of the command or skill it calls and the files it names. Uses the
/// session's tools and permissions.
class PromptExpander {
 public:
  PromptExpander(const settings::Options& options, const instructions::Skills& skills,
                 Toolbox& toolbox, const tool::Workspace& workspace)
      : options_(options), skills_(skills), toolbox_(toolbox), workspace_(workspace) {}

  void expand(UserMessage& message, const std::stop_token& stop) const;

 private:
  bool put_call(const SlashCall& call, json::Document& blocks, std::string& shown,
                const std::stop_token& stop) const;
  std::string output_of(const instructions::Skill& skill, const std::string& command,
                        const std::stop_token& stop) const;
  std::string note_about(std::string_view name) const;
  json::Document files_of(const json::Document& blocks, const std::stop_token& stop) const;
  std::optional<json::Document> content_of_file(const std::string& name,
                                                const std::stop_token& stop) const;

  const settings::Options& options_;
  const instructions::Skills& skills_;
  Toolbox& toolbox_;
  const tool::Workspace& workspace_;
};

}  // namespace ralph::session
