#include "agent/tool/write.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/file_state.h"
#include "agent/tool/input.h"
#include "agent/tool/line_diff.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/text_encoding.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDescription =
    "Makes a file hold exactly the given content: creates it, with the folders it needs, or "
    "replaces all that was in it, in the encoding its byte order mark names. Links, binary files "
    "and text that is not UTF-8 are refused. To change a part of a file use Edit.";

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"file_path":{"type":"string","description":"The file to write"},
"content":{"type":"string","description":"All that the file shall hold"}},
"required":["file_path","content"],"additionalProperties":false})";

constexpr std::string_view kCurrent =
    " (file state is current in your context — no need to Read it back)";

Outcome created(const std::string& path, const std::string& content) {
  return success(fmt::format("File created successfully at: {}{}", path, kCurrent),
                 {{"type", "create"},
                  {"filePath", path},
                  {"content", content},
                  {"structuredPatch", json::Document::array()},
                  {"originalFile", nullptr},
                  {"userModified", false}});
}

/// nullopt: what was there is too large to be shown.
Outcome updated(const std::string& path, const std::string& content,
                const std::optional<std::string>& before) {
  auto patch = json::Document::array();
  json::Document original;
  if (before) {
    const auto text = shown_text(*before);
    patch = structured_patch(text, shown_text(content));
    original = text;
  }
  return success(fmt::format("The file {} has been updated successfully.{}", path, kCurrent),
                 {{"type", "update"},
                  {"filePath", path},
                  {"content", content},
                  {"structuredPatch", std::move(patch)},
                  {"originalFile", std::move(original)},
                  {"userModified", false}});
}

class Write final : public Tool {
 public:
  std::string_view name() const override { return "Write"; }
  std::string_view description() const override { return kDescription; }
  std::string_view schema() const override { return kSchema; }
  bool changes_files() const override { return true; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::write, path_of(input, "file_path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token&) const override {
    const auto shown_path = text_of(input, "file_path");
    const auto& path = access.path;
    const auto content = text_of(input, "content");
    if (auto refusal = through_link(input, path, workspace)) return *std::move(refusal);
    const auto kind = kind_of(path);
    if (kind == FileKind::folder) {
      return misuse(
          fmt::format("{} is a directory, not a file. To create a file inside it, "
                      "include the file name in file_path.",
                      shown_path));
    }
    std::optional<std::string> before;
    std::optional<FileStamp> stamp;
    if (kind != FileKind::missing) {
      const auto file = open_for_reading(path);
      if (!file) return failure(file.error());
      stamp = file->stamp;
      if (auto refusal = unread(path, file->stamp, workspace)) return *std::move(refusal);
      auto old = read_whole(*file, kMaxChangedFile, path);
      if (!old && old.error().code != Code::limit) return failure(old.error());
      std::string piece;
      const auto head = old ? Result<std::string_view>(*old) : read_piece(*file, piece, path);
      if (!head) return failure(head.error());
      if (const auto why = foreign_bytes(*head, old.has_value())) return failure(*why);
      if (old) before = *std::move(old);
    }
    const auto encoding = before ? encoding_of(*before) : Encoding::utf8;
    const auto done =
        encoding == Encoding::utf8
            ? replace_file(path, content, stamp)
            : replace_file(path, encoded(decoded(content, encoding_of(content)), encoding), stamp);
    if (!done) return failure(done.error());
    workspace.remember(path, *done);
    return kind == FileKind::missing ? created(shown_path, content)
                                     : updated(shown_path, content, before);
  }
};

}  // namespace

const Tool& write_tool() {
  static const Write tool;
  return tool;
}

}  // namespace ralph::tool
