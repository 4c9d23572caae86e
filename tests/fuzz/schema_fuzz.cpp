// Whatever schema and value come (two texts, the first line is the schema): compiling gives a schema
// or an error with a text, checking ends, says the same twice, and stays within its limits; a pattern
// is refused or translated into one PCRE2 takes or refuses.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/json/document.h"
#include "core/schema/ecma_pattern.h"
#include "core/schema/schema.h"

namespace {

using namespace ralph;

constexpr std::uint64_t kWork = 20'000;

void require(bool promise) {
  if (!promise) std::abort();
}

class Budget final : public schema::MatchBudget {
 public:
  bool spend(std::uint64_t steps) override { return (spent_ += steps) < kWork; }

 private:
  std::uint64_t spent_ = 0;
};

void check_pattern(std::string_view pattern, std::string_view text) {
  const auto compiled = schema::EcmaPattern::compile(pattern);
  require(compiled || (!compiled.error().message.empty() && utf8::valid(compiled.error().message)));
  Budget budget;
  if (compiled) (void)compiled->search(text, 2'000, budget);
}

void check_schema(const json::Document& document, const json::Document& value) {
  schema::SchemaLimits limits;
  limits.work = kWork;
  limits.matching = 2'000;
  const auto schema = schema::Schema::compile(document, limits);
  if (!schema) {
    require(!schema.error().message.empty() && utf8::valid(schema.error().message));
    return;
  }
  for (const auto* const checked : {&value, &document}) {
    const auto violations = schema->validate(*checked);
    require(violations.size() <= limits.violations);
    for (const auto& [pointer, message, keyword, parameter] : violations) {
      require(!message.empty() && utf8::valid(message));
      require(pointer.empty() || pointer.starts_with('/'));
    }
    const bool valid = violations.empty();
    const auto too_complex = [](const auto& found) {
      return !found.empty() && found[0].message.find("too complex") != std::string::npos;
    };
    const auto again = schema->validate(*checked);
    require(again.empty() == valid || too_complex(violations) || too_complex(again));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = text.substr(0, text.find('\n'));
  const auto rest = text.substr(first.size());
  check_pattern(first, rest);
  const auto schema = json::parse(first);
  const auto value = json::parse(rest);
  if (schema) check_schema(*schema, value ? *value : *schema);
  return 0;
}
