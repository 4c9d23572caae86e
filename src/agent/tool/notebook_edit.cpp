#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/file_state.h"
#include "agent/tool/input.h"
#include "agent/tool/notebook.h"
#include "agent/tool/safe_file.h"
#include "core/base/id.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

using json::Document;
using json::member;
using json::text;

/// Clients read an event as one line, and some read at most 1 MiB.
constexpr std::size_t kLargestShown = 400 << 10;

constexpr std::string_view kNotebookEditDescription =
    "Changes a cell of a Jupyter notebook: replaces its source, inserts a new cell behind it (at "
    "the beginning without cell_id), or deletes it. Read the notebook first: it shows the ids of "
    "the cells. The outputs of a changed cell are removed.";

constexpr std::string_view kNotebookEditSchema = R"({"type":"object","properties":{
"notebook_path":{"type":"string","description":"The notebook, an .ipynb file"},
"cell_id":{"type":"string","description":"The id of the cell"},
"new_source":{"type":"string","description":"The new source of the cell"},
"cell_type":{"type":"string","enum":["code","markdown"],"description":"Required to insert a cell"},
"edit_mode":{"type":"string","enum":["replace","insert","delete"],"default":"replace"}},
"required":["notebook_path","new_source"],"additionalProperties":false})";

struct CellRequest {
  std::string shown_path;
  std::string cell_id;
  std::string source;
  std::string cell_type;
  std::string mode;
};

CellRequest request_of(const Document& input) {
  CellRequest request{text(input, "notebook_path"), text(input, "cell_id"),
                      text(input, "new_source"), text(input, "cell_type"),
                      text(input, "edit_mode")};
  if (request.mode.empty()) request.mode = "replace";
  return request;
}

/// Why the request makes no sense for any notebook; empty: it does.
std::string_view complaint(const CellRequest& request) {
  if (!request.shown_path.ends_with(".ipynb")) {
    return "File must be a Jupyter notebook (.ipynb file). For other files use Edit.";
  }
  if (request.mode == "insert") {
    return request.cell_type.empty() ? "Cell type is required when using edit_mode=insert." : "";
  }
  return request.cell_id.empty() ? "Cell ID must be specified when not inserting a new cell." : "";
}

/// "cell-3": the name Read gives to a cell without an id.
std::optional<std::size_t> number_in(std::string_view id) {
  constexpr std::string_view kPrefix = "cell-";
  if (!id.starts_with(kPrefix)) return std::nullopt;
  id.remove_prefix(kPrefix.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return number;
}

std::expected<std::size_t, Outcome> find_cell(const Document& cells, const std::string& id) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (text(cells[i], "id") == id) return i;
  }
  const auto number = number_in(id);
  if (!number) {
    return std::unexpected(misuse(fmt::format("Cell with ID \"{}\" not found in notebook.", id)));
  }
  if (*number < cells.size()) return *number;
  return std::unexpected(
      misuse(fmt::format("Cell with index {} does not exist in notebook.", *number)));
}

/// A code cell has outputs, a text has none.
void clear_outputs(Document& cell) {
  if (cell["cell_type"] == "code") {
    cell["execution_count"] = nullptr;
    cell["outputs"] = Document::array();
  } else {
    cell.erase("execution_count");
    cell.erase("outputs");
  }
}

/// Cells have ids from version 4.5 of the format on.
bool has_ids(const Document& notebook) {
  const auto version = json::integer(notebook, "nbformat");
  return version > 4 || (version == 4 && json::integer(notebook, "nbformat_minor") >= 5);
}

Document new_cell(const CellRequest& request, const Document& notebook) {
  Document cell{{"cell_type", request.cell_type}};
  if (has_ids(notebook)) cell["id"] = random_hex(4);
  cell["source"] = request.source;
  cell["metadata"] = Document::object();
  clear_outputs(cell);
  return cell;
}

struct CellChange {
  std::string cell_id;  // as the model can name it
  bool has_id = true;   // it is in the notebook
  std::optional<std::string> old_source;
};

CellChange insert(const CellRequest& request, Document& notebook,
                  std::optional<std::size_t> behind) {
  auto& cells = notebook["cells"];
  const auto at = behind ? *behind + 1 : 0;
  auto cell = new_cell(request, notebook);
  auto id = text(cell, "id");
  cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(at), std::move(cell));
  const bool has_id = !id.empty();
  return {has_id ? std::move(id) : fmt::format("cell-{}", at), has_id, {}};
}

