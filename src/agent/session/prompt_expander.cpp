#include "agent/session/prompt_expander.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/json_text.h"
#include "agent/tool/safe_file.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

namespace ralph::session {
namespace {

using json::Document;

constexpr std::size_t kMostNames = 200;  // read in one message
constexpr std::size_t kMostNamedFiles = 20;
constexpr std::size_t kMostFileBytes = std::size_t{512} << 10;
constexpr std::uintmax_t kMostText = 100'000;  // bytes of one file: about what Read shows at once
constexpr std::size_t kMostCommandsListed = 40;
constexpr std::string_view kBehindNames = ".,;:!?)]}>'\"`";

Document text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

std::string reminder(std::string_view text) {
  return fmt::format("<system-reminder>\n{}\n</system-reminder>", text);
}

std::string text_of(const Document& block) {
  const bool is_text = block.is_object() && block.value("type", Document()) == "text";
  const auto text = is_text ? block.value("text", Document()) : Document();
  return text.is_string() ? text.get<std::string>() : "";
}

/// The content of a result; null: none.
Document content_of(const std::optional<tool::Outcome>& outcome) {
  return outcome ? json::parse(outcome->content).value_or(Document()) : Document();
}

bool is_blank_char(char c) { return kBlanks.find(c) != kBlanks.npos; }

std::optional<SlashCall> slash_call_of(std::string_view text) {
  if (text.size() < 2 || text[0] != '/') return std::nullopt;
  const auto end = std::min(text.find_first_of(kBlanks), text.size());
  const auto name = text.substr(1, end - 1);
  const auto first = static_cast<unsigned char>(name.empty() ? ' ' : name.front());
  const bool begins = std::isalnum(first) != 0 || first == '_' || first >= 0x80;
  if (!begins || name.find('/') != name.npos) return std::nullopt;
  return SlashCall{std::string(name), std::string(trim(text.substr(end)))};
}

}  // namespace

std::optional<SlashCall> slash_call(const UserMessage& message) {
  // Most messages call nothing and some are long: avoid parsing them.
  constexpr std::string_view kOneText = R"([{"type":"text","text":"/)";
  if (message.notification || !message.content.starts_with(kOneText)) return std::nullopt;
  const auto blocks = json::parse(message.content);
  if (!blocks || !blocks->is_array() || blocks->size() != 1) return std::nullopt;
  return slash_call_of(text_of(blocks->front()));
}

std::vector<std::string> named_files(std::string_view text) {
  std::vector<std::string> names;
  for (auto at = text.find('@'); at != text.npos && names.size() < kMostNames;
       at = text.find('@', at + 1)) {
    if (at > 0 && !is_blank_char(text[at - 1])) continue;
    const auto rest = text.substr(at + 1);
    const bool quoted = rest.starts_with('"');
    const auto end =
        quoted ? rest.find('"', 1) : std::min(rest.find_first_of(kBlanks), rest.size());
    if (end == rest.npos) continue;
    std::string name(quoted ? rest.substr(1, end - 1) : rest.substr(0, end));
    const bool odd = std::ranges::any_of(name, [](char c) { return c >= 0 && c < ' '; });
    if (name.empty() || odd || std::ranges::find(names, name) != names.end()) continue;
    names.push_back(std::move(name));
  }
  return names;
}

void PromptExpander::expand(UserMessage& message, const std::stop_token& stop) const {
  if (message.notification || std::exchange(message.expanded, true)) return;
  const auto call = options_.bare ? std::nullopt : slash_call(message);
  if (!call && message.content.find('@') == message.content.npos) return;
  auto said = json::parse(message.content);
  if (!said || !said->is_array()) return;
  if (message.original.empty()) message.original = message.content;
  if (call && !put_call(*call, *said, message.original, stop)) {
    said->insert(said->begin(), text_block(reminder(note_about(call->name))));
  }
  auto blocks = files_of(*said, stop);
  if (blocks.empty() && !call) return;
  for (auto& block : *said) blocks.push_back(std::move(block));
  message.content = json::write(blocks);
}

