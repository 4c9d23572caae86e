#include <csetjmp>
#include <cstring>

#include <png.h>

#include "agent/tool/scaler/scaler.h"

namespace ralph::scaler {
namespace {

/// The state of libpng while reading; outside the frames that longjmp leaves.
struct Reader {
  std::string_view rest;
  std::string problem;
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct Writer {
  std::string out;
  png_structp png = nullptr;
  png_infop info = nullptr;

  ~Writer() { png_destroy_write_struct(&png, &info); }
};

void fail_reading(png_structp png, png_const_charp text) {
  static_cast<Reader*>(png_get_error_ptr(png))->problem = text;
  png_longjmp(png, 1);
}
void fail_writing(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void ignore(png_structp, png_const_charp) {}

void take_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& reader = *static_cast<Reader*>(png_get_io_ptr(png));
  if (count > reader.rest.size()) png_error(png, "the file is cut off");
  std::memcpy(to, reader.rest.data(), count);
  reader.rest.remove_prefix(count);
}
void give_bytes(png_structp png, png_bytep from, std::size_t count) {
  static_cast<Writer*>(png_get_io_ptr(png))->out.append(reinterpret_cast<const char*>(from), count);
}

void open_reader(Reader& reader, std::string_view file) {
  reader.rest = file;
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, fail_reading, ignore);
  if (reader.png) reader.info = png_create_info_struct(reader.png);
  if (!reader.info) throw Failure("not enough memory");
  png_set_read_fn(reader.png, &reader, take_bytes);
  png_set_user_limits(reader.png, 1'000'000, 1'000'000);
  png_set_chunk_malloc_max(reader.png, 8 << 20);
  png_set_chunk_cache_max(reader.png, 100);
}

/// Converts to 8-bit RGB, with alpha if there is any. False: libpng reported an error.
bool read_header(Reader& reader) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_info(reader.png, reader.info);
  return true;
}

bool start_rows(Reader& reader, int& passes) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_set_expand(reader.png);
  png_set_scale_16(reader.png);
  png_set_gray_to_rgb(reader.png);
  passes = png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

bool read_row(Reader& reader, std::uint8_t* row) {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_row(reader.png, row, nullptr);
  return true;
}

[[noreturn]] void give_up(const Reader& reader) {
  throw Damaged("the picture cannot be decoded: " + reader.problem);
}

bool write_all(Writer& writer, const Pixels& pixels) {
  if (setjmp(png_jmpbuf(writer.png))) return false;
  png_set_write_fn(writer.png, &writer, give_bytes, nullptr);
  png_set_IHDR(writer.png, writer.info, pixels.size.width, pixels.size.height, 8,
               pixels.channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  const auto stride = std::size_t{pixels.size.width} * pixels.channels;
  for (unsigned y = 0; y < pixels.size.height; ++y) {
    png_write_row(writer.png, pixels.bytes.data() + y * stride);
  }
  png_write_end(writer.png, nullptr);
  return true;
}

}  // namespace

Size png_size(std::string_view file) {
  Reader reader;
  open_reader(reader, file);
  if (!read_header(reader)) give_up(reader);
  return {png_get_image_width(reader.png, reader.info),
          png_get_image_height(reader.png, reader.info)};
}

Pixels read_png(std::string_view file, Size target) {
  Reader reader;
  int passes = 1;
  open_reader(reader, file);
  if (!read_header(reader) || !start_rows(reader, passes)) give_up(reader);
  const Size size{png_get_image_width(reader.png, reader.info),
                  png_get_image_height(reader.png, reader.info)};
  const unsigned channels = png_get_channels(reader.png, reader.info);
  if (channels != 3 && channels != 4) throw Failure("the picture has an unknown form");
  const auto pixels = std::uint64_t{size.width} * size.height;
  if (passes > 1 && pixels > kMostInterlaced) throw Failure("the interlaced picture is too large");
  const auto stride = std::size_t{size.width} * channels;
  std::vector<std::uint8_t> rows(passes > 1 ? stride * size.height : stride);
  Shrinker shrinker(size, target, channels);
  for (int pass = 0; pass < passes; ++pass) {
    for (unsigned y = 0; y < size.height; ++y) {
      auto* const row = rows.data() + (passes > 1 ? y * stride : 0);
      if (!read_row(reader, row)) give_up(reader);
      if (pass == passes - 1) shrinker.add(row);
    }
  }
  return shrinker.finish();
}

std::string write_png(const Pixels& pixels) {
  Writer writer;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, fail_writing, ignore);
  if (writer.png) writer.info = png_create_info_struct(writer.png);
  if (!writer.info || !write_all(writer, pixels)) throw Failure("cannot write a PNG file");
  return std::move(writer.out);
}

}  // namespace ralph::scaler
