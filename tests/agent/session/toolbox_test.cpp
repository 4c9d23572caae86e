#include "agent/session/toolbox.h"

#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include "support/no_more_threads.h"
#include "support/temp_folder.h"

namespace ralph::session {
namespace {

constexpr CallRoom kRoom{100'000, {std::int64_t{30} << 20, 100}};

/// A toolbox with what it needs besides the workspace and the policy.
struct Box {
  Box(tool::Workspace& workspace, const permission::Policy& policy, settings::Options given = {})
      : options(std::move(given)),
        gate(policy, workspace, hooks),
        toolbox({.workspace = workspace, .options = options, .gate = gate}) {}
  settings::Options options;
  hook::NoHooks hooks;
  CallGate gate;
  Toolbox toolbox;
};

api::Block read_call(const std::string& id, const std::string& path) {
  return {.type = api::BlockType::tool_use,
          .json = {},
          .text = {},
          .id = id,
          .name = "Read",
          .input = R"({"file_path":")" + path + R"("})",
          .raw_input = {}};
}

TEST(Toolbox, RunsTheCallsOneByOneWhereNoThreadCanBeStarted) {
  const test::TempFolder folder;
  folder.write("a", "first file\n");
  folder.write("b", "second file\n");
  tool::Workspace::Setup setup;
  setup.root = std::filesystem::canonical(folder.path());
  tool::Workspace workspace(setup);
  const permission::Policy policy(permission::Mode::standard, {});
  Box box(workspace, policy);
  auto& toolbox = box.toolbox;
  const auto first = read_call("1", "a"), second = read_call("2", "b");
  const std::vector<const api::Block*> calls{&first, &second};
  std::vector<std::string> told;
  {
    const test::NoMoreThreads none;
    EXPECT_THROW(std::jthread([] {}), std::system_error);
    toolbox.run_calls(
        calls, kRoom,
        [&](ToolCallResult result) { told.push_back(result.call->id + result.outcome.content); },
        {});
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(told[0].starts_with("1") && told[0].contains("first file")) << told[0];
  EXPECT_TRUE(told[1].starts_with("2") && told[1].contains("second file")) << told[1];
}

TEST(Toolbox, TakesNumbersAndBooleansThatCameAsTexts) {
  const test::TempFolder folder;
  folder.write("a", "one\ntwo\nthree\n");
  tool::Workspace::Setup setup;
  setup.root = std::filesystem::canonical(folder.path());
  tool::Workspace workspace(setup);
  const permission::Policy policy(permission::Mode::standard, {});
  Box box(workspace, policy);
  auto& toolbox = box.toolbox;
  auto call = read_call("1", "a");
  const auto answer = [&](std::string_view more) {
    call.input = R"({"file_path":"a",)" + std::string(more) + "}";
    const std::vector<const api::Block*> calls{&call};
    std::string content;
    toolbox.run_calls(calls, kRoom,
                      [&](ToolCallResult result) { content = result.outcome.content; }, {});
    return content;
  };
  EXPECT_EQ(answer(R"("offset":"2","limit":"1")"), R"("2\ttwo")");
  EXPECT_EQ(answer(R"("offset":-1,"limit":1)"), R"("1\tone")");
  EXPECT_EQ(answer(R"("limit":1,"allow_large":"true")"), R"("1\tone")");
  EXPECT_TRUE(answer(R"("limit":"abc")").contains("InputValidationError"));
  EXPECT_TRUE(answer(R"("limit":2.5)").contains("InputValidationError"));
  EXPECT_TRUE(answer(R"("allow_large":"maybe")").contains("InputValidationError"));
  EXPECT_TRUE(answer(R"("path":"x")").contains("An unexpected parameter `path` was provided"));
}

/// A session that works for another one has its own toolbox and its parent's permissions.
TEST(Toolbox, TwoMayShareOnePolicy) {
  const test::TempFolder folder;
  tool::Workspace::Setup setup;
  setup.root = std::filesystem::canonical(folder.path());
  tool::Workspace first(setup), second(setup);
  permission::Policy policy(permission::Mode::standard, {});
  Box first_box(first, policy), second_box(second, policy);
  auto& parent = first_box.toolbox;
  auto& child = second_box.toolbox;
  const auto is_denied = [](Toolbox& toolbox, const std::string& name) {
    auto call = read_call("1", name);
    call.name = "Write";
    call.input = R"({"file_path":")" + name + R"(","content":"x"})";
    const std::vector<const api::Block*> calls{&call};
    bool denied = false;
    toolbox.run_calls(calls, kRoom,
                      [&](const ToolCallResult& result) { denied = result.denied.has_value(); },
                      {});
    return denied;
  };
  EXPECT_TRUE(is_denied(parent, "a"));
  EXPECT_TRUE(is_denied(child, "b"));
  policy.set_mode(permission::Mode::accept_edits);
  EXPECT_FALSE(is_denied(parent, "a"));
  EXPECT_FALSE(is_denied(child, "b"));
}

TEST(Toolbox, OffersNoSearchWithoutRipgrep) {
  const test::TempFolder folder;
  folder.write("bin/rg", "#!/bin/sh\n", 0755);
  tool::Workspace::Setup setup;
  setup.root = std::filesystem::canonical(folder.write("root/a", "").parent_path());
  settings::Options options;
  options.tools = std::vector<std::string>{"Glob", "Grep", "Read"};
  const auto offered = [&](const std::string& path) {
    setup.variables = {"PATH=" + path};
    tool::Workspace workspace(setup);
    const permission::Policy policy(permission::Mode::standard, {});
    const Box box(workspace, policy, options);
    return std::pair(box.toolbox.names(), box.toolbox.without_ripgrep());
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(offered((folder.path() / "bin").string()),
            std::pair(Names{"Glob", "Grep", "Read"}, Names{}));
  EXPECT_EQ(offered("/nowhere"), std::pair(Names{"Read"}, Names{"Glob", "Grep"}));
}

}  // namespace
}  // namespace ralph::session
