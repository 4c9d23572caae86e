#include "agent/session/structured_output.h"

#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "core/json/writer.h"

namespace ralph::session {
namespace {

constexpr std::string_view kDescription =
    "Gives the final answer of this request as data. Call it exactly once, when the work is done, "
    "with input that follows the schema; the request ends with it.";

}  // namespace

StructuredOutput::StructuredOutput(schema::Schema schema, std::string definition)
    : schema_(std::move(schema)), definition_(std::move(definition)) {}

Result<StructuredOutput> StructuredOutput::make(std::string_view schema) {
  const auto bad = [](std::string_view why) {
    return fail(Code::usage,
                fmt::format("Error: --json-schema is not a valid JSON Schema: {}", why));
  };
  const auto parsed = json::parse(schema, "the schema");
  if (!parsed) return bad(parsed.error().message);
  if (!parsed->is_object()) return bad("it is not a JSON object");
  auto compiled = schema::Schema::compile(*parsed);
  if (!compiled) return bad(compiled.error().message);
  std::string definition;
  json::ObjectWriter(definition)
      .text("name", kName)
      .text("description", kDescription)
      .raw("input_schema", json::write(*parsed))
      .close();
  return StructuredOutput(*std::move(compiled), std::move(definition));
}

std::optional<std::string> StructuredOutput::complaint(std::string_view input) const {
  const auto value = json::parse(input, "the answer");
  if (!value)
    return fmt::format("Output does not match required schema: {}", value.error().message);
  const auto violations = schema_.validate(*value);
  if (violations.empty()) return std::nullopt;
  std::string text = "Output does not match required schema: ";
  for (const auto& violation : violations) {
    if (&violation != &violations.front()) text += ", ";
    text += fmt::format("{}: {}", violation.pointer.empty() ? "root" : violation.pointer,
                        violation.message);
  }
  return text;
}

}  // namespace ralph::session
