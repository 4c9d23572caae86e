#include "agent/settings/options.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/permission/rule.h"
#include "agent/settings/options_impl.h"
#include "core/base/nearest.h"
#include "core/json/document.h"
#include "core/options/option_reader.h"

namespace ralph::settings {
namespace {

std::unexpected<Error> refuse(std::string message) { return fail(Code::usage, std::move(message)); }

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0)
      return false;
  }
  return true;
}

Result<> set_option(Draft& draft, const OptionRow& row, const std::string& value, bool given) {
  const auto choices = split_blanks(row.choices);
  std::string complaint;
  if (given && !choices.empty() && std::ranges::count(choices, value) == 0) {
    auto shown = choices;
    std::erase(shown, "default");  // known, but not shown
    complaint = fmt::format("Allowed choices are {}.", fmt::join(shown, ", "));
  } else if (row.set != nullptr) {
    complaint = row.set(draft, value);
  }
  if (complaint.empty()) return {};
  return refuse(
      fmt::format("error: option '{}' argument '{}' is invalid. {}", row.flags, value, complaint));
}

std::vector<options::Declaration> declarations() {
  std::vector<options::Declaration> declared;
  for (const auto& row : option_rows()) {
    const auto takes = takes_list(row)       ? options::Takes::list
                       : takes_value(row)    ? options::Takes::value
                       : may_take_value(row) ? options::Takes::optional
                                             : options::Takes::nothing;
    declared.push_back({names_of(row), takes});
  }
  return declared;
}

/// Parses arguments as Claude Code does.
class Reader {
 public:
  Reader(Draft& draft, std::span<const std::string> words)
      : draft_(draft), reader_(declarations(), words) {}

  Result<> read() {
    while (!draft_.options.version) {
      const auto item = reader_.next();
      if (!item) break;
      TRY(add(*item));
    }
    draft_.operands.insert(draft_.operands.end(), reader_.rest().begin(), reader_.rest().end());
    return {};
  }

  /// The first unknown option.
  const std::string& unknown() const { return unknown_; }

 private:
  Result<> add(const options::Item& item) {
    using Kind = options::Item::Kind;
    const auto& row = option_rows()[item.option];
    switch (item.kind) {
      case Kind::option:
        return set_option(draft_, row, item.value.value_or(""), item.value.has_value());
      case Kind::operand:
        if (unknown_.empty()) draft_.operands.push_back(item.word);
        return {};
      case Kind::missing_value:
        return refuse(fmt::format("error: option '{}' argument missing", row.flags));
      case Kind::unknown_option:
      case Kind::unexpected_value:
        if (unknown_.empty()) unknown_ = item.word;
        return {};
    }
    return {};
  }

  Draft& draft_;
  options::OptionReader reader_;
  std::string unknown_;
};

/// The most similar option names, as a second line.
std::string suggestion(std::string_view unknown) {
  if (!unknown.starts_with("--")) return {};
  const auto word = unknown.substr(2);
  std::size_t best = 3;
  std::vector<std::string> similar;
  for (const auto& row : option_rows()) {
    const auto name = names_of(row).back().substr(2);
    if (row.where == Where::hidden) continue;
    const auto distance = edit_distance(word, name);
    const auto length = std::max(word.size(), name.size());
    if (distance > best || (length - distance) * 10 <= length * 4) continue;
    if (distance < best) similar.clear();
    best = distance;
    similar.push_back(fmt::format("--{}", name));
  }
  if (similar.empty()) return {};
  std::ranges::sort(similar);
  return fmt::format("\n(Did you mean {}{}?)", similar.size() > 1 ? "one of " : "",
                     fmt::join(similar, ", "));
}

Result<> check_sources(const Options& options) {
  if (!options.setting_sources) return {};
  for (const auto& source : *options.setting_sources) {
    if (source == "user" || source == "project" || source == "local") continue;
    return refuse(
        fmt::format("Error processing --setting-sources: Invalid setting source: {}. Valid options "
                    "are: user, project, local",
                    source));
  }
  return {};
}

Result<> check_command(const Draft& draft) {
  if (draft.print_said || draft.operands.empty()) return {};
  for (const auto& command : command_rows()) {
    if (draft.operands.front() != command.name) continue;
    return refuse(fmt::format(
        "error: 'claude {0}' is not available in ralph's agent: {1} (-p makes '{0}' a prompt)",
        command.name, command.instead));
  }
  return {};
}

Result<> check_session(const Draft& draft) {
  const auto& options = draft.options;
  if (!options.session_id.empty()) {
    if ((options.continue_last || options.resume) && !options.fork_session) {
      return refuse(
          "Error: --session-id can only be used with --continue or --resume if --fork-session is "
          "also specified.");
    }
    if (!is_uuid(options.session_id)) {
      return refuse("Error: Invalid session ID. Must be a valid UUID.");
    }
  }
  if (!draft.resume_session_at.empty() && !options.resume) {
    return refuse("Error: --resume-session-at requires --resume");
  }
  if (!draft.resume_drops_turn.empty() && draft.resume_session_at.empty()) {
    return refuse("Error: --resume-drops-turn requires --resume-session-at");
  }
  return {};
}