/// False: no command or skill has that name.
bool PromptExpander::put_call(const SlashCall& call, Document& blocks, std::string& shown,
                              const std::stop_token& stop) const {
  const auto* skill = skills_.find(call.name);
  if (skill == nullptr) return false;
  const auto run = [&](const std::string& command) { return output_of(*skill, command, stop); };
  auto text = skills_.text(
      *skill, call.arguments,
      skill->runs_commands() ? instructions::RunCommand(run) : instructions::RunCommand());
  if (!text && text.error().code != Code::limit) return false;
  if (!text) text = reminder("The call is left out. " + text.error().message);
  auto name = fmt::format(
      "<command-message>{0}</command-message>\n<command-name>/{0}</command-name>\n", call.name);
  if (!call.arguments.empty()) {
    name += fmt::format("<command-args>{}</command-args>\n", call.arguments);
  }
  shown = json_string(trim(name));
  blocks = Document::array({text_block(name), text_block(*std::move(text))});
  return true;
}

std::string PromptExpander::note_about(std::string_view name) const {
  std::vector<std::string> names;
  std::string list;
  for (const auto& [known, skill] : skills_.all()) {
    if (names.size() < kMostCommandsListed) list += (list.empty() ? "/" : ", /") + known;
    names.push_back(known);
  }
  auto note = fmt::format(
      "The message below begins with /{}, which is the name of no command or skill here: nothing "
      "was called. Take it as plain words.",
      name);
  if (const auto meant = nearest(name, names); !meant.empty()) {
    note += fmt::format(" The nearest name is /{}.", meant);
  }
  return note + (list.empty() ? " There are no commands." : " There are: " + list + ".");
}

/// Both the file and the session must allow it.
std::string PromptExpander::output_of(const instructions::Skill& skill, const std::string& command,
                                      const std::stop_token& stop) const {
  const Document input{{"command", command}};
  const auto& bash = *tool::find_tool("Bash");
  const auto access = bash.access(input, workspace_);
  const permission::Rules own{skill.allowed_tools, {}, {}};
  const bool meant =
      tool::decide(bash, input, access, permission::Mode::standard, own, workspace_).allowed;
  const auto output = content_of(meant ? toolbox_.run_for_user("Bash", input, stop) : std::nullopt);
  if (output.is_string()) return output.get<std::string>();
  return fmt::format("(`{}` gave nothing: it is not permitted here, or it failed)", command);
}

Document PromptExpander::files_of(const Document& blocks, const std::stop_token& stop) const {
  auto files = Document::array();
  std::size_t count = 0, bytes = 0;
  for (const auto& block : blocks) {
    for (const auto& name : named_files(text_of(block))) {
      if (count == kMostNamedFiles) return files;
      const auto content = content_of_file(name, stop);
      if (!content) continue;
      bytes += json::write(*content).size();
      if (bytes > kMostFileBytes) return files;
      ++count;
      for (const auto& part : *content) files.push_back(part);
    }
  }
  return files;
}

/// Only inside the working directories, in every mode. nullopt: not a file.
std::optional<Document> PromptExpander::content_of_file(const std::string& name,
                                                        const std::stop_token& stop) const {
  auto path = name;
  const auto is_file = [&] {
    const auto resolved = workspace_.resolve(path);
    return workspace_.contains(resolved) && tool::kind_of(resolved) == tool::FileKind::regular;
  };
  while (!path.empty() && !is_file()) {
    if (kBehindNames.find(path.back()) == kBehindNames.npos) return std::nullopt;
    path.pop_back();
  }
  if (path.empty()) return std::nullopt;
  auto content = content_of(toolbox_.run_for_user("Read", {{"file_path", path}}, stop));
  const auto label = fmt::format("The message below names the file {}. It holds:", path);
  std::error_code error;
  const auto size = std::filesystem::file_size(workspace_.resolve(path), error);
  if (content.is_string() && !error && size > kMostText) {
    return Document::array({text_block(reminder(fmt::format(
        "The message below names the file {}, which is too long to be shown here ({} bytes). Read "
        "what you need of it, by parts.",
        path, size)))});
  }
  if (content.is_string()) {
    return Document::array({text_block(reminder(label + "\n" + content.get<std::string>()))});
  }
  if (!content.is_array()) return std::nullopt;
  content.insert(content.begin(), text_block(reminder(label)));
  return content;
}

}  // namespace ralph::session
