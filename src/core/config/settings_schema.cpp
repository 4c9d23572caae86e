#include "core/config/settings_schema.h"

#include <fmt/core.h>

#include "core/config/setting.h"
#include "core/json/writer.h"

namespace ralph::config {
namespace {

constexpr std::string_view kTexts =
    R"({"type":"string"},{"type":"array","items":{"type":["string","number","boolean"]}})";
constexpr std::string_view kDuration =
    R"re({"type":"number","minimum":0},{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?)+$"})re";
constexpr std::string_view kSize =
    R"re({"type":"integer","minimum":1},{"type":"string","pattern":"^[0-9]+ ?(B|kB|KiB|MB|MiB|GB|GiB)?$"})re";

/// "a|b" as ["a","b"]; a choice of off, on and more may also be true or false.
std::string choices_json(std::string_view choices) {
  std::string list = choices.starts_with("off|on") ? "true,false" : "";
  for (auto rest = choices; !rest.empty();) {
    const auto bar = std::min(rest.find('|'), rest.size());
    if (!list.empty()) list += ',';
    json::append_string(list, rest.substr(0, bar));
    rest.remove_prefix(std::min(rest.size(), bar + 1));
  }
  return list;
}

/// Schemas of the valid values, separated by commas.
std::string alternatives(const Setting& setting) {
  switch (setting.kind) {
    case Kind::text:
    case Kind::path: return R"({"type":["string","number","boolean"]})";
    case Kind::choice: return fmt::format(R"({{"enum":[{}]}})", choices_json(setting.choices));
    case Kind::boolean: return R"({"type":"boolean"})";
    case Kind::integer: return fmt::format(R"({{"type":"integer","minimum":{}}})", setting.least);
    case Kind::money:
      return R"re({"type":"number","exclusiveMinimum":0},{"type":"string","pattern":"^\\$?[0-9.]+$"})re";
    case Kind::duration: return std::string(kDuration);
    case Kind::size: return std::string(kSize);
    case Kind::list:
    case Kind::words:
    case Kind::lines: return std::string(kTexts);
    case Kind::map:
      return R"({"type":"object","additionalProperties":{"type":["string","number","boolean"]}})";
  }
  return {};
}

/// A key without a value is not set.
std::string property(const Setting& setting, std::string_view further = {}) {
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("description", setting.help);
  if (!setting.fallback.empty()) writer.text("x-default", setting.fallback);
  if (!setting.loop_fallback.empty()) writer.text("x-default-loop", setting.loop_fallback);
  writer.raw("anyOf", fmt::format(R"([{}{},{{"type":"null"}}])", alternatives(setting), further));
  writer.close();
  return out;
}

/// verify: {commands, timeout, protect, clean}.
std::string verify_object() {
  std::string properties;
  json::ObjectWriter(properties)
      .raw("commands", property(setting(Key::verify)))
      .raw("timeout", property(setting(Key::verify_timeout)))
      .raw("protect", property(setting(Key::verify_protect)))
      .raw("clean", property(setting(Key::verify_clean)))
      .close();
  return fmt::format(R"(,{{"type":"object","additionalProperties":false,"properties":{}}})",
                     properties);
}

}  // namespace

std::string settings_schema() {
  std::string properties;
  json::ObjectWriter writer(properties);
  for (const auto& row : settings_table()) {
    writer.raw(row.key, property(row, row.id == Key::verify ? verify_object() : std::string()));
  }
  writer.raw("pty_mode", R"({"type":"boolean","deprecated":true,"description":"use transport"})");
  for (const auto key : foreign_keys()) writer.raw(key, "{}");
  writer.close();
  std::string schema;
  json::ObjectWriter(schema)
      .text("$schema", "https://json-schema.org/draft/2020-12/schema")
      .text("title", "ralph.yml")
      .text("description", "Settings of ralph run and ralph loop")
      .raw("type", R"(["object","null"])")
      .raw("properties", properties)
      .raw("patternProperties", R"({"^_":{}})")
      .raw("additionalProperties", "false")
      .close();
  return schema;
}

}  // namespace ralph::config
