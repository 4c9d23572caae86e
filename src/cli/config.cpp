#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/base/mask.h"
#include "core/base/nearest.h"
#include "core/base/utf8.h"
#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "core/config/load.h"
#include "core/config/settings_schema.h"
#include "core/json/writer.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

constexpr std::size_t kShownWidth = 60;

/// What may be shown of one NAME=value.
std::string shown(const config::Pair& pair, const Masker& masker) {
  return looks_secret(pair.name) ? "***" : masker.mask(utf8::repaired(pair.value));
}

struct Row {
  std::string key, value, origin;
};

std::vector<Row> rows_of(const config::Settings& settings, const Masker& masker) {
  std::vector<Row> rows;
  for (const auto& setting : config::settings_table()) {
    const auto text = config::to_text(settings.value(setting.id), setting.kind);
    if (setting.id != config::Key::env || text.empty()) {
      rows.push_back({std::string(setting.key), text.empty() ? "-" : masker.mask(text),
                      config::describe(settings.origin(setting.id))});
      continue;
    }
    const auto& pairs = settings.map(setting.id);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      rows.push_back({fmt::format("env.{}", pairs[i].name), shown(pairs[i], masker),
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

void print_table(std::vector<Row> rows, StdOutput& output) {
  std::size_t key_width = 0, value_width = 0;
  for (auto& row : rows) {
    row.value = view::one_line(view::safe_text(row.value), kShownWidth);
    key_width = std::max(key_width, code_points(row.key));
    value_width = std::max(value_width, code_points(row.value));
  }
  for (const auto& row : rows) {
    output.out(fmt::format("{}  {}  {}\n", padded(row.key, key_width),
                           padded(row.value, value_width), view::safe_text(row.origin)));
  }
}

std::string json_of(const config::Origin& origin) {
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

/// A value as JSON, masked: durations in seconds, sizes in bytes, what is not set as null.
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
    for (const auto& pair : pairs) writer.text(pair.name, shown(pair, masker));
    writer.close();
    return out;
  }
};

void print_json(const config::Settings& settings, const Masker& masker, StdOutput& output) {
  std::string out;
  json::ObjectWriter writer(out);
  for (const auto& setting : config::settings_table()) {
    std::string item;
    json::ObjectWriter(item)
        .raw("value", std::visit(JsonValue{masker}, settings.value(setting.id)))
        .raw("origin", json_of(settings.origin(setting.id)))
        .close();
    writer.raw(setting.key, item);
  }
  writer.close();
  output.out(out + "\n");
}

int show(const Arguments& arguments, StdOutput& output) {
  auto loaded = config::load(load_request(arguments.value("config")));
  if (!loaded) {
    auto& message = loaded.error().message;
    message = view::safe_text(Masker(environment()).mask(utf8::repaired(message)));
    return report(loaded.error(), output);
  }
  for (const auto& text : loaded->notes) note(text, output);
  for (const auto& warning : loaded->warnings) warn(warning, output);
  const auto masker = masker_for(loaded->settings);
  if (arguments.flag("json")) {
    print_json(loaded->settings, masker, output);
  } else {
    print_table(rows_of(loaded->settings, masker), output);
  }
  return 0;
}

std::string_view in_words(config::ConfigFile::State state) {
  switch (state) {
    case config::ConfigFile::State::used: return "used";
    case config::ConfigFile::State::shadowed: return "exists, but is not used";
    case config::ConfigFile::State::missing: return "does not exist";
    case config::ConfigFile::State::foreign: return "belongs to another user: not used";
    case config::ConfigFile::State::misnamed: return "has the wrong name: rename it to .yml";
  }
  return "";
}

int path(const Arguments& arguments, StdOutput& output) {
  for (const auto& file : config::find_files(load_request(arguments.value("config")))) {
    const auto name = view::safe_text(file.path.native());
    if (arguments.flag("json")) {
      std::string line;
      json::ObjectWriter(line)
          .text("path", utf8::repaired(file.path.native()))
          .text("state", in_words(file.state))
          .close();
      output.out(line + "\n");
    } else {
      output.out(fmt::format("{}: {}\n", name, in_words(file.state)));
    }
  }
  return 0;
}

int accept(const Arguments& arguments, StdOutput& output) {
  const auto loaded = config::load(load_request(arguments.value("config")));
  const auto* settings = loaded ? &loaded->settings : nullptr;
  const auto config_file = arguments.value("config");
  const auto seen = check_obeyed(config_file, settings);
  const auto accepted = accept_obeyed(config_file, settings);
  if (!accepted) return report(accepted.error(), output);
  if (!seen) output.out(seen.error().message + "\n");
  for (const auto& file : *accepted) {
    output.out(fmt::format("accepted: {}\n", view::safe_text(file.native())));
  }
  if (accepted->empty()) output.out("nothing to accept\n");
  return 0;
}

int schema(StdOutput& output) {
  output.out(config::settings_schema() + "\n");
  return 0;
}

int config_command(const Arguments& arguments, StdOutput& output) {
  const auto action = arguments.positional(0);
  if (action == "show") return show(arguments, output);
  if (action == "path") return path(arguments, output);
  if (action == "accept") return accept(arguments, output);
  if (action == "schema") return schema(output);
  const auto near = nearest(action, {"show", "path", "accept", "schema"});
  return report_usage({Code::usage,
                       fmt::format("unknown action '{}'{}", action,
                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)),
                       {}},
                      &kConfigCommand, output);
}

constexpr Positional kPositionals[] = {
    {"ACTION",
     "show: every setting and where it came from; path: the files looked for; accept: obey what "
     "changed while an agent worked; schema: the JSON Schema of ralph.yml, for editors"},
};
constexpr Option kOptions[] = {
    {"--config", "FILE", "this file instead of ralph.yml or .ralph/config.yml"},
    {"--json", "", "print JSON"},
};
constexpr Example kExamples[] = {
    {"ralph config show", "what 'ralph run' would use here"},
    {"ralph config accept", "after you have read what an agent changed"},
    {"RALPH_MAX_COST=2 ralph config show --json | jq .max_cost", "one setting, for a script"},
};

}  // namespace

constinit const Command kConfigCommand{
    "config",
    "show every setting and where it came from",
    "Shows the settings of 'ralph run' as flags, RALPH_* variables, ralph.yml and the defaults "
    "make "
    "them.",
    kPositionals,
    kOptions,
    kExamples,
    config_command,
    {},
    true,
};

}  // namespace ralph::cli
