#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/file_state.h"
#include "agent/tool/input.h"
#include "agent/tool/line_diff.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/text_encoding.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWriteDescription =
    "Writes a file with exactly the given content: creates it, with missing directories, or "
    "replaces its whole content, in the encoding of its byte order mark. Links, binary files "
    "and text that is not UTF-8 are refused. To change a part of a file use Edit.";

constexpr std::string_view kWriteSchema = R"({"type":"object","properties":{
"file_path":{"type":"string","description":"The file to write"},
"content":{"type":"string","description":"The new content of the file"}},
"required":["file_path","content"],"additionalProperties":false})";

Outcome created(const std::string& path, const std::string& content) {
  return success(fmt::format("File created successfully at: {}{}", path, kStateIsCurrent),
                 {{"type", "create"},
                  {"filePath", path},
                  {"content", content},
                  {"structuredPatch", json::Document::array()},
                  {"originalFile", nullptr},
                  {"userModified", false}});
}

/// `before`: nullopt if it is too large to show.
Outcome updated(const std::string& path, const std::string& content,
                const std::optional<std::string>& before) {
  auto patch = json::Document::array();
  json::Document original;
  if (before) {
    const auto text = shown_text(*before);
    patch = structured_patch(text, shown_text(content));
    original = text;
  }
  return success(fmt::format("The file {} has been updated successfully.{}", path, kStateIsCurrent),
                 {{"type", "update"},
                  {"filePath", path},
                  {"content", content},
                  {"structuredPatch", std::move(patch)},
                  {"originalFile", std::move(original)},
                  {"userModified", false}});
}

struct Previous {
  std::optional<FileStamp> stamp;    // nullopt: there was no file
  std::optional<std::string> bytes;  // nullopt: too large to show
};

/// The file that is replaced, or the refusal to replace it.
std::expected<Previous, Outcome> read_previous(const fs::path& path, const Workspace& workspace) {
  const auto file = open_for_reading(path);
  if (!file) return std::unexpected(failure(file.error()));
  if (auto refusal = refuse_unread(path, file->stamp, workspace))
    return std::unexpected(*std::move(refusal));
  auto old = read_whole(*file, kMaxChangedFile, path);
  if (!old && old.error().code != Code::limit) return std::unexpected(failure(old.error()));
  std::string piece;
  const auto head = old ? Result<std::string_view>(*old) : read_piece(*file, piece, path);
  if (!head) return std::unexpected(failure(head.error()));
  if (const auto why = unsupported_encoding(*head, old.has_value()))
    return std::unexpected(failure(*why));
  return Previous{file->stamp, old ? std::optional(*std::move(old)) : std::nullopt};
}

class Write final : public Tool {
 public:
  std::string_view name() const override { return "Write"; }
  std::string_view description() const override { return kWriteDescription; }
  std::string_view schema() const override { return kWriteSchema; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::write, path_of(input, "file_path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token&) const override {
    const auto shown_path = json::text(input, "file_path");
    const auto& path = access.path;
    const auto content = json::text(input, "content");
    if (auto refusal = refuse_link(shown_path, path, workspace)) return *std::move(refusal);
    const auto kind = kind_of(path);
    if (kind == FileKind::folder) {
      return misuse(
          fmt::format("{} is a directory, not a file. To create a file inside it, "
                      "include the file name in file_path.",
                      shown_path));
    }
    auto previous = kind == FileKind::missing ? Previous{} : read_previous(path, workspace);
    if (!previous) return std::move(previous).error();
    const auto& [stamp, before] = *previous;
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
