#include "agent/tool/image_scaler.h"

#include <array>
#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "system/process/capture.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgram = "ralph-image";
constexpr Millis kLongest{20'000};
constexpr std::size_t kMostAnswer = 8 << 20;
constexpr std::size_t kMostComplaint = 300;

constexpr int kDamaged = 2;  // ralph-image's exit code

/// "TYPE WIDTH HEIGHT\n", then the new file if there is one.
Result<ScaledImage> parse_answer(std::string_view answer) {
  ScaledImage image;
  const auto line = answer.substr(0, answer.find('\n'));
  const auto first = line.find(' ');
  const auto second = line.find(' ', first + 1);
  if (second != std::string_view::npos) {
    const auto number = [&](std::size_t from, unsigned& value) {
      std::from_chars(line.data() + from, line.data() + line.size(), value);
    };
    image.media_type = line.substr(0, first);
    number(first + 1, image.width);
    number(second + 1, image.height);
    image.bytes = answer.substr(std::min(answer.size(), line.size() + 1));
  }
  if (image.width == 0 || image.height == 0) {
    return fail(Code::internal, fmt::format("unexpected output of {}", kProgram));
  }
  return image;
}

}  // namespace

fs::path find_image_scaler() {
  std::error_code error;
  const auto folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error || !folder.is_absolute()) return {};  // never from the current directory
  for (const auto& path : {folder / kProgram, folder.parent_path() / "libexec/ralph" / kProgram}) {
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

Result<ScaledImage> scale_image(const fs::path& scaler, std::string bytes,
                                const ImageLimits& limits, const std::stop_token& stop) {
  if (scaler.empty()) {
    return fail(Code::unavailable, fmt::format("{} is not installed", kProgram),
                "install it beside ralph or in ../libexec/ralph");
  }
  process::Command command;
  command.argv = {scaler.string(), std::to_string(limits.edge), std::to_string(limits.patches),
                  std::to_string(limits.bytes)};
  command.cwd = "/";
  command.input = process::StdinText{std::move(bytes)};
  TRY_ASSIGN(const auto scaled,
             process::capture(command, {.wall = kLongest, .bytes = kMostAnswer}, stop));
  if (scaled.exit.ended_by == process::EndedBy::wall) {
    return fail(Code::limit, "the picture takes too long to decode");
  }
  if (scaled.exit.ended_by != process::EndedBy::nothing) return fail(Code::unavailable, "stopped");
  if (!scaled.ok()) {
    const auto complaint = trim_end(utf8::prefix(scaled.err, kMostComplaint), "\n");
    return fail(scaled.exit.exit_code == kDamaged ? Code::malformed : Code::unavailable,
                complaint.empty() ? fmt::format("{} failed", kProgram) : std::string(complaint));
  }
  if (scaled.cut) return fail(Code::limit, fmt::format("{} printed too much", kProgram));
  return parse_answer(scaled.out);
}

}  // namespace ralph::tool
