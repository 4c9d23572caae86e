#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "core/base/mask.h"
#include "core/base/nearest.h"
#include "core/base/utf8.h"
#include "core/config/load.h"
#include "core/config/settings_schema.h"
#include "core/json/writer.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kShownWidth = 60;

/// The value of one NAME=value, masked if it is a secret.
std::string shown_value(const config::Pair& pair, const Masker& masker) {
  return looks_secret(pair.name) ? "***" : masker.mask(utf8::repaired(pair.value));
}

/// The default of 'ralph loop' where it counts and is another one; empty: it is not.
std::string_view other_default(const config::Settings& settings, const config::Setting& setting) {
  return settings.given(setting.id) ? std::string_view() : setting.loop_fallback;
}

struct SettingRow {
  std::string key, value, origin;
};

std::vector<SettingRow> rows_of(const config::Settings& settings, const Masker& masker) {
  std::vector<SettingRow> rows;
  for (const auto& setting : config::settings_table()) {
    auto text = config::to_text(settings.value(setting.id), setting.kind);
    if (const auto other = other_default(settings, setting); !other.empty()) {
      text += fmt::format(" (loop: {})", other);
    }
    if (setting.id != config::Key::env || text.empty()) {
      rows.push_back({std::string(setting.key), text.empty() ? "-" : masker.mask(text),
                      config::describe(settings.origin(setting.id))});
      continue;
    }
    const auto& pairs = settings.map(setting.id);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      rows.push_back({fmt::format("env.{}", pairs[i].name), shown_value(pairs[i], masker),
                      config::describe(settings.env_origin(i))});
    }
  }
  return rows;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - code_points(text), ' ');
}

void print_table(std::vector<SettingRow> rows, StdOutput& output) {
  std::size_t key_width = 0, value_width = 0;
  for (auto& row : rows) {
    row.value = console::one_line(console::safe_text(row.value), kShownWidth);
    key_width = std::max(key_width, code_points(row.key));
    value_width = std::max(value_width, code_points(row.value));
  }
  for (const auto& row : rows) {
    output.out(fmt::format("{}  {}  {}\n", padded(row.key, key_width),
                           padded(row.value, value_width), console::safe_text(row.origin)));
  }
}

std::string origin_json(const config::Origin& origin) {
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("kind", config::to_string(origin.kind));
  const auto name = utf8::repaired(origin.name);
  if (origin.kind == config::Origin::Kind::file) {
    writer.text("file", name).number("line", std::int64_t{origin.line});
  } else if (!name.empty()) {
    writer.text("name", name);
  }
  writer.close();
  return out;
}

/// A value as masked JSON: durations in seconds, sizes in bytes, unset values as null.
struct JsonValue {
  const Masker& masker;

  std::string text(const std::string& value) const {
    std::string out;
    json::append_string(out, masker.mask(utf8::repaired(value)));
    return out;
  }
  template <typename Number>
  std::string number(Number value) const {
    std::string out;
    json::append_number(out, value);
    return out;
  }

  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return number(value); }
  std::string operator()(double value) const { return number(value); }
  std::string operator()(Millis value) const {
    return number(static_cast<double>(value.count()) / 1000);
  }
  std::string operator()(const std::string& value) const { return text(value); }
  std::string operator()(const std::vector<std::string>& list) const {
    std::string out = "[";
    for (const auto& word : list) out += (out.size() > 1 ? "," : "") + text(word);
    return out + "]";
  }
  std::string operator()(const std::vector<config::Pair>& pairs) const {
    std::string out;
    json::ObjectWriter writer(out);
    for (const auto& pair : pairs) writer.text(pair.name, shown_value(pair, masker));
    writer.close();
    return out;
  }
};

void print_settings_json(const config::Settings& settings, const Masker& masker,
                         StdOutput& output) {
  std::string out;
  json::ObjectWriter writer(out);
  for (const auto& setting : config::settings_table()) {
    std::string item;
    json::ObjectWriter fields(item);
    fields.raw("value", std::visit(JsonValue{masker}, settings.value(setting.id)));
    if (const auto other = other_default(settings, setting); !other.empty()) {
      fields.text("loop_value", other);
    }
    fields.raw("origin", origin_json(settings.origin(setting.id))).close();
    writer.raw(setting.key, item);
  }
  writer.close();
  output.out(out + "\n");
}