CellChange replace_or_delete(const CellRequest& request, Document& notebook, std::size_t at) {
  auto& cells = notebook["cells"];
  auto& cell = cells[at];
  CellChange change{request.cell_id, true, notebook_text(member(cell, "source")).value_or("")};
  if (request.mode == "delete") {
    cells.erase(at);
    return change;
  }
  const bool other_type = !request.cell_type.empty() && cell["cell_type"] != request.cell_type;
  if (other_type) cell["cell_type"] = request.cell_type;
  cell["source"] = request.source;
  if (other_type || cell["cell_type"] == "code") clear_outputs(cell);
  return change;
}

std::expected<CellChange, Outcome> change_cell(const CellRequest& request, Document& notebook) {
  std::optional<std::size_t> at;
  if (!request.cell_id.empty()) {
    auto found = find_cell(notebook["cells"], request.cell_id);
    if (!found) return std::unexpected(std::move(found).error());
    at = *found;
  }
  if (request.mode == "insert") return insert(request, notebook, at);
  return replace_or_delete(request, notebook, *at);
}

std::string done_text(const CellRequest& request, const std::string& cell_id) {
  if (request.mode == "delete") return fmt::format("Deleted cell {}", cell_id);
  return fmt::format("{} cell {} with {}", request.mode == "insert" ? "Inserted" : "Updated",
                     cell_id, request.source);
}

std::string_view shown(const std::string& file) {
  return file.size() <= kLargestShown ? std::string_view(file) : "";
}

Outcome done_with(const CellRequest& request, const std::filesystem::path& path,
                  const CellChange& change, const Document& notebook, const std::string& before,
                  const std::string& after) {
  Document detail{{"new_source", request.source}};
  if (change.old_source) detail["old_source"] = *change.old_source;
  detail["cell_type"] = request.cell_type.empty() ? "code" : request.cell_type;
  detail["language"] = notebook_language(notebook);
  detail["edit_mode"] = request.mode;
  if (change.has_id) detail["cell_id"] = change.cell_id;
  detail["error"] = "";
  detail["notebook_path"] = path.string();
  detail["original_file"] = shown(before);
  detail["updated_file"] = shown(after);
  return success(done_text(request, change.cell_id), detail);
}

/// In the form Jupyter itself writes; a final line end stays.
std::string bytes_of(const Document& notebook, std::string_view before) {
  auto bytes = notebook.dump(1, ' ', false, Document::error_handler_t::replace);
  if (before.ends_with('\n')) bytes += '\n';
  return bytes;
}

Outcome edit_notebook(const CellRequest& request, const std::filesystem::path& path,
                      Workspace& workspace) {
  const auto file = open_for_reading(path);
  if (!file) return failure(file.error());
  if (!workspace.seen(path)) {
    return misuse("File has not been read yet. Read it first before writing to it.");
  }
  if (changed_since_seen(path, file->stamp, workspace)) {
    return misuse("The file changed after it was read. Read it again before writing to it.");
  }
  const auto before = read_whole(*file, kLargestNotebook, path);
  if (!before) return failure(before.error());
  if (const auto why = unsupported_encoding(*before, true)) return misuse(*why);
  auto notebook = json::parse(*before, "the notebook");
  if (!notebook) return misuse("Notebook is not valid JSON: " + notebook.error().message);
  if (!is_notebook(*notebook)) return misuse(kNotANotebook);
  const auto changed = change_cell(request, *notebook);
  if (!changed) return changed.error();
  const auto after = bytes_of(*notebook, *before);
  const auto stored = replace_file(path, after, file->stamp);
  if (!stored) return failure(stored.error());
  workspace.remember(path, *stored);
  return done_with(request, path, *changed, *notebook, *before, after);
}

class NotebookEdit final : public Tool {
 public:
  std::string_view name() const override { return "NotebookEdit"; }
  std::string_view description() const override { return kNotebookEditDescription; }
  std::string_view schema() const override { return kNotebookEditSchema; }

  Access access(const Document& input, const Workspace& workspace) const override {
    return {Access::Kind::write, path_of(input, "notebook_path", workspace), {}};
  }

  Outcome run(const Document& input, const Access& access, Workspace& workspace,
              const std::stop_token&) const override {
    const auto request = request_of(input);
    if (const auto why = complaint(request); !why.empty()) return misuse(why);
    if (auto refusal = refuse_link(request.shown_path, access.path, workspace))
      return *std::move(refusal);
    if (kind_of(access.path) == FileKind::missing) {
      return misuse(missing_file(access.path, workspace));
    }
    return edit_notebook(request, access.path, workspace);
  }
};

}  // namespace

const Tool& notebook_edit_tool() {
  static const NotebookEdit tool;
  return tool;
}

}  // namespace ralph::tool
