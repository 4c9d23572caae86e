#pragma once
// Private to the .cpp files of this module: reading simdjson documents without ceremony.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <simdjson.h>

namespace ralph::stream {

/// A JSON value that may be missing or of another type than hoped for: every question has a plain
/// answer.
class View {
 public:
  static constexpr std::int64_t kLargest = 10'000'000'000'000;

  View() = default;
  explicit View(simdjson::dom::element element) : element_(element), there_(true) {}

  explicit operator bool() const { return there_; }

  View operator[](std::string_view key) const {
    simdjson::dom::object object;
    if (!there_ || element_.get(object) != simdjson::SUCCESS) return {};
    simdjson::dom::element value;
    return object.at_key(key).get(value) == simdjson::SUCCESS ? View(value) : View();
  }
  std::string_view text() const {
    std::string_view value;
    return there_ && element_.get(value) == simdjson::SUCCESS ? value : std::string_view();
  }
  bool is_text() const { return there_ && element_.is_string(); }
  bool is_null() const { return !there_ || element_.is_null(); }
  bool truth() const { return maybe_truth().value_or(false); }
  std::optional<bool> maybe_truth() const {
    bool value = false;
    if (!there_ || element_.get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }
  std::int64_t integer() const { return maybe_integer().value_or(0); }
  /// Within ±kLargest, so that what agents report can be added up without care.
  std::optional<std::int64_t> maybe_integer() const {
    std::int64_t value = 0;
    if (there_ && element_.get(value) == simdjson::SUCCESS) {
      return std::clamp(value, -kLargest, kLargest);
    }
    const auto real = maybe_real();
    if (!real) return std::nullopt;
    constexpr auto kLimit = static_cast<double>(kLargest);
    return static_cast<std::int64_t>(std::clamp(*real, -kLimit, kLimit));
  }
  std::optional<double> maybe_real() const {
    double value = 0;
    if (!there_ || element_.get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }
  /// Calls visit(View) for each element; nothing when it is not an array.
  template <typename Visit>
  void each(Visit visit) const {
    simdjson::dom::array array;
    if (!there_ || element_.get(array) != simdjson::SUCCESS) return;
    for (const auto element : array) visit(View(element));
  }
  /// Calls visit(key, View) for each member; nothing when it is not an object.
  template <typename Visit>
  void each_member(Visit visit) const {
    simdjson::dom::object object;
    if (!there_ || element_.get(object) != simdjson::SUCCESS) return;
    for (const auto& [key, value] : object) visit(key, View(value));
  }
  bool is_array() const { return there_ && element_.is_array(); }
  bool is_object() const { return there_ && element_.is_object(); }

 private:
  simdjson::dom::element element_;
  bool there_ = false;
};

}  // namespace ralph::stream
