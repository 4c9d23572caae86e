#include "agent/tool/bash_harness.h"

namespace ralph::tool {
namespace {

TEST(BashBackground, ReturnsAtOnceAndReportsTheEnd) {
  Session session;
  const auto answer =
      session.call({{"command", "echo begun; until [ -e go ]; do sleep 0.01; done; echo over"},
                    {"run_in_background", true},
                    {"description", "wait for go"}});
  EXPECT_EQ(answer.is_error, false);
  ASSERT_FALSE(answer.task.empty());
  EXPECT_EQ(answer.detail["backgroundTaskId"], answer.task);
  EXPECT_EQ(answer.detail["stdout"], "");
  const auto file = session.setup.output_folder.parent_path() / "tasks" / (answer.task + ".output");
  EXPECT_TRUE(answer.content.starts_with("Command running in background with ID: " + answer.task +
                                         ". Output is being written to: " + file.string() + ". "));
  session.tasks.set_call(answer.task, "toolu_1");
  ASSERT_EQ(session.tasks.list().size(), 1u);
  EXPECT_EQ(session.tasks.list()[0].description, "wait for go");
  EXPECT_TRUE(session.tasks.take_finished().empty());
  EXPECT_TRUE(eventually([&] { return test::text_of(file) == "begun\n"; }));

  session.run("touch go");
  EXPECT_TRUE(session.tasks.wait_for_finish({}));
  const auto told = session.tasks.take_finished();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].task_id, answer.task);
  EXPECT_EQ(told[0].tool_use_id, "toolu_1");
  EXPECT_EQ(told[0].status, TaskStatus::completed);
  EXPECT_EQ(told[0].output_file, file);
  EXPECT_EQ(told[0].summary, "Background command \"wait for go\" completed (exit code 0)");
  EXPECT_EQ(test::text_of(file), "begun\nover\n");
  EXPECT_EQ(test::mode_of(file), 0600u);
  EXPECT_TRUE(session.tasks.take_finished().empty());
  EXPECT_TRUE(session.tasks.list().empty());
  EXPECT_FALSE(session.tasks.wait_for_finish({}));
}

TEST(BashBackground, ReportsAFailure) {
  Session session;
  session.call({{"command", "cd sub; exit 3"}, {"run_in_background", true}});
  ASSERT_TRUE(session.tasks.wait_for_finish({}));
  const auto told = session.tasks.take_finished();
  EXPECT_EQ(told.at(0).status, TaskStatus::failed);
  EXPECT_EQ(told.at(0).summary, "Background command \"cd sub; exit 3\" failed with exit code 3");
  EXPECT_EQ(session.workspace().cwd(), session.root());
}

TEST(BashBackground, ATimeoutMovesTheCommandToTheBackground) {
  Session session;
  const auto answer = session.call(
      {{"command", "echo a; touch ready; until [ -e go ]; do sleep 0.01; done; echo b"},
       {"timeout", 1000}});
  EXPECT_EQ(answer.is_error, false);
  EXPECT_EQ(answer.detail["timedOutAfterMs"], 1000);
  EXPECT_EQ(answer.detail["backgroundTaskId"], answer.task);
  EXPECT_TRUE(answer.content.starts_with(
      "a\nCommand did not complete within its 1s timeout and was moved to the background (ID: " +
      answer.task))
      << answer.content;
  session.run("touch go");
  ASSERT_TRUE(session.tasks.wait_for_finish({}));
  const auto told = session.tasks.take_finished();
  EXPECT_EQ(told.at(0).status, TaskStatus::completed);
  EXPECT_EQ(test::text_of(told.at(0).output_file), "a\nb\n");
}

TEST(BashBackground, MovingKeepsTheLongOutput) {
  Session session;
  const auto answer =
      session.call({{"command", "seq 1 150000; until [ -e go ]; do sleep 0.01; done; echo b"},
                    {"timeout", 1500}});
  ASSERT_FALSE(answer.task.empty());
  session.run("touch go");
  ASSERT_TRUE(session.tasks.wait_for_finish({}));
  const auto text = test::text_of(session.tasks.take_finished().at(0).output_file);
  EXPECT_EQ(text.size(), 938897u);
  EXPECT_TRUE(text.ends_with("\n150000\nb\n"));
  std::error_code none;
  EXPECT_EQ(std::filesystem::directory_iterator(session.setup.output_folder, none),
            std::filesystem::directory_iterator());
}

TEST(BashBackground, NothingOutlivesTheSession) {
  std::string mark;
  {
    Session session;
    mark = session.mark;
    session.call(
        {{"command", "trap '' TERM; setsid sleep 1000 & touch ready; while :; do sleep 1; done"},
         {"run_in_background", true}});
    session.call({{"command", "sleep 1000"}, {"run_in_background", true}});
    ASSERT_TRUE(session.reached("ready"));
    EXPECT_EQ(session.tasks.list().size(), 2u);
  }
  EXPECT_TRUE(alive_with_mark(mark).empty());
}

TEST(BashBackground, ATaskCanBeStopped) {
  Session session;
  const auto answer = session.call({{"command", "sleep 1000; true"}, {"run_in_background", true}});
  EXPECT_FALSE(session.tasks.end("nobody", Ender::user));
  EXPECT_TRUE(session.tasks.end(answer.task, Ender::user));
  ASSERT_TRUE(session.tasks.wait_for_finish({}));
  EXPECT_EQ(session.tasks.take_finished().at(0).status, TaskStatus::killed);
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashBackground, ATaskEndsAtItsTimeLimit) {
  Session session;
  BackgroundTasks impatient(Millis{20});
  session.setup.tasks = &impatient;
  session.call({{"command", "sleep 1000; true"}, {"run_in_background", true}});
  ASSERT_TRUE(impatient.wait_for_finish({}));
  EXPECT_EQ(impatient.take_finished().at(0).status, TaskStatus::killed);
}

TEST(BashBackground, AStopEndsTheWaitNotTheTask) {
  Session session;
  session.call({{"command", "sleep 1000; true"}, {"run_in_background", true}});
  std::stop_source stop;
  std::jthread asker([&] { stop.request_stop(); });
  EXPECT_FALSE(session.tasks.wait_for_finish(stop.get_token()));
  EXPECT_EQ(session.tasks.list().size(), 1u);
}

TEST(BashBackground, IfDisabledTheCallWaits) {
  Session session;
  session.setup.background = false;
  const auto answer = session.call({{"command", "echo here"}, {"run_in_background", true}});
  EXPECT_EQ(answer.content, "here");
  EXPECT_EQ(answer.task, "");
}

TEST(BashBackground, WithoutAFileNothingIsLeftRunning) {
  Session session;
  session.folder.write("out", "a file where the folder should be");
  const auto answer = session.call({{"command", "sleep 1000"}, {"run_in_background", true}});
  EXPECT_EQ(answer.is_error, true);
  EXPECT_TRUE(session.nothing_alive());
}

}  // namespace
}  // namespace ralph::tool
