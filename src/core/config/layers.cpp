#include "core/config/layers.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/nearest.h"
#include "core/base/utf8.h"

namespace ralph::config {
namespace {

constexpr std::size_t kMostMistakes = 20;

/// Two settings that cannot be combined. On different levels, the higher one unsets the other; on the same level it is
/// an error, or the first one wins.
struct Rivals {
  Key first, second;
  bool mistake_on_one_level;
};
constexpr std::array<Rivals, 3> kRivals{{
    {Key::prompt, Key::prompt_file, true},
    {Key::system_prompt, Key::system_prompt_file, true},
    {Key::quiet, Key::verbose, false},
}};

/// Variables with the prefix RALPH_ that are not settings.
constexpr std::array<std::string_view, 5> kOtherVariables{"CONFIG", "LOG", "LOG_FILE",
                                                          "AGENT_LOOP_GUARD", "AGENT_SIGINT_EXIT"};

Node scalar(std::string text, int line = 0) {
  Node node;
  node.text = std::move(text);
  node.quoted = true;
  node.line = line;
  return node;
}

bool is_set(const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean;
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  return !std::holds_alternative<std::monostate>(value);
}

/// Variables may also use 1 and 0. RALPH_QUIET=0 and RALPH_VERBOSE=0 do not override the file.
std::optional<std::string> boolean_of(const Setting& setting, std::string_view text) {
  const bool off = text == "0" || text == "false";
  if (off && (setting.id == Key::quiet || setting.id == Key::verbose)) return std::nullopt;
  if (text == "1" || off) return off ? "false" : "true";
  return std::string(text);
}

/// The values of a repeated flag as one text: lists joined, otherwise the last one.
std::string joined(const Setting& setting, const std::vector<std::string>& values) {
  const bool is_switch = setting.kind == Kind::boolean || setting.value.starts_with('[');
  if (values.empty()) return is_switch ? "true" : "";
  if (setting.kind == Kind::list) return fmt::format("{}", fmt::join(values, ","));
  if (setting.kind == Kind::words) return fmt::format("{}", fmt::join(values, " "));
  return values.back();
}

Node list_of(const std::vector<std::string>& values) {
  Node node;
  node.kind = Node::Kind::list;
  for (const auto& value : values) node.items.push_back(scalar(value));
  return node;
}

/// "A=1", "B=2" as a map.
Result<Node> map_of(const std::vector<std::string>& values) {
  Node node;
  node.kind = Node::Kind::map;
  for (const auto& value : values) {
    const auto equals = value.find('=');
    if (equals == std::string::npos) {
      return fail(Code::config, fmt::format("'{}' is not of the form NAME=value",
                                            utf8::shortened(utf8::repaired(value), 60)));
    }
    node.keys.push_back({value.substr(0, equals), 0});
    node.items.push_back(scalar(value.substr(equals + 1)));
  }
  return node;
}

}  // namespace

Layers::Layers(std::filesystem::path workspace, std::string home)
    : workspace_(std::move(workspace)), home_(std::move(home)) {
  for (const auto& row : settings_table()) {
    if (!row.fallback.empty()) take(row, scalar(std::string(row.fallback)), {}, workspace_);
  }
}

void Layers::take(const Setting& setting, const Node& node, Origin origin,
                  const std::filesystem::path& folder) {
  auto value = read_value(setting, node, folder, home_);
  if (!value) {
    const auto key = origin.kind == Origin::Kind::file ? fmt::format("{}: ", setting.key) : "";
    return add_mistake(fmt::format("{}: {}{}", describe(origin), key, value.error().message));
  }
  if (setting.id == Key::backend) check_backend(std::get<std::string>(*value), origin);
  if (setting.id == Key::env) merge_env(std::get<std::vector<Pair>>(std::move(*value)), origin);
  auto& item = settings_.item(setting.id);
  if (setting.id != Key::env) item.value = std::move(*value);
  item.origin = std::move(origin);
  item.level = level_;
}

void Layers::check_backend(const std::string& name, const Origin& origin) {
  if (origin.kind == Origin::Kind::flag || backends_.empty()) return;
  if (std::ranges::find(backends_, name) != backends_.end()) return;
  const auto near = nearest(name, backends_);
  add_mistake(
      fmt::format("{}: backend '{}' is unknown{}", describe(origin), utf8::shortened(name, 60),
                  near.empty() ? fmt::format("; known backends: {}", fmt::join(backends_, ", "))
                               : fmt::format("; did you mean '{}'?", near)));
}

void Layers::merge_env(std::vector<Pair> pairs, const Origin& origin) {
  auto& held = settings_.item(Key::env).value;
  if (!std::holds_alternative<std::vector<Pair>>(held)) held = std::vector<Pair>{};
  auto& all = std::get<std::vector<Pair>>(held);
  auto& origins = settings_.env_origins_;
  for (auto& pair : pairs) {
    const auto same = std::ranges::find(all, pair.name, &Pair::name);
    if (same == all.end()) {
      all.push_back(std::move(pair));
      origins.push_back(origin);
    } else {
      origins[static_cast<std::size_t>(same - all.begin())] = origin;
      *same = std::move(pair);
    }
  }
}

void Layers::add_file(std::string_view text, const std::filesystem::path& name) {
  ++level_;
  const auto root = parse(text, name.native());
  if (!root) return add_mistake(root.error().message);
  if (root->is_null()) return;
  if (root->kind != Node::Kind::map) {
    return add_mistake(fmt::format("{}:{}: expected settings like 'backend: claude', found {}",
                                   name.native(), root->line,
                                   root->kind == Node::Kind::list ? "a list" : "a text"));
  }
  std::vector<std::string> foreign;
  for (std::size_t i = 0; i < root->keys.size(); ++i) {
    if (is_foreign_key(root->keys[i].text)) {
      foreign.push_back(root->keys[i].text);
    } else {
      add_entry(root->keys[i], root->items[i], *root, name);
    }
  }
  if (!foreign.empty()) {
    add_note(fmt::format("{}: ignored keys, not settings of 'ralph run': {}", name.native(),
                         fmt::join(foreign, ", ")));
  }
}

void Layers::add_entry(const Node::Key& key, const Node& value, const Node& whole,
                       const std::filesystem::path& file) {
  if (key.text == "pty_mode") return add_pty_mode(value, whole, file);
  if (key.text == "verify" && value.kind == Node::Kind::map) return add_verify(value, whole, file);
  const auto* known = find_setting(key.text);
  if (known == nullptr) return unknown_key(key, file);
  if (value.is_null()) return;
  take(*known, value, {Origin::Kind::file, file.native(), key.line}, file.parent_path());
}

/// verify: {commands: …, timeout: …, protect: …, clean: …}.
void Layers::add_verify(const Node& map, const Node& whole, const std::filesystem::path& file) {
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const auto& key = map.keys[i];
    const auto name = key.text == "commands" ? std::string("verify") : "verify_" + key.text;
    const auto* known = find_setting(name);
    const auto where = fmt::format("{}:{}", file.native(), key.line);
    if (known == nullptr) {
      add_mistake(
          fmt::format("{}: unknown key 'verify.{}'; known keys: commands, timeout, protect, clean",
                      where, utf8::shortened(key.text, 60)));
    } else if (name != "verify" && whole.find(name) != nullptr) {
      add_mistake(fmt::format("{}: verify.{} and {} are the same setting; keep one", where,
                              key.text, name));
    } else if (!map.items[i].is_null()) {
      take(*known, map.items[i], {Origin::Kind::file, file.native(), key.line}, file.parent_path());
    }
  }
}

