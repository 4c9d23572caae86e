#include <filesystem>

#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"

namespace ralph::tool {
namespace {

constexpr std::string_view kNotebook =
    R"({"cells":[{"cell_type":"code","execution_count":3,"id":"c1","metadata":{},)"
    R"("outputs":[{"output_type":"stream","name":"stdout","text":["x"]}],"source":["a = 1\n","b"]},)"
    R"({"cell_type":"markdown","id":"m1","metadata":{},"source":"# hi"}],)"
    R"("metadata":{"language_info":{"name":"julia"}},"nbformat":4,"nbformat_minor":5})";

Document edit(Document more) {
  Document input{{"notebook_path", "a.ipynb"}, {"new_source", "new"}};
  input.update(more);
  return input;
}

class Notebook {
 public:
  explicit Notebook(std::string_view bytes = kNotebook) {
    desk.put("a.ipynb", bytes);
    desk.call(read_tool(), {{"file_path", "a.ipynb"}});
  }
  Called call(Document more) { return desk.call(notebook_edit_tool(), edit(std::move(more))); }
  Document cells() const { return json::parse(desk.bytes("a.ipynb")).value()["cells"]; }

  Desk desk;
};

TEST(NotebookEdit, ReplacesTheSourceOfACellAndDropsItsOutputs) {
  Notebook notebook;
  const auto called = notebook.call({{"cell_id", "c1"}});
  EXPECT_EQ(called.text(), "Updated cell c1 with new");
  const Document expected{{"cell_type", "code"},
                          {"execution_count", nullptr},
                          {"id", "c1"},
                          {"metadata", Document::object()},
                          {"outputs", Document::array()},
                          {"source", "new"}};
  EXPECT_EQ(notebook.cells()[0], expected);
  EXPECT_EQ(notebook.cells()[1]["source"], "# hi");
  EXPECT_EQ(called.detail["old_source"], "a = 1\nb");
  EXPECT_EQ(called.detail["language"], "julia");
  EXPECT_EQ(called.detail["edit_mode"], "replace");
  EXPECT_EQ(called.detail["notebook_path"], notebook.desk.file("a.ipynb").string());
  EXPECT_EQ(called.detail["original_file"], kNotebook);
  EXPECT_EQ(called.detail["updated_file"], notebook.desk.bytes("a.ipynb"));
}

TEST(NotebookEdit, InsertsBehindACellOrAtTheBeginning) {
  Notebook notebook;
  const auto behind =
      notebook.call({{"cell_id", "c1"}, {"edit_mode", "insert"}, {"cell_type", "markdown"}});
  const auto first = notebook.call({{"edit_mode", "insert"}, {"cell_type", "code"}});
  const auto cells = notebook.cells();
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(first.text(), "Inserted cell " + cells[0]["id"].get<std::string>() + " with new");
  EXPECT_EQ(cells[0]["outputs"], Document::array());
  EXPECT_EQ(cells[1]["id"], "c1");
  EXPECT_EQ(cells[2]["id"], behind.detail["cell_id"]);
  EXPECT_FALSE(cells[2].contains("outputs"));
}

TEST(NotebookEdit, CellsOfOldNotebooksHaveNumbers) {
  Notebook notebook(
      R"({"cells":[{"cell_type":"markdown","metadata":{},"source":"one"}],"metadata":{},)"
      R"("nbformat":4,"nbformat_minor":4})");
  EXPECT_EQ(notebook.call({{"cell_id", "cell-0"}}).text(), "Updated cell cell-0 with new");
  const auto inserted =
      notebook.call({{"cell_id", "cell-0"}, {"edit_mode", "insert"}, {"cell_type", "code"}});
  EXPECT_EQ(inserted.text(), "Inserted cell cell-1 with new");
  EXPECT_FALSE(inserted.detail.contains("cell_id"));
  EXPECT_FALSE(notebook.cells()[1].contains("id"));
}

TEST(NotebookEdit, DeletesACell) {
  Notebook notebook;
  EXPECT_EQ(notebook.call({{"cell_id", "c1"}, {"edit_mode", "delete"}}).text(), "Deleted cell c1");
  ASSERT_EQ(notebook.cells().size(), 1U);
  EXPECT_EQ(notebook.cells()[0]["id"], "m1");
}

TEST(NotebookEdit, ACellThatBecomesTextHasNoOutputs) {
  Notebook notebook;
  notebook.call({{"cell_id", "c1"}, {"cell_type", "markdown"}});
  notebook.call({{"cell_id", "m1"}, {"cell_type", "code"}});
  EXPECT_FALSE(notebook.cells()[0].contains("outputs"));
  EXPECT_EQ(notebook.cells()[1]["outputs"], Document::array());
}

TEST(NotebookEdit, KeepsTheFinalLineEnd) {
  Notebook notebook(std::string(kNotebook) + "\n");
  notebook.call({{"cell_id", "m1"}});
  EXPECT_TRUE(notebook.desk.bytes("a.ipynb").starts_with("{\n \"cells\": [\n  {\n"));
  EXPECT_TRUE(notebook.desk.bytes("a.ipynb").ends_with("\n}\n"));
}

TEST(NotebookEdit, RefusesCallsThatMakeNoSense) {
  Notebook notebook;
  const auto error = [&](Document more) { return notebook.call(std::move(more)).error(); };
  EXPECT_EQ(error(Document::object()),
            "Error: Cell ID must be specified when not inserting a new cell.");
  EXPECT_EQ(error({{"edit_mode", "insert"}}),
            "Error: Cell type is required when using edit_mode=insert.");
  EXPECT_EQ(error({{"cell_id", "x"}}), "Error: Cell with ID \"x\" not found in notebook.");
  EXPECT_EQ(error({{"cell_id", "cell-9"}}), "Error: Cell with index 9 does not exist in notebook.");
  EXPECT_TRUE(error({{"notebook_path", "a.txt"}}).starts_with("Error: File must be a Jupyter"));
  EXPECT_EQ(notebook.desk.bytes("a.ipynb"), kNotebook);
}

TEST(NotebookEdit, ChangesOnlyWhatWasReadAndIsUnchanged) {
  Desk desk;
  desk.put("a.ipynb", kNotebook);
  const auto input = edit({{"cell_id", "c1"}});
  EXPECT_EQ(desk.call(notebook_edit_tool(), input).error(),
            "Error: File has not been read yet. Read it first before writing to it.");
  desk.call(read_tool(), {{"file_path", "a.ipynb"}});
  desk.put("a.ipynb", std::string(kNotebook) + " ");
  EXPECT_TRUE(desk.call(notebook_edit_tool(), input).error().contains("changed after it was read"));
  EXPECT_EQ(desk.bytes("a.ipynb"), std::string(kNotebook) + " ");
}

TEST(NotebookEdit, WritesThroughNoLink) {
  Notebook notebook;
  std::filesystem::create_symlink("a.ipynb", notebook.desk.file("link.ipynb"));
  EXPECT_TRUE(notebook.call({{"notebook_path", "link.ipynb"}, {"cell_id", "c1"}}).failed);
  EXPECT_EQ(notebook.desk.bytes("a.ipynb"), kNotebook);
}

TEST(NotebookEdit, ShowsNoHugeNotebookToTheClient) {
  Notebook notebook;
  const auto called =
      notebook.call({{"cell_id", "c1"}, {"new_source", std::string(500 << 10, 'x')}});
  EXPECT_FALSE(called.failed);
  EXPECT_EQ(called.detail["updated_file"], "");
}

}  // namespace
}  // namespace ralph::tool
