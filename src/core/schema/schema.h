#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::schema {

using json::Document;

/// One thing that is wrong with a value: where, as a JSON pointer ("" is the top), and what.
struct Violation {
  std::string pointer;    // "/summary"
  std::string message;    // "must be string"
  std::string keyword;    // the violated keyword: "type"; empty: the check was aborted
  std::string parameter;  // that is missing ("required"), or the first forbidden one

  bool operator==(const Violation&) const = default;
};

/// Limits for hostile schemas and values; exceeding one is an error or a violation.
struct SchemaLimits {
  std::size_t depth = json::kMaxDepth;  // levels of a schema's or value's text
  std::size_t nesting = 2'600;          // schemas inside of schemas while a value is checked
  std::size_t violations = 10;          // reported
  std::uint64_t work = 50'000'000;      // steps of one validation: some seconds
  std::uint32_t matching = 5'000'000;   // attempts of one pattern at one place of a text
};

struct SchemaProgram;

/// A compiled JSON Schema: draft 7 or 2020-12 (by $schema; 2020-12 without), immutable, usable from
/// many threads. Formats are annotations: they are not checked.
class Schema {
 public:
  /// Fails if the document is not a schema and names the place. Remote references are errors; nothing is fetched. The
  /// metaschemas of both drafts are built in.
  static Result<Schema> compile(const Document& schema, const SchemaLimits& limits = {});

  /// Empty: valid. At most a few violations are reported, in the words of ajv.
  std::vector<Violation> validate(const Document& value) const;

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

 private:
  explicit Schema(std::unique_ptr<const SchemaProgram> program);

  std::unique_ptr<const SchemaProgram> program_;
};

}  // namespace ralph::schema
