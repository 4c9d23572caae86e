#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/base64.h"
#include "agent/tool/image.h"
#include "agent/tool/notebook.h"
#include "agent/tool/read_impl.h"
#include "agent/tool/token_estimate.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

using json::Document;
using json::member;
using json::text;

constexpr std::size_t kMostOutput = 10'000;  // of one cell, pictures as base64

constexpr std::string_view kNotebookAlternative =
    "Use a shell command to see a part of it, such as jq '.cells[:20]' FILE where jq is installed.";

/// {image_data, media_type}; null: no picture that the API would accept.
Document image_in(const Document& data) {
  for (const auto* const type : {"image/png", "image/jpeg"}) {
    auto text = notebook_text(member(data, type));
    if (!text) continue;
    std::erase_if(*text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
    const auto bytes = base64_decoded(*text);
    const auto image = bytes ? image_of(*bytes, false) : std::nullopt;
    if (!image || image->media_type != type || !is_whole(*bytes)) continue;
    return {{"image_data", *std::move(text)}, {"media_type", type}};
  }
  return nullptr;
}

Document output_of(const Document& output) {
  const auto type = text(output, "output_type");
  Document shown = {{"output_type", type}};
  if (type == "stream") {
    shown["text"] = notebook_text(member(output, "text")).value_or("");
  } else if (type == "error") {
    shown["text"] = fmt::format("{}: {}\n{}", text(output, "ename"), text(output, "evalue"),
                                notebook_text(member(output, "traceback"), "\n").value_or(""));
  } else if (output.contains("data")) {
    const auto& data = member(output, "data");
    shown["text"] = notebook_text(member(data, "text/plain")).value_or("");
    if (auto image = image_in(data); !image.is_null()) shown["image"] = std::move(image);
  }
  return shown;
}

Document outputs_of(const Document& outputs, std::size_t index) {
  auto shown = Document::array();
  std::size_t size = 0;
  for (const auto& output : outputs) {
    shown.push_back(output_of(output));
    size += text(shown.back(), "text").size();
    size += text(member(shown.back(), "image"), "image_data").size();
  }
  if (size <= kMostOutput) return shown;
  return Document::array(
      {{{"output_type", "stream"},
        {"text", fmt::format("(The outputs of this cell, {} bytes, are too large to be shown. Use "
                             "a shell command, such as jq '.cells[{}].outputs' FILE where jq is "
                             "installed.)",
                             size, index)}}});
}

Document cell_of(const Document& cell, std::size_t index, const std::string& language) {
  const auto type = text(cell, "cell_type");
  Document shown = {{"cellType", type},
                    {"source", notebook_text(member(cell, "source")).value_or("")}};
  const auto& count = member(cell, "execution_count");
  if (count.is_number_integer()) shown["execution_count"] = count;
  const auto id = text(cell, "id");
  shown["cell_id"] = id.empty() ? fmt::format("cell-{}", index) : id;
  if (type != "code") return shown;
  shown["language"] = language;
  const auto& outputs = member(cell, "outputs");
  if (outputs.is_array() && !outputs.empty()) shown["outputs"] = outputs_of(outputs, index);
  return shown;
}

/// The content blocks of a result; consecutive texts are merged.
class Blocks {
 public:
  void text(const std::string& text) {
    if (!blocks_.empty() && blocks_.back()["type"] == "text") {
      blocks_.back()["text"].get_ref<std::string&>() += "\n" + text;
    } else {
      blocks_.push_back({{"type", "text"}, {"text", text}});
    }
    estimate_.add(text);
    size_ += text.size();
  }
  /// Counts as its base64 text, as in Claude Code: a notebook may have thousands of pictures.
  void image(const Document& image) {
    const auto& data = image["image_data"].get_ref<const std::string&>();
    estimate_.add(data);
    size_ += data.size();
    pictures_.bytes += static_cast<std::int64_t>(data.size());
    ++pictures_.items;
    blocks_.push_back(
        {{"type", "image"},
         {"source", {{"type", "base64"}, {"data", data}, {"media_type", image["media_type"]}}}});
  }
  const Document& all() const { return blocks_; }
  std::int64_t tokens() const { return estimate_.tokens(); }
  std::size_t size() const { return size_; }
  const Media& pictures() const { return pictures_; }

 private:
  Document blocks_ = Document::array();
  TokenEstimate estimate_;
  std::size_t size_ = 0;
  Media pictures_;
};

void add_cell(Blocks& blocks, const Document& cell) {
  const auto type = text(cell, "cellType");
  const auto id = text(cell, "cell_id");
  const auto language = text(cell, "language");
  std::string about;
  if (type != "code") about = fmt::format("<cell_type>{}</cell_type>", type);
  if (type == "code" && language != "python")
    about = fmt::format("<language>{}</language>", language);
  blocks.text(
      fmt::format("<cell id=\"{0}\">{1}{2}</cell id=\"{0}\">", id, about, text(cell, "source")));
  for (const auto& output : member(cell, "outputs")) {
    if (const auto printed = text(output, "text"); !printed.empty()) blocks.text("\n" + printed);
    if (const auto& image = member(output, "image"); !image.is_null()) blocks.image(image);
  }
}

Outcome show_notebook(const ReadRequest& request, const Blocks& blocks, Document cells,
                      Workspace& workspace) {
  const auto cap = read_token_cap(workspace);
  if (blocks.size() > kUsualReadBytes || blocks.tokens() > cap) {
    return failure(
        fmt::format("The notebook ({}, {} tokens estimated) is larger than the 256 KB "
                    "and {} tokens that can be shown. {}",
                    in_kilobytes(blocks.size()), blocks.tokens(), cap, kNotebookAlternative));
  }
  if (!workspace.reserve_media_room(blocks.pictures())) {
    const auto what = fmt::format("The notebook ({} pictures)", blocks.pictures().items);
    return failure(fmt::format("{} {}", no_media_room(what), kNotebookAlternative));
  }
  if (blocks.all().empty()) {
    return success("<system-reminder>Warning: the notebook has no cells.</system-reminder>",
                   {{"type", "notebook"},
                    {"file", {{"filePath", request.shown_path}, {"cells", std::move(cells)}}}});
  }
  const Document detail = {
      {"type", "notebook"},
      {"file", {{"filePath", request.shown_path}, {"cells", std::move(cells)}}}};
  return {json::write(blocks.all()), std::nullopt, json::write(detail)};
}

}  // namespace

Outcome read_notebook(const ReadRequest& request, const OpenFile& file, Workspace& workspace) {
  const auto bytes = read_whole(file, kLargestNotebook, request.path);
  if (!bytes) return failure(fmt::format("{}. {}", bytes.error().message, kNotebookAlternative));
  const auto notebook = json::parse(*bytes, "the notebook");
  if (!notebook) {
    return failure(fmt::format("Notebook file is not valid JSON: {}", notebook.error().message));
  }
  if (!is_notebook(*notebook)) return failure(kNotANotebook);
  const auto& found = member(*notebook, "cells");
  const auto language = notebook_language(*notebook);
  auto cells = Document::array();
  Blocks blocks;
  for (std::size_t i = 0; i < found.size(); ++i) {
    cells.push_back(cell_of(found[i], i, language));
    add_cell(blocks, cells.back());
  }
  return show_notebook(request, blocks, std::move(cells), workspace);
}

}  // namespace ralph::tool
