// The loop and the user's repository.
#include "integration/loop_harness.h"

namespace ralph::loop_process {
namespace {

TEST(LoopGit, CommitsAfterEachIterationWithItsWords) {
  LoopStage stage(
      {bash("echo 1 > a"), answer("Wrote a. Next: b."), bash("echo 2 > b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--commit"}).code(), 0);
  const auto log = stage.shell("git log --format=%s");
  EXPECT_EQ(log, "ralph: iteration 2: DONE\nralph: iteration 1: Wrote a. Next: b.\nstart\n");
  EXPECT_EQ(stage.shell("git status --porcelain"), "");
  EXPECT_FALSE(stage.shell("git ls-files").contains(".ralph/state"))
      << "its own files take no part";
}

TEST(LoopGit, ATreeWithTheUsersChangesIsRefusedOrStashed) {
  LoopStage stage({bash("echo 1 > a"), answer("DONE")});
  stage.write("start.txt", "mine, not committed\n");
  const auto refused = stage.loop_on("Go", {"--commit"});
  EXPECT_EQ(refused.code(), 2);
  EXPECT_TRUE(refused.err.contains("start.txt")) << refused.err;
  EXPECT_TRUE(refused.err.contains("--stash")) << refused.err;
  EXPECT_EQ(stage.read("start.txt"), "mine, not committed\n");
  EXPECT_TRUE(stage.requests().empty());
  EXPECT_EQ(stage.loop_on("Go", {"--commit", "--stash"}).code(), 0);
  EXPECT_EQ(stage.read("start.txt"), "start\n");
  stage.shell("git stash pop");
  EXPECT_EQ(stage.read("start.txt"), "mine, not committed\n");
}

TEST(LoopGit, AFailedIterationIsRolledBack) {
  std::vector<std::string> steps{bash("echo bad > start.txt; echo new > extra")};
  for (int i = 0; i < 8; ++i) steps.emplace_back(R"({"text":"No answer."})");
  steps.push_back(bash("echo good > good"));
  steps.push_back(answer("DONE"));
  LoopStage stage(steps);
  const auto ran = stage.loop_on("Go", {"--commit", "--rollback", "--retry-delay", "1ms"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.read("start.txt"), "start\n");
  EXPECT_FALSE(std::filesystem::exists(stage.work() / "extra"));
  EXPECT_EQ(stage.read("good"), "good\n");
  EXPECT_TRUE(stage.shell("git for-each-ref refs/ralph").contains("rolled-back"))
      << "what was taken back is kept";
}

TEST(LoopGit, UndoTakesBackWhatTheLoopCommitted) {
  LoopStage stage({bash("echo 1 > a"), answer("Wrote a."), bash("echo 2 > b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--commit"}).code(), 0);
  const auto undo = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {agent_process::ralph(), "undo"});
    return stage.run(stage.command(more));
  };
  EXPECT_EQ(undo({}).code(), 0);
  EXPECT_TRUE(std::filesystem::exists(stage.work() / "a"));
  EXPECT_FALSE(std::filesystem::exists(stage.work() / "b"));
  EXPECT_EQ(undo({"--all"}).code(), 0);
  EXPECT_EQ(stage.shell("git log --format=%s"), "start\n");
}

TEST(LoopGit, AnUndoReopensTheLoopAndTheAgentIsTold) {
  LoopStage stage({bash("echo 1 > a"), answer("DONE"), bash("echo 2 > b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--commit"}).code(), 0);
  EXPECT_EQ(stage.run(stage.command({agent_process::ralph(), "undo", "--all"})).code(), 0);
  EXPECT_EQ(stage.state().end, store::StopReason::undone);
  const auto ran = stage.loop({"--resume"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.iterations().size(), 2U);
  EXPECT_EQ(stage.shell("git ls-files"), "b\nstart.txt\n");
  ASSERT_EQ(stage.prompts().size(), 2U);
  EXPECT_TRUE(stage.prompts().back().contains("The user undid iteration 1 (ralph undo)"));
}

TEST(LoopGit, AFolderOfOursThatTheAgentRemovesIsWrittenAgain) {
  LoopStage stage({bash("echo 1 > a"), answer("Wrote a."), bash("echo 2 > b; rm -rf .ralph"),
                   answer("Wrote b."), answer("DONE")});
  const auto ran = stage.loop_on("Go", {"--commit", "--retry-delay", "1ms"});
  EXPECT_TRUE((ran.out + ran.err).contains("was removed or replaced while the agent worked"))
      << ran.out << ran.err;
  const auto iterations = stage.iterations();
  ASSERT_GE(iterations.size(), 2U);
  EXPECT_EQ(iterations.front().progress, "Wrote a.");
  EXPECT_TRUE(iterations[1].failed);
  EXPECT_FALSE(stage.state().loop_id.empty());
}

TEST(LoopGit, ChangesOfTheUserBetweenTwoStartsAreNotOurs) {
  LoopStage stage({bash("echo 1 > a"), answer("One."), bash("echo 2 > b"), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--commit", "--max-iterations", "1"}).code(), 6);
  stage.write("start.txt", "mine\n");
  const auto refused = stage.loop({"--resume", "--max-iterations", "3"});
  EXPECT_EQ(refused.code(), 2) << refused.out;
  EXPECT_TRUE(refused.err.contains("start.txt")) << refused.err;
  EXPECT_EQ(stage.loop({"--resume", "--max-iterations", "3", "--stash"}).code(), 0);
  stage.shell("git stash pop");
  EXPECT_EQ(stage.read("start.txt"), "mine\n");
}

TEST(LoopGit, WhatWasIgnoredIsNeitherCommittedNorTakenAway) {
  std::vector<std::string> steps{bash(": > .gitignore")};
  for (int i = 0; i < 8; ++i) steps.emplace_back(R"({"text":"No answer."})");
  steps.push_back(bash(": > .gitignore"));
  steps.push_back(answer("DONE"));
  LoopStage stage(steps);
  stage.shell(
      "echo secret.env > .gitignore; git add .; git commit -qm ignore; echo KEY > secret.env");
  const auto ran = stage.loop_on("Go", {"--commit", "--rollback", "--retry-delay", "1ms"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_EQ(stage.read("secret.env"), "KEY\n");
  EXPECT_FALSE(stage.shell("git ls-files").contains("secret.env"));
}

TEST(LoopGit, ABranchTheAgentSwitchedToStaysAsItWas) {
  std::vector<std::string> steps{bash("git checkout -q other; echo junk > junk")};
  for (int i = 0; i < 8; ++i) steps.emplace_back(R"({"text":"No answer."})");
  LoopStage stage(steps);
  stage.shell(
      "git branch -m main; git checkout -qb other; echo o > o; git add .; git commit -qm own; git "
      "checkout -q main");
  const auto other = stage.shell("git rev-parse other");
  stage.loop_on("Go", {"--commit", "--rollback", "--max-failures", "1"});
  EXPECT_EQ(stage.shell("git rev-parse other"), other);
  EXPECT_EQ(stage.shell("git symbolic-ref HEAD"), "refs/heads/main\n");
}

TEST(LoopGit, KeysInTheAgentsWordsAreNotCommitted) {
  const std::string key = "sk-ant-api03-" + std::string(80, 'A') + "-BBBBBBAA";
  LoopStage stage({bash("echo 1 > a"), answer("Found " + key), answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--commit"}).code(), 0);
  EXPECT_FALSE(stage.shell("git log --format=%B").contains(key));
}

TEST(LoopGit, SettingsPlantedInOneStartAreRefusedInTheNext) {
  LoopStage stage({bash("git config filter.x.clean 'touch ../planted; cat' && echo '* filter=x' > "
                        ".gitattributes"),
                   answer("One."), answer("DONE")});
  stage.loop_on("Go", {"--commit", "--max-iterations", "1"});
  const auto ran = stage.loop({"--resume", "--max-iterations", "2"});
  EXPECT_EQ(ran.code(), 2) << ran.out << ran.err;
  EXPECT_FALSE(std::filesystem::exists(stage.folder() / "planted"));
}

TEST(LoopGit, WorksWithoutARepository) {
  LoopStage stage({bash("echo 1 > a"), answer("Wrote a."), answer("DONE")});
  stage.shell("rm -rf .git");
  EXPECT_EQ(stage.loop_on("Go", {"--commit"}).code(), 2);
  const auto ran = stage.loop_on("Go");
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  const auto iterations = stage.iterations();
  ASSERT_EQ(iterations.size(), 2U);
  EXPECT_TRUE(iterations[0].changed);
  EXPECT_FALSE(iterations[1].changed);
}

TEST(LoopGit, SettingsThatTheAgentPlantsRunNothing) {
  LoopStage stage({bash("git config filter.x.clean 'touch ../planted; cat' && echo '* filter=x' > "
                        ".gitattributes && echo 1 > a"),
                   answer("Wrote a."), answer("DONE")});
  const auto ran = stage.loop_on("Go", {"--commit"});
  EXPECT_FALSE(std::filesystem::exists(stage.folder() / "planted")) << ran.out;
  EXPECT_TRUE((ran.out + ran.err).contains("filter.x.clean")) << ran.out << ran.err;
  EXPECT_EQ(stage.shell("git log --format=%s"), "start\n");
}

TEST(LoopGit, HooksOfTheAgentRunNothing) {
  LoopStage stage({bash("printf '#!/bin/sh\\ntouch ../planted\\n' > .git/hooks/pre-commit && chmod "
                        "+x .git/hooks/pre-commit && echo 1 > a"),
                   answer("DONE")});
  EXPECT_EQ(stage.loop_on("Go", {"--commit"}).code(), 0);
  EXPECT_FALSE(std::filesystem::exists(stage.folder() / "planted"));
}

}  // namespace
}  // namespace ralph::loop_process
