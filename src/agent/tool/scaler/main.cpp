// ralph-image EDGE PATCHES BYTES <PICTURE: writes "TYPE WIDTH HEIGHT\n" and a picture within these limits to stdout; only
// the line if the picture is already within them (it is decoded in any case). On failure writes a line to stderr and
// exits with 1, or with 2 if the picture is damaged. Started by tool/image_scaler.cpp.
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>

#include <unistd.h>

#include "agent/tool/scaler/scaler.h"

namespace ralph::scaler {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;
constexpr int kDamaged = 2;
constexpr std::array kQualities{80, 60, 40, 25, 15, 8};

struct Limits {
  unsigned edge = 0;
  unsigned patches = 0;
  unsigned bytes = 0;
};

unsigned number(const char* text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != '\0' || value == 0) throw Failure("bad number in arguments");
  return value;
}

std::string read_input() {
  std::string bytes;
  std::array<char, 65536> piece{};
  for (;;) {
    const auto got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0) throw Failure("cannot read the picture");
    if (got == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
    if (bytes.size() > kLargestFile) throw Failure("the file is larger than 64 MB");
  }
}

void write_output(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto done = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (done <= 0) throw Failure("cannot write the picture");
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void answer(std::string_view type, Size size, const std::string& file) {
  write_output(std::string(type) + " " + std::to_string(size.width) + " " +
               std::to_string(size.height) + "\n");
  write_output(file);
}

Size checked(Size size) {
  const auto pixels = std::uint64_t{size.width} * size.height;
  if (pixels == 0 || pixels > kMostPixels) {
    throw Failure(std::to_string(size.width) + "x" + std::to_string(size.height) +
                  " pixels are more than can be decoded");
  }
  return size;
}

/// A PNG file stays PNG if it becomes small enough, because that is sharper.
void scale(const Limits& limits) {
  const auto file = read_input();
  const bool png = file.starts_with("\x89PNG");
  if (!png && !file.starts_with("\xFF\xD8\xFF"))
    throw Failure("only PNG and JPEG files are scaled");
  const auto size = checked(png ? png_size(file) : jpeg_size(file));
  const auto target = fitting(size, limits.edge, limits.patches);
  const auto pixels = png ? read_png(file, target) : read_jpeg(file, target);
  if (size == target && file.size() <= limits.bytes) {
    return answer(png ? "image/png" : "image/jpeg", size, {});
  }
  if (png) {
    if (const auto out = write_png(pixels); out.size() <= limits.bytes) {
      return answer("image/png", target, out);
    }
  }
  for (const auto quality : kQualities) {
    const auto out = write_jpeg(pixels, quality);
    if (out.size() <= limits.bytes) return answer("image/jpeg", target, out);
  }
  throw Failure("the picture has too much detail for " + std::to_string(limits.bytes) + " bytes");
}

int run(int count, char** words) {
  try {
    if (count != 4) throw Failure("usage: ralph-image EDGE PATCHES BYTES <PICTURE");
    const Limits limits{number(words[1]), number(words[2]), number(words[3])};
    confine();
    scale(limits);
    return 0;
  } catch (const std::bad_alloc&) {
    std::fputs("the picture needs too much memory\n", stderr);
  } catch (const Damaged& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kDamaged;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}

}  // namespace
}  // namespace ralph::scaler

int main(int count, char** words) { return ralph::scaler::run(count, words); }