int show_settings(const Arguments& arguments, StdOutput& output) {
  auto loaded = config::load(load_request(arguments.value("config")));
  if (!loaded) {
    auto& message = loaded.error().message;
    message = console::safe_text(Masker(environment()).mask(utf8::repaired(message)));
    return report(loaded.error(), output);
  }
  for (const auto& text : loaded->notes) note(text, output);
  for (const auto& warning : loaded->warnings) warn(warning, output);
  const auto masker = masker_for(loaded->settings);
  if (arguments.flag("json")) {
    print_settings_json(loaded->settings, masker, output);
  } else {
    print_table(rows_of(loaded->settings, masker), output);
  }
  return 0;
}

std::string_view state_text(config::ConfigFile::State state) {
  switch (state) {
    case config::ConfigFile::State::used: return "used";
    case config::ConfigFile::State::shadowed: return "exists, but is not used";
    case config::ConfigFile::State::missing: return "does not exist";
    case config::ConfigFile::State::foreign: return "belongs to another user: not used";
    case config::ConfigFile::State::misnamed: return "has the wrong name: rename it to .yml";
  }
  return "";
}

int show_paths(const Arguments& arguments, StdOutput& output) {
  for (const auto& file : config::find_files(load_request(arguments.value("config")))) {
    const auto name = console::safe_text(file.path.native());
    if (arguments.flag("json")) {
      std::string line;
      json::ObjectWriter(line)
          .text("path", utf8::repaired(file.path.native()))
          .text("state", state_text(file.state))
          .close();
      output.out(line + "\n");
    } else {
      output.out(fmt::format("{}: {}\n", name, state_text(file.state)));
    }
  }
  return 0;
}

int accept_changes(const Arguments& arguments, StdOutput& output) {
  const auto loaded = config::load(load_request(arguments.value("config")));
  const auto* settings = loaded ? &loaded->settings : nullptr;
  const auto config_file = arguments.value("config");
  const auto seen = check_obeyed(config_file, settings);
  const auto accepted = accept_obeyed(config_file, settings);
  if (!accepted) return report(accepted.error(), output);
  if (!seen) output.out(seen.error().message + "\n");
  for (const auto& file : *accepted) {
    output.out(fmt::format("accepted: {}\n", console::safe_text(file.native())));
  }
  if (accepted->empty()) output.out("nothing to accept\n");
  return 0;
}

int show_schema(StdOutput& output) {
  output.out(config::settings_schema() + "\n");
  return 0;
}

int config_command(const Arguments& arguments, StdOutput& output) {
  const auto action = arguments.positional(0);
  if (action == "show") return show_settings(arguments, output);
  if (action == "path") return show_paths(arguments, output);
  if (action == "accept") return accept_changes(arguments, output);
  if (action == "schema") return show_schema(output);
  const auto near = nearest(action, {"show", "path", "accept", "schema"});
  return report_usage({Code::usage,
                       fmt::format("unknown action '{}'{}", action,
                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)),
                       {}},
                      &kConfigCommand, output);
}

constexpr Positional kConfigPositionals[] = {
    {"ACTION",
     "show: every setting and its origin; path: where settings files are searched; accept: use "
     "settings that changed while an agent ran; schema: the JSON Schema of ralph.yml, for editors"},
};
constexpr Option kConfigOptions[] = {
    {"--config", "FILE", "use this file instead of ralph.yml or .ralph/config.yml"},
    {"--json", "", "print JSON"},
};
constexpr Example kConfigExamples[] = {
    {"ralph config show", "the settings that 'ralph run' and 'ralph loop' use here"},
    {"ralph config accept", "after you have reviewed what an agent changed"},
    {"RALPH_MAX_COST=2 ralph config show --json | jq .max_cost", "one setting, for a script"},
};

}  // namespace

constinit const Command kConfigCommand{
    "config",
    "show every setting and its origin",
    "Shows the settings of 'ralph run' and 'ralph loop', from RALPH_* variables, ralph.yml, your\n"
    "own config.yml and the defaults. 'ralph config path' lists the files.",
    kConfigPositionals,
    kConfigOptions,
    kConfigExamples,
    config_command,
};

}  // namespace ralph::cli
