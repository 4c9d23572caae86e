#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/file_state.h"
#include "agent/tool/input.h"
#include "agent/tool/line_diff.h"
#include "agent/tool/replace.h"
#include "agent/tool/safe_file.h"
#include "agent/tool/text_encoding.h"
#include "agent/tool/typographic_quotes.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kQuotedCharacters = 2000;

constexpr std::string_view kEditDescription =
    "Replaces old_string by new_string in a file. old_string must be the file's text exactly, "
    "blanks and indentation included, without the line numbers Read shows, and must occur once; "
    "with replace_all every occurrence is replaced. An empty old_string creates a file that does "
    "not exist yet. Links and notebooks are refused.";

constexpr std::string_view kEditSchema = R"({"type":"object","properties":{
"file_path":{"type":"string","description":"The file to change"},
"old_string":{"type":"string","description":"The text to replace"},
"new_string":{"type":"string","description":"The text to put there, different from old_string"},
"replace_all":{"type":"boolean","default":false,"description":"Replace every occurrence"}},
"required":["file_path","old_string","new_string"],"additionalProperties":false})";

struct EditRequest {
  std::string shown_path;
  fs::path path;
  std::string old_string;
  std::string new_string;
  bool all = false;
};

/// The file before the change, and whether the model knew it.
struct Before {
  std::string bytes;  // UTF-16 converted to UTF-8, without its mark
  Encoding encoding = Encoding::utf8;
  bool known = true;
  bool stale = false;
  std::optional<FileStamp> stamp = {};  // nullopt: there was no file
};

std::string quoted(const EditRequest& request) {
  return fmt::format("\nString: {}", utf8::shortened(request.old_string, kQuotedCharacters));
}

Outcome not_found(const EditRequest& request, const Before& before) {
  auto text = "String to replace not found in file." + quoted(request);
  const auto near = nearest_lines(shown_text(before.bytes), request.old_string);
  if (!near.empty()) text += "\nThe nearest lines of the file:\n" + near;
  if (before.stale) text += "\nThe file changed on disk since it was read: read it again.";
  return misuse(text);
}

Outcome several(const EditRequest& request, std::size_t count) {
  return misuse(
      fmt::format("Found {} matches of the string to replace, but replace_all is false. To replace "
                  "all of them, set replace_all to true; to replace one, give more of the text "
                  "around it.{}",
                  count, quoted(request)));
}

Outcome too_large(const EditRequest& request, std::size_t count) {
  return misuse(fmt::format(
      "Replacing {} matches would make {} larger than {} MB, so nothing was changed. Replace fewer "
      "of them, or by a shorter text.",
      count, request.shown_path, kMaxChangedFile >> 20));
}

/// The replaced spans and their new text.
struct Change {
  std::vector<Span> spans;
  std::string new_text;
};

Outcome done(const EditRequest& request, const Before& before, std::string_view after,
             std::string_view old_text) {
  auto text =
      fmt::format("The file {} has been updated{}", request.shown_path,
                  request.all ? ". All occurrences were successfully replaced." : " successfully.");
  if (before.known && !before.stale) text += kStateIsCurrent;
  if (before.stale) {
    text +=
        " Note: the file had changed on disk since you last read it; other parts of it may "
        "differ from what you know.";
  }
  const auto original = shown_text(before.bytes);
  json::Document detail = {{"filePath", request.shown_path},
                           {"oldString", old_text},
                           {"newString", request.new_string},
                           {"originalFile", original},
                           {"structuredPatch", structured_patch(original, shown_text(after))},
                           {"userModified", false},
                           {"replaceAll", request.all}};
  if (!before.known) detail["contentNotInModelContext"] = true;
  return success(text, detail);
}

Outcome store(const EditRequest& request, const Before& before, std::string_view after,
              std::string_view old_text, Workspace& workspace) {
  const auto stored =
      is_utf16(before.encoding)
          ? replace_file(request.path, encoded(after, before.encoding), before.stamp)
          : replace_file(request.path, after, before.stamp);
  if (!stored) return failure(stored.error());
  if (before.known) workspace.remember(request.path, *stored);
  return done(request, before, after, old_text);
}

