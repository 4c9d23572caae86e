#pragma once
// Private to the .cpp files of this module: from a line to a simdjson document, tolerantly.
#include <memory>
#include <string>
#include <string_view>

#include "harness/stream/dom_impl.h"

namespace ralph::stream {

/// A parser for one line after the other. Gives memory back after a huge one.
class DomParser {
 public:
  DomParser();

  /// `line` has LineSplitter::kPadding readable bytes behind it. What can be repaired is; `line` is then the
  /// repaired text. A View that is not there: no JSON. Everything is good until the next call.
  View parse(std::string_view& line);

 private:
  bool read(std::string_view padded, simdjson::dom::element& root);

  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::error_code error_ = simdjson::SUCCESS;
  std::string repaired_, widened_;
};

}  // namespace ralph::stream
