#include <algorithm>

#include "core/json/repair.h"
#include "harness/stream/dom_parser_impl.h"
#include "harness/stream/line_splitter.h"

namespace ralph::stream {
namespace {

constexpr std::size_t kSmallestSpare = std::size_t{64} << 10;
constexpr std::size_t kLargestKept = std::size_t{4} << 20;

static_assert(LineSplitter::kPadding >= simdjson::SIMDJSON_PADDING);

std::string padded(std::string text) {
  text.reserve(text.size() + LineSplitter::kPadding);
  return text;
}

}  // namespace

DomParser::DomParser() : parser_(std::make_unique<simdjson::dom::parser>()) {}

View DomParser::parse(std::string_view& line) {
  if (parser_->capacity() > kLargestKept && line.size() < kLargestKept) {
    parser_ = std::make_unique<simdjson::dom::parser>();
    repaired_ = widened_ = {};
  }
  simdjson::dom::element root;
  if (read(line, root)) return View(root);
  if (auto mended = json::repair(line)) {
    repaired_ = padded(std::move(*mended));
    line = repaired_;
    if (read(line, root)) return View(root);
  }
  if (error_ != simdjson::NUMBER_ERROR) return {};
  // The line stays as it is: only our reading of its numbers is less exact.
  widened_ = padded(json::long_integers_as_doubles(line));
  return read(widened_, root) ? View(root) : View();
}

/// With room to spare, so that slowly growing lines do not reallocate each time.
bool DomParser::read(std::string_view text, simdjson::dom::element& root) {
  if (parser_->capacity() < text.size()) {
    const auto capacity = text.size() + std::max(kSmallestSpare, text.size() / 4);
    error_ = parser_->allocate(capacity);
    if (!error_) error_ = parser_->doc.allocate(capacity);
    if (error_) return false;
  }
  error_ = parser_->parse(text.data(), text.size(), false).get(root);
  return !error_;
}

}  // namespace ralph::stream
