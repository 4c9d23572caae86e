#include "agent/api/event_parser_impl.h"
#include "core/json/document.h"
#include "core/json/repair.h"

namespace ralph::api {

bool EventParser::read(std::string_view data, simdjson::dom::object& object) {
  text_ = data;
  if (data.size() + 1 > parser_.capacity()) {
    error_ = parser_.allocate(2 * data.size() + 1, json::kMaxDepth + 1);
    if (error_ != simdjson::SUCCESS) return false;
  }
  error_ = parser_.parse(data.data(), data.size()).get_object().get(object);
  return error_ == simdjson::SUCCESS;
}

std::optional<simdjson::dom::object> EventParser::parse(std::string_view data) {
  simdjson::dom::object object;
  if (!read(data, object)) {
    auto repaired = json::repair(data);
    if (repaired) {
      repaired_ = *std::move(repaired);
      read(repaired_, object);
    }
    if (error_ == simdjson::NUMBER_ERROR) {
      repaired_ = json::long_integers_as_doubles(text_);
      read(repaired_, object);
    }
    if (error_ != simdjson::SUCCESS) return std::nullopt;
  }
  if (text_.find('\n') != text_.npos || text_.find('\r') != text_.npos) {
    line_.resize(text_.size());
    std::size_t size = 0;
    if (simdjson::minify(text_.data(), text_.size(), line_.data(), size) == simdjson::SUCCESS) {
      line_.resize(size);
      text_ = line_;
    }
  }
  return object;
}

}  // namespace ralph::api
