#include "agent/session/todo_tools.h"

#include <filesystem>

#include "agent/tool/harness.h"

namespace ralph::session {
namespace {

using json::Document;
using tool::Called;

class Todo {
 public:
  explicit Todo(std::filesystem::path folder) : tools_(std::move(folder), identity) {}

  Called call(std::string_view name, const Document& input) {
    for (const auto& tool : tools_.all()) {
      if (tool.name() == name) return desk_.call(tool, input);
    }
    ADD_FAILURE() << "there is no tool " << name;
    return {};
  }
  Called create(std::string_view subject) {
    return call("TaskCreate", {{"subject", subject}, {"description", "d"}});
  }
  Called update(Document input) { return call("TaskUpdate", input); }
  std::string list() { return call("TaskList", Document::object()).text(); }

  Identity identity{"11111111-1111-4111-8111-111111111111"};

 private:
  tool::Desk desk_;
  TodoTools tools_;
};

TEST(TodoTools, KeepAList) {
  Todo todo("");
  EXPECT_EQ(todo.list(), "No tasks found");
  const auto created = todo.create("Do A");
  EXPECT_EQ(created.text(), "Task #1 created successfully: Do A");
  EXPECT_EQ(created.detail["task"],
            Document({{"id", "1"}, {"subject", "Do A"}, {"description", "d"}}));
  todo.create("Do B");
  const auto updated = todo.update({{"taskId", "1"}, {"status", "in_progress"}, {"owner", "me"}});
  EXPECT_EQ(updated.text(), "Updated task #1 owner, status");
  EXPECT_EQ(updated.detail["statusChange"], Document({{"from", "pending"}, {"to", "in_progress"}}));
  EXPECT_EQ(todo.list(), "#1 [in_progress] Do A (me)\n#2 [pending] Do B");
  EXPECT_EQ(todo.update({{"taskId", "1"}, {"status", "in_progress"}}).detail["updatedFields"],
            Document::array());
}

TEST(TodoTools, ConnectTasks) {
  Todo todo("");
  for (const auto* const name : {"A", "B", "C"}) todo.create(name);
  const auto updated =
      todo.update({{"taskId", "1"}, {"addBlocks", {"2", "9", "1"}}, {"addBlockedBy", {"3"}}});
  EXPECT_EQ(updated.text(), "Updated task #1 blocks, blockedBy");
  EXPECT_EQ(todo.list(),
            "#1 [pending] A [blocked by #3]\n#2 [pending] B [blocked by #1]\n"
            "#3 [pending] C");
  EXPECT_EQ(todo.call("TaskGet", {{"taskId", "1"}}).text(),
            "Task #1: A\nStatus: pending\nDescription: d\nBlocked by: #3\nBlocks: #2");
  todo.update({{"taskId", "3"}, {"status", "completed"}});
  EXPECT_EQ(todo.list(), "#1 [pending] A\n#2 [pending] B [blocked by #1]\n#3 [completed] C");
  EXPECT_EQ(todo.update({{"taskId", "1"}, {"status", "deleted"}}).text(),
            "Updated task #1 deleted");
  EXPECT_EQ(todo.list(), "#2 [pending] B\n#3 [completed] C");
}

TEST(TodoTools, MergeMetadata) {
  test::TempFolder folder;
  Todo todo(folder.path());
  todo.call("TaskCreate", {{"subject", "A"}, {"metadata", {{"x", 1}, {"y", 2}}}});
  todo.update({{"taskId", "1"}, {"metadata", {{"x", nullptr}, {"z", 3}}}});
  const auto file = folder.path() / todo.identity.session_id() / "1.json";
  const auto stored = json::parse(test::text_of(file)).value();
  EXPECT_EQ(stored["metadata"], Document({{"y", 2}, {"z", 3}}));
  EXPECT_EQ(stored["description"], "A");
}

TEST(TodoTools, SayThatATaskDoesNotExist) {
  Todo todo("");
  for (const auto* const id : {"1", "", "0", "-1", "x", "1x", "99999999999"}) {
    EXPECT_EQ(todo.call("TaskGet", {{"taskId", id}}).text(), "Task not found") << id;
    const auto updated = todo.update({{"taskId", id}, {"status", "completed"}});
    EXPECT_FALSE(updated.failed);
    EXPECT_EQ(updated.detail["success"], false) << id;
    EXPECT_EQ(updated.detail["error"], "Task not found");
  }
}

TEST(TodoTools, AResumedSessionHasTheListAndGivesNoIdTwice) {
  test::TempFolder folder;
  {
    Todo todo(folder.path());
    for (const auto* const name : {"A", "B"}) todo.create(name);
    todo.update({{"taskId", "1"}, {"status", "completed"}});
    todo.update({{"taskId", "2"}, {"status", "deleted"}});
  }
  Todo resumed(folder.path());
  EXPECT_EQ(resumed.list(), "#1 [completed] A");
  EXPECT_EQ(resumed.create("C").detail["task"]["id"], "3");
}

TEST(TodoTools, EverySessionHasItsOwnList) {
  test::TempFolder folder;
  Todo todo(folder.path());
  todo.create("A");
  todo.identity.change_session("22222222-2222-4222-8222-222222222222");
  EXPECT_EQ(todo.list(), "No tasks found");
  EXPECT_EQ(todo.create("B").detail["task"]["id"], "1");
}

TEST(TodoTools, PassOverFilesThatAreNoTasks) {
  test::TempFolder folder;
  Todo todo(folder.path());
  const auto place = todo.identity.session_id() + "/";
  for (const auto& [name, bytes] :
       {std::pair{"1.json", "{"},
        {"2.json", R"({"id":"3","subject":"x"})"},
        {"x.json", "{}"},
        {"4.json", R"({"id":"4","subject":"ok","status":"pending","blocks":[],"blockedBy":[]})"},
        {".highwatermark", "x"}}) {
    folder.write(place + name, bytes);
  }
  EXPECT_EQ(todo.list(), "#4 [pending] ok");
}

TEST(TodoTools, AListThatCannotBeStoredIsAnErrorAndUnchanged) {
  test::TempFolder folder;
  folder.write("file", "");
  Todo todo(folder.path() / "file");
  EXPECT_TRUE(todo.create("A").failed);
  EXPECT_EQ(todo.list(), "No tasks found");
}

}  // namespace
}  // namespace ralph::session
