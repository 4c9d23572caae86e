#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jerror.h>
#include <jpeglib.h>

#include "agent/tool/scaler/scaler.h"

namespace ralph::scaler {
namespace {

struct ErrorManager {
  jpeg_error_mgr base;  // must be first: libjpeg uses only this part
  std::jmp_buf jump;
  char problem[JMSG_LENGTH_MAX] = {};
};

void give_up(j_common_ptr info) {
  auto* const manager = reinterpret_cast<ErrorManager*>(info->err);
  info->err->format_message(info, manager->problem);
  std::longjmp(manager->jump, 1);
}
void ignore(j_common_ptr, int) {}

void set_up(ErrorManager& manager) {
  jpeg_std_error(&manager.base);
  manager.base.error_exit = give_up;
  manager.base.emit_message = ignore;
}

struct Reader {
  jpeg_decompress_struct info = {};
  ErrorManager errors;

  Reader() {
    set_up(errors);
    info.err = &errors.base;
    jpeg_create_decompress(&info);
  }
  ~Reader() { jpeg_destroy_decompress(&info); }
};

struct Writer {
  jpeg_compress_struct info = {};
  ErrorManager errors;
  unsigned char* out = nullptr;
  unsigned long size = 0;

  Writer() {
    set_up(errors);
    info.err = &errors.base;
    jpeg_create_compress(&info);
  }
  ~Writer() {
    jpeg_destroy_compress(&info);
    std::free(out);
  }
};

bool read_header(Reader& reader, std::string_view file) {
  if (setjmp(reader.errors.jump)) return false;
  jpeg_mem_src(&reader.info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&reader.info, TRUE);
  return true;
}

/// The decoder itself can scale to an eighth, a quarter or half of the size at no cost.
bool start_rows(Reader& reader, Size target) {
  if (setjmp(reader.errors.jump)) return false;
  auto& info = reader.info;
  info.scale_num = 1;
  info.scale_denom = 1;
  while (info.scale_denom < 8 && info.image_width / (info.scale_denom * 2) >= target.width &&
         info.image_height / (info.scale_denom * 2) >= target.height) {
    info.scale_denom *= 2;
  }
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  return true;
}

bool read_row(Reader& reader, std::uint8_t* row) {
  if (setjmp(reader.errors.jump)) return false;
  JSAMPROW rows[] = {row};
  return jpeg_read_scanlines(&reader.info, rows, 1) == 1;
}

/// Valid pictures that this decoder does not support, such as CMYK.
bool is_unsupported(int code) {
  return code == JERR_CONVERSION_NOTIMPL || code == JERR_ARITH_NOTIMPL ||
         code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED;
}

[[noreturn]] void fail(const ErrorManager& errors) {
  if (is_unsupported(errors.base.msg_code)) throw Failure(errors.problem);
  throw Damaged(std::string("the picture cannot be decoded: ") + errors.problem);
}

bool write_all(Writer& writer, Size size, const std::vector<std::uint8_t>& rgb, int quality) {
  if (setjmp(writer.errors.jump)) return false;
  auto& info = writer.info;
  jpeg_mem_dest(&info, &writer.out, &writer.size);
  info.image_width = size.width;
  info.image_height = size.height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW rows[] = {
        const_cast<JSAMPROW>(rgb.data() + std::size_t{info.next_scanline} * size.width * 3)};
    jpeg_write_scanlines(&info, rows, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

std::vector<std::uint8_t> over_white(const Pixels& pixels) {
  if (pixels.channels == 3) return pixels.bytes;
  std::vector<std::uint8_t> rgb;
  rgb.reserve(pixels.bytes.size() / 4 * 3);
  for (std::size_t at = 0; at + 4 <= pixels.bytes.size(); at += 4) {
    const unsigned alpha = pixels.bytes[at + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned value = pixels.bytes[at + c] * alpha + 255 * (255 - alpha);
      rgb.push_back(static_cast<std::uint8_t>(value / 255));
    }
  }
  return rgb;
}

}  // namespace

Size jpeg_size(std::string_view file) {
  Reader reader;
  if (!read_header(reader, file)) fail(reader.errors);
  return {reader.info.image_width, reader.info.image_height};
}

Pixels read_jpeg(std::string_view file, Size target) {
  Reader reader;
  if (!read_header(reader, file) || !start_rows(reader, target)) fail(reader.errors);
  const Size size{reader.info.output_width, reader.info.output_height};
  if (reader.info.output_components != 3) throw Failure("the picture has an unknown form");
  std::vector<std::uint8_t> row(std::size_t{size.width} * 3);
  Shrinker shrinker(size, target, 3);
  for (unsigned y = 0; y < size.height; ++y) {
    if (!read_row(reader, row.data())) fail(reader.errors);
    shrinker.add(row.data());
  }
  return shrinker.finish();
}

std::string write_jpeg(const Pixels& pixels, int quality) {
  Writer writer;
  const auto rgb = over_white(pixels);
  if (!write_all(writer, pixels.size, rgb, quality)) throw Failure("cannot write a JPEG file");
  return {reinterpret_cast<const char*>(writer.out), writer.size};
}

}  // namespace ralph::scaler