Result<> check_formats(const Draft& draft) {
  const auto& options = draft.options;
  const bool streams_in = options.input == Format::stream_json;
  const bool streams_out = options.print && options.output == Format::stream_json;
  if (draft.await_initialize && !streams_in) {
    return refuse("Error: --await-initialize requires --input-format=stream-json.");
  }
  if (streams_in && !streams_out) {
    return refuse("Error: --input-format=stream-json requires output-format=stream-json.");
  }
  if (options.replay_user_messages && !streams_in) {
    return refuse(
        "Error: --replay-user-messages requires both --input-format=stream-json and "
        "--output-format=stream-json.");
  }
  if (options.partial_messages && !streams_out) {
    return refuse(
        "Error: --include-partial-messages requires --print and --output-format=stream-json.");
  }
  if (draft.prompt_suggestions && !streams_out) {
    return refuse(
        "Error: --prompt-suggestions requires --print and --output-format=stream-json "
        "(prompt_suggestion messages are "
        "only surfaced in stream-json output).");
  }
  if (options.subagent_text && !streams_out) {
    return refuse(
        "Error: --forward-subagent-text requires --print and --output-format=stream-json.");
  }
  return {};
}

Result<> check_schema(const Options& options) {
  if (options.json_schema.empty()) return {};
  const auto schema = json::parse(options.json_schema, "JSON Parse error");
  if (!schema) {
    return refuse(
        fmt::format("Error: --json-schema is not valid JSON: {}", schema.error().message));
  }
  if (!schema->is_object()) return refuse("Error: --json-schema must be a JSON object");
  return {};
}

/// Options that restrict the agent must not be ignored.
Result<> check_safety(const Draft& draft) {
  struct Unsupported {
    bool given;
    std::string_view option, instead;
  };
  for (const auto& [given, option, instead] : {
           Unsupported{draft.restricted, "--restricted",
                       "Use --tools, --disallowedTools and --permission-mode"},
           Unsupported{draft.safe_mode, "--safe-mode", "Use --bare and --strict-mcp-config"},
           Unsupported{draft.plan_mode_required, "--plan-mode-required",
                       "Use --permission-mode plan"},
           Unsupported{draft.project_config_root, "--project-config-root",
                       "Use --setting-sources and --settings"},
       }) {
    if (!given) continue;
    return refuse(fmt::format("Error: {} is not supported. {} instead, or use Claude Code.", option,
                              instead));
  }
  for (const auto& rule : draft.options.disallowed_tools) {
    if (permission::is_well_formed_rule(rule)) continue;
    return refuse(
        fmt::format("Error: --disallowedTools: '{}' is not a rule such as \"Bash(git *)\": its "
                    "parentheses do not match.",
                    rule));
  }
  if (draft.worktree) {
    return refuse(
        "Error: --worktree is not supported. Create one with 'git worktree add' and start the "
        "agent there.");
  }
  return {};
}

/// Warns about options that have no effect.
void warn_of_ineffective(Draft& draft) {
  auto& options = draft.options;
  if (draft.schema_said && options.json_schema.empty()) {
    options.warnings.emplace_back(
        "Warning: --json-schema is empty, so the answer may be any text.");
  }
  if (!draft.resume_session_at.empty()) {
    options.warnings.emplace_back(
        "Warning: --resume-session-at has no effect: the session resumes at its end.");
  }
  for (const auto& rule : options.allowed_tools) {
    if (permission::is_well_formed_rule(rule)) continue;
    options.warnings.push_back(
        fmt::format("Warning: --allowedTools: '{}' allows nothing: its parentheses do not match "
                    "(a valid rule: \"Bash(git *)\").",
                    rule));
  }
  for (const auto& folder : options.add_dirs) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error)) continue;
    options.warnings.push_back(
        fmt::format("Warning: --add-dir {} is not a usable directory.", folder));
  }
}

Result<> check_print(const Options& options) {
  if (!options.print) return {};
  if (options.resume && options.resume->empty() && !options.continue_last) {
    return refuse(
        "Error: --resume requires a valid session ID or session title when used with --print. "
        "Usage: claude -p "
        "--resume <session-id|title>");
  }
  if (options.output == Format::stream_json && !options.verbose) {
    return refuse("Error: When using --print, --output-format=stream-json requires --verbose");
  }
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<const std::string> words, bool interactive) {
  Draft draft;
  auto& options = draft.options;
  Reader reader(draft, words);
  const auto read = reader.read();
  TRY(check_sources(options));
  TRY(read);
  if (options.version) return options;
  if (options.help && (draft.print_said || draft.operands.empty())) return options;
  TRY(check_command(draft));
  if (options.help) return options;
  if (!reader.unknown().empty()) {
    return refuse(fmt::format("error: unknown option '{}'{}", reader.unknown(),
                              suggestion(reader.unknown())));
  }
  if (!draft.operands.empty()) options.prompt = draft.operands.front();
  if (options.tools == std::vector<std::string>{"default"}) options.tools.reset();
  if (!interactive || options.input == Format::stream_json ||
      options.output == Format::stream_json) {
    options.print = true;
  }
  TRY(check_session(draft));
  TRY(check_formats(draft));
  TRY(check_schema(options));
  TRY(check_print(options));
  TRY(check_safety(draft));
  warn_of_ineffective(draft);
  return options;
}

}  // namespace ralph::settings
