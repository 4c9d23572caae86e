#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// ralph-image: reads a picture, writes a smaller one. Errors are exceptions here, because the C codecs call back into
/// this code; they are thrown only where no C frame is in between.
namespace ralph::scaler {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file is damaged.
struct Damaged : Failure {
  using Failure::Failure;
};

struct Size {
  unsigned width = 0;
  unsigned height = 0;
  bool operator==(const Size&) const = default;
};

/// The largest pictures: decoding takes seconds at most; an interlaced picture is held in memory.
inline constexpr std::uint64_t kMostPixels = 150'000'000;
inline constexpr std::uint64_t kMostInterlaced = 40'000'000;

/// The largest size of the same shape whose edges and number of 28-pixel patches are within the limits.
Size fitting(Size size, unsigned edge, unsigned patches);

struct Pixels {
  Size size;
  unsigned channels = 3;  // 3: RGB, 4: with alpha
  std::vector<std::uint8_t> bytes;
};

/// Averages the rows of a decoder into a smaller picture, or copies them if the size is the same.
class Shrinker {
 public:
  Shrinker(Size from, Size to, unsigned channels);
  /// The next row of the source: from.width * channels bytes.
  void add(const std::uint8_t* row);
  Pixels finish();

 private:
  void flush();

  Size from_;
  Size to_;
  unsigned channels_;
  unsigned source_row_ = 0;
  unsigned target_row_ = 0;
  std::vector<std::uint64_t> sums_;
  std::uint64_t rows_ = 0;  // in sums_
  Pixels pixels_;
};

Size png_size(std::string_view file);
Size jpeg_size(std::string_view file);
Pixels read_png(std::string_view file, Size target);
Pixels read_jpeg(std::string_view file, Size target);
std::string write_png(const Pixels& pixels);
/// Transparent pixels are blended with white.
std::string write_jpeg(const Pixels& pixels, int quality);

/// From here on the process can only compute, read stdin and write stdout and stderr; any other system call kills it.
void confine();

}  // namespace ralph::scaler
