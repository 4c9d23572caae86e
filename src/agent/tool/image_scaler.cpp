#include "agent/tool/image_scaler.h"

#include <array>
#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/text.h"
#include "system/process/supervise.h"

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

struct ScalerOutput {
  std::string answer;
  std::string complaint;
  process::Exit exit;
};

ScalerOutput run_scaler(process::Child child, const std::stop_token& stop) {
  ScalerOutput output;
  process::Sinks sinks;
  sinks.out = [&](std::string_view piece) -> Result<> {
    if (piece.size() > kMostAnswer - output.answer.size())
      return fail(Code::limit, "too much output");
    output.answer += piece;
    return {};
  };
  sinks.err = [&](std::string_view piece) -> Result<> {
    output.complaint += piece.substr(0, kMostComplaint - output.complaint.size());
    return {};
  };
  process::RunHandle watch;
  watch.arm(process::Limit::wall, kLongest);
  output.exit = process::supervise(std::move(child), sinks, watch, stop);
  output.complaint = trim_end(output.complaint, "\n");
  return output;
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
  TRY_ASSIGN(auto child, process::start(std::move(command)));
  const auto [answer, complaint, exit] = run_scaler(std::move(child), stop);
  if (exit.ended_by == process::EndedBy::wall) {
    return fail(Code::limit, "the picture takes too long to decode");
  }
  if (exit.ended_by != process::EndedBy::nothing) return fail(Code::unavailable, "stopped");
  if (exit.exit_code != 0) {
    return fail(exit.exit_code == kDamaged ? Code::malformed : Code::unavailable,
                complaint.empty() ? fmt::format("{} failed", kProgram) : complaint);
  }
  return parse_answer(answer);
}

}  // namespace ralph::tool