/// Exact occurrences; if there are none, those that differ only in typographic and straight quotes.
Change find_change(const EditRequest& request, std::string_view bytes) {
  Change change{occurrences(bytes, request.old_string), request.new_string};
  if (!change.spans.empty()) return change;
  change.spans = occurrences_by_quotes(bytes, request.old_string);
  if (change.spans.empty()) return change;
  const auto& first = change.spans.front();
  change.new_text =
      with_quotes_of(bytes.substr(first.begin, first.end - first.begin), request.new_string);
  return change;
}

/// False: some bytes are not valid UTF-16 and would be lost.
bool decode_utf16(Before& before) {
  before.encoding = encoding_of(before.bytes);
  if (!is_utf16(before.encoding)) return true;
  auto text = decoded(before.bytes, before.encoding);
  if (encoded(text, before.encoding) != before.bytes) return false;
  before.bytes = std::move(text);
  return true;
}

Outcome edit_existing(const EditRequest& request, Workspace& workspace) {
  const auto file = open_for_reading(request.path);
  if (!file) return failure(file.error());
  if (auto refusal = refuse_unread(request.path, file->stamp, workspace))
    return *std::move(refusal);
  auto bytes = read_whole(*file, kMaxChangedFile, request.path);
  if (!bytes) return failure(bytes.error());
  if (const auto why = unsupported_encoding(*bytes, true)) return misuse(*why);
  Before before{*std::move(bytes), Encoding::utf8, workspace.seen(request.path).has_value(),
                changed_since_seen(request.path, file->stamp, workspace), file->stamp};
  if (!decode_utf16(before)) {
    return misuse(
        "The file begins like UTF-16, but not all of it is valid: nothing was changed. Use a shell "
        "command.");
  }
  if (request.old_string.empty()) {
    if (!before.bytes.empty()) {
      return misuse("The file exists and is not empty: an empty old_string only creates files.");
    }
    return store(request, before, request.new_string, "", workspace);
  }
  const auto [spans, new_text] = find_change(request, before.bytes);
  if (spans.empty()) return not_found(request, before);
  if (spans.size() > 1 && !request.all) return several(request, spans.size());
  if (replaced_size(before.bytes, spans, new_text) > kMaxChangedFile) {
    return too_large(request, spans.size());
  }
  const auto old_text =
      shown_text(std::string_view(before.bytes)
                     .substr(spans.front().begin, spans.front().end - spans.front().begin));
  return store(request, before, replaced(before.bytes, spans, new_text), old_text, workspace);
}

Outcome edit(const EditRequest& request, Workspace& workspace) {
  if (request.old_string == request.new_string) {
    return misuse("No changes to make: old_string and new_string are exactly the same.");
  }
  if (request.path.extension() == ".ipynb") {
    return misuse(
        "The file is a Jupyter notebook, whose text Read shows in another form. Change it with "
        "NotebookEdit or with a shell command that understands JSON.");
  }
  switch (kind_of(request.path)) {
    case FileKind::folder:
      return misuse(fmt::format("{} is a directory, not a file.", request.shown_path));
    case FileKind::missing:
      if (!request.old_string.empty()) return misuse(missing_file(request.path, workspace));
      return store(request, {}, request.new_string, "", workspace);
    default: return edit_existing(request, workspace);
  }
}

class Edit final : public Tool {
 public:
  std::string_view name() const override { return "Edit"; }
  std::string_view description() const override { return kEditDescription; }
  std::string_view schema() const override { return kEditSchema; }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::write, path_of(input, "file_path", workspace), {}};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token&) const override {
    const auto shown_path = json::text(input, "file_path");
    if (auto refusal = refuse_link(shown_path, access.path, workspace)) return *std::move(refusal);
    return edit({shown_path, access.path, json::text(input, "old_string"),
                 json::text(input, "new_string"), flag_of(input, "replace_all")},
                workspace);
  }
};

}  // namespace

const Tool& edit_tool() {
  static const Edit tool;
  return tool;
}

}  // namespace ralph::tool
