#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace ralph::api {

/// Parses the data of events. Repairs invalid UTF-8 and lone surrogates. Results are valid until the next call.
class EventParser {
 public:
  /// nullopt: not a JSON object; see why().
  std::optional<simdjson::dom::object> parse(std::string_view data);
  /// What was parsed, on one line.
  std::string_view text() const { return text_; }
  std::string why() const { return simdjson::error_message(error_); }

 private:
  bool read(std::string_view data, simdjson::dom::object& object);

  simdjson::dom::parser parser_;
  simdjson::error_code error_ = simdjson::SUCCESS;
  std::string repaired_;
  std::string line_;
  std::string_view text_;
};

}  // namespace ralph::api
