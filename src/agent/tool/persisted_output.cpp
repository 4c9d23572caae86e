#include "agent/tool/persisted_output.h"

#include <fmt/format.h>

#include "agent/tool/safe_file.h"
#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

Result<std::filesystem::path> put_aside(std::string_view text, const Workspace& workspace) {
  const auto& folder = workspace.setup().output_folder;
  if (folder.empty()) return fail(Code::storage, "there is no directory for long output");
  auto path = folder / (random_hex(8) + ".txt");
  TRY_ASSIGN(const auto file, create_private_file(path));
  TRY(write_all(file.get(), text, path.string()));
  return path;
}

}  // namespace

std::string persisted_if_long(std::string text, std::size_t most, const Workspace& workspace) {
  if (text.size() <= most) return text;
  const auto path = put_aside(text, workspace);
  if (!path) {
    return fmt::format("{}\n[cut here: {} of {} bytes shown; {}]", utf8::prefix(text, most), most,
                       text.size(), path.error().message);
  }
  return fmt::format(
      "<persisted-output>\nOutput too large ({:.1f}KB). Full output saved to: {}\n\n"
      "Preview (first 2KB):\n{}\n...\n</persisted-output>",
      static_cast<double>(text.size()) / 1024, path->string(),
      whole_lines(utf8::prefix(text, kPreviewBytes)));
}

std::string_view whole_lines(std::string_view text) {
  const auto end = text.rfind('\n');
  return end != text.npos && end > text.size() / 2 ? text.substr(0, end) : text;
}

}  // namespace ralph::tool
