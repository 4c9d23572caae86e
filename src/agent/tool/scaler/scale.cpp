#include <algorithm>

#include "agent/tool/image.h"
#include "agent/tool/scaler/scaler.h"

namespace ralph::scaler {
Size fitting(Size size, unsigned edge, unsigned patches) {
  const auto longest = std::max(size.width, size.height);
  const auto scaled = [&](unsigned to) {
    const auto of = [&](unsigned pixels) {
      return static_cast<unsigned>(
          std::max<std::uint64_t>(1, std::uint64_t{pixels} * to / longest));
    };
    return Size{of(size.width), of(size.height)};
  };
  const auto too_many = [&](Size to) { return tool::patches_of(to.width, to.height) > patches; };
  unsigned to = std::min(longest, edge);
  while (to > 1 && too_many(scaled(to))) --to;
  return scaled(to);
}

Shrinker::Shrinker(Size from, Size to, unsigned channels)
    : from_(from),
      to_(to),
      channels_(channels),
      sums_(std::size_t{to.width} * channels),
      pixels_{to, channels, {}} {
  pixels_.bytes.reserve(std::size_t{to.width} * to.height * channels);
}

/// Rows are assigned by scaling their number; each target row gets at least one, because pictures only shrink.
void Shrinker::add(const std::uint8_t* row) {
  const auto target =
      static_cast<unsigned>(std::uint64_t{source_row_++} * to_.height / from_.height);
  if (target != target_row_) flush();
  target_row_ = target;
  ++rows_;
  for (unsigned x = 0; x < to_.width; ++x) {
    const auto begin = std::uint64_t{x} * from_.width / to_.width;
    const auto end = std::max(begin + 1, (std::uint64_t{x} + 1) * from_.width / to_.width);
    for (unsigned c = 0; c < channels_; ++c) {
      std::uint64_t sum = 0;
      for (auto at = begin; at < end; ++at) sum += row[at * channels_ + c];
      sums_[std::size_t{x} * channels_ + c] += sum * 256 / (end - begin);
    }
  }
}

void Shrinker::flush() {
  if (rows_ == 0) return;
  for (auto& sum : sums_) {
    pixels_.bytes.push_back(static_cast<std::uint8_t>(
        (sum / rows_ + 128) / 256 > 255 ? 255 : (sum / rows_ + 128) / 256));
    sum = 0;
  }
  rows_ = 0;
}

Pixels Shrinker::finish() {
  flush();
  const auto whole = std::size_t{to_.width} * to_.height * channels_;
  if (pixels_.bytes.size() != whole) throw Failure("the picture is not complete");
  return std::move(pixels_);
}

}  // namespace ralph::scaler
