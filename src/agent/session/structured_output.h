#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/schema/schema.h"

namespace ralph::session {

/// The answer in the form of --json-schema: a tool whose input is the answer.
class StructuredOutput {
 public:
  static constexpr std::string_view kName = "StructuredOutput";
  static constexpr int kMaxFailures = 5;  // MAX_STRUCTURED_OUTPUT_RETRIES

  /// The schema's text; the error is the one line Claude Code would exit with.
  static Result<StructuredOutput> make(std::string_view schema);

  /// The tool as the API gets it.
  const std::string& definition() const { return definition_; }
  /// What is wrong with an answer, in the words the model gets; nullopt: it is good.
  std::optional<std::string> complaint(std::string_view input) const;

 private:
  StructuredOutput(schema::Schema schema, std::string definition);

  schema::Schema schema_;
  std::string definition_;
};

}  // namespace ralph::session