void Layers::add_pty_mode(const Node& value, const Node& whole, const std::filesystem::path& file) {
  const auto where = fmt::format("{}:{}", file.native(), value.line);
  if (whole.find("transport") != nullptr) {
    return add_mistake(where + ": pty_mode is the old name of transport; keep only transport");
  }
  const bool on = value.text == "true";
  if (value.kind != Node::Kind::scalar || (!on && value.text != "false")) {
    return add_mistake(where + ": pty_mode: write true or false");
  }
  add_note(fmt::format("{}: pty_mode: {} is read as transport: {}", where, value.text,
                       on ? "pty" : "auto"));
  take(setting(Key::transport), scalar(on ? "pty" : "auto"),
       {Origin::Kind::file, file.native(), value.line}, {});
}

void Layers::unknown_key(const Node::Key& key, const std::filesystem::path& file) {
  std::vector<std::string> known;
  for (const auto& row : settings_table()) known.emplace_back(row.key);
  const auto near = nearest(key.text, known);
  add_mistake(fmt::format("{}:{}: unknown key '{}'{}", file.native(), key.line,
                          utf8::shortened(key.text, 60),
                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void Layers::add_environment(std::span<const std::string> entries) {
  ++level_;
  for (const auto& row : settings_table()) {
    const auto start = variable_of(row) + "=";
    const auto found = std::ranges::find_if(
        entries, [&](const std::string& entry) { return entry.starts_with(start); });
    if (found == entries.end() || found->size() == start.size()) continue;
    add_variable(row, std::string_view(*found).substr(start.size()));
  }
  warn_of_unknown_variables(entries);
}

/// Other programs may use the prefix too, so only probable typing errors are reported.
void Layers::warn_of_unknown_variables(std::span<const std::string> entries) {
  constexpr std::string_view kPrefix = "RALPH_";
  std::vector<std::string> known(kOtherVariables.begin(), kOtherVariables.end());
  for (const auto& row : settings_table()) known.push_back(variable_of(row).substr(kPrefix.size()));
  for (const auto& entry : entries) {
    if (!entry.starts_with(kPrefix)) continue;
    const auto name = entry.substr(kPrefix.size(), entry.find('=') - kPrefix.size());
    if (std::ranges::find(known, name) != known.end()) continue;
    if (const auto near = nearest(name, known); !near.empty()) {
      warnings_.push_back(
          fmt::format("{0}{1} is not a variable of ralph and is ignored; did you mean {0}{2}?",
                      kPrefix, utf8::shortened(utf8::repaired(name), 60), near));
    }
  }
}

void Layers::add_variable(const Setting& setting, std::string_view text) {
  const Origin origin{Origin::Kind::environment, variable_of(setting), 0};
  if (setting.kind == Kind::boolean) {
    if (const auto word = boolean_of(setting, text)) {
      take(setting, scalar(*word), origin, workspace_);
    }
    return;
  }
  const bool takes_brackets =
      (setting.kind == Kind::list || setting.kind == Kind::words || setting.kind == Kind::lines) &&
      text.starts_with('[');
  if (takes_brackets || (setting.kind == Kind::map && text.starts_with('{'))) {
    const auto node = parse(text, origin.name);
    return node ? take(setting, *node, origin, workspace_) : add_mistake(node.error().message);
  }
  take(setting, scalar(std::string(text)), origin, workspace_);
}

void Layers::add_flags(std::span<const FlagValue> flags) {
  ++level_;
  for (const auto& flag : flags) add_flag(flag);
}

void Layers::add_flag(const FlagValue& flag) {
  const auto& row = setting(flag.key);
  const Origin origin{Origin::Kind::flag, flag_of(row), 0};
  if (row.kind == Kind::map) {
    const auto node = map_of(flag.values);
    if (!node) return add_mistake(fmt::format("{}: {}", origin.name, node.error().message));
    return take(row, *node, origin, workspace_);
  }
  // Words after "--" are not split.
  const bool verbatim = row.flag.empty() || row.kind == Kind::lines;
  take(row, verbatim ? list_of(flag.values) : scalar(joined(row, flag.values)), origin, workspace_);
}

void Layers::resolve_rivals() {
  for (const auto& rivals : kRivals) {
    auto& first = settings_.item(rivals.first);
    auto& second = settings_.item(rivals.second);
    if (!is_set(first.value) || !is_set(second.value)) continue;
    if (first.level == second.level && rivals.mistake_on_one_level) {
      const auto named = [](const auto& item, Key key) {
        const auto place = describe(item.origin);
        if (item.origin.kind == Origin::Kind::flag) return place;
        return fmt::format("{} ({})", place, setting(key).key);
      };
      add_mistake(fmt::format("{} and {} cannot be combined", named(first, rivals.first),
                              named(second, rivals.second)));
    }
    auto& loser = first.level >= second.level ? second : first;
    const bool boolean = std::holds_alternative<bool>(loser.value);
    loser = {boolean ? Value(false) : Value(), {}, 0};
  }
}

Result<Loaded> Layers::finish() && {
  resolve_rivals();
  if (mistakes_.empty())
    return Loaded{std::move(settings_), std::move(notes_), std::move(warnings_)};
  if (mistakes_.size() == 1) return fail(Code::config, mistakes_.front());
  auto message = fmt::format("{} errors in the settings:", mistakes_.size());
  const auto shown = std::min(mistakes_.size(), kMostMistakes);
  for (std::size_t i = 0; i < shown; ++i) message += "\n  " + mistakes_[i];
  if (shown < mistakes_.size())
    message += fmt::format("\n  … and {} more", mistakes_.size() - shown);
  return fail(Code::config, std::move(message));
}

}  // namespace ralph::config
