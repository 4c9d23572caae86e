#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/schema/schema.h"

namespace ralph::session {

/// The tool that implements --json-schema: its input is the answer.
class StructuredOutput {
 public:
  static constexpr std::string_view kName = "StructuredOutput";
  static constexpr int kMaxFailures = 5;  // MAX_STRUCTURED_OUTPUT_RETRIES

  /// The error is the line that Claude Code would print.
  static Result<StructuredOutput> make(std::string_view schema);

  /// The tool in the form of the API.
  const std::string& definition() const { return definition_; }
  /// What is wrong with an answer, as text for the model; nullopt: valid.
  std::optional<std::string> complaint(std::string_view input) const;

 private:
  StructuredOutput(schema::Schema schema, std::string definition);

  schema::Schema schema_;
  std::string definition_;
};

}  // namespace ralph::session
