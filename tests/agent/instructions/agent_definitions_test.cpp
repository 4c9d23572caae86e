#include "agent/instructions/agent_definitions.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/json/document.h"
#include "support/temp_folder.h"

namespace ralph::instructions {
namespace {

using Words = std::vector<std::string>;

Result<AgentDefinition> parsed(std::string_view json) {
  return parse_agent("a", json::parse(json).value(), "here");
}

/// A home and a workspace with agents.
class AgentFiles : public ::testing::Test {
 protected:
  AgentFiles() {
    std::filesystem::create_directories(folder_ / "work");
    std::filesystem::create_directories(folder_ / "home");
  }
  std::unique_ptr<AgentDefinitions> find(const settings::Options& options = {}) const {
    const settings::Environment environment({"HOME=" + (folder_ / "home").string()});
    return std::make_unique<AgentDefinitions>(options, environment, folder_ / "work",
                                              settings::DeniedFiles());
  }
  void define(const std::string& where, const std::string& name, const std::string& prompt) {
    folder_.write(
        where + "/.claude/agents/" + name + ".md",
        fmt::format("---\nname: {}\ndescription: Of {}.\n---\n{}\n", name, where, prompt));
  }
  test::TempFolder folder_;
};

TEST(AgentDefinition, HasEverythingThatJsonSays) {
  const auto agent = parsed(
      R"({"description":"d","prompt":"p","tools":["Read","Task"],"disallowedTools":"Write, Edit",
          "model":"haiku","effort":"low","permissionMode":"plan","maxTurns":3,"background":true})");
  ASSERT_TRUE(agent) << agent.error().message;
  EXPECT_EQ(agent->name, "a");
  EXPECT_EQ(agent->tools, (Words{"Read", "Agent"}));
  EXPECT_EQ(agent->disallowed_tools, (Words{"Write", "Edit"}));
  EXPECT_EQ(agent->model, "haiku");
  EXPECT_EQ(agent->effort, "low");
  EXPECT_EQ(agent->mode, permission::Mode::plan);
  EXPECT_EQ(agent->max_turns, 3);
  EXPECT_TRUE(agent->background);
}

TEST(AgentDefinition, WithoutToolsItHasAllAndWithAnEmptyListNone) {
  EXPECT_EQ(parsed(R"({"description":"d","prompt":"p"})")->tools, std::nullopt);
  EXPECT_EQ(parsed(R"({"description":"d","prompt":"p","tools":"*"})")->tools, std::nullopt);
  EXPECT_EQ(parsed(R"({"description":"d","prompt":"p","tools":[]})")->tools, Words{});
}

TEST(AgentDefinition, AMistakeNamesTheKey) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"description", "7"},
                                                        {"tools", "7"},
                                                        {"tools", "[7]"},
                                                        {"tools", "\"\""},
                                                        {"tools", "[\"Bash(git *)\"]"},
                                                        {"model", "7"},
                                                        {"effort", "\"huge\""},
                                                        {"permissionMode", "\"yolo\""},
                                                        {"maxTurns", "0"},
                                                        {"maxTurns", "\"many\""},
                                                        {"background", "1"},
                                                        {"hooks", "{\"Stop\":[1]}"},
                                                        {"isolation", "\"worktree\""}}) {
    const auto agent =
        parsed(fmt::format(R"({{"description":"d","prompt":"p","{}":{}}})", key, value));
    ASSERT_FALSE(agent) << key << value;
    EXPECT_TRUE(agent.error().message.starts_with("here: '" + key + "'")) << agent.error().message;
  }
  EXPECT_EQ(parsed(R"({"prompt":"p"})").error().message, "here: 'description' is missing");
  EXPECT_EQ(parsed("7").error().message, "here is not an object");
}

TEST(AgentDefinition, OptionsOfASessionAreOnlyNarrowed) {
  settings::Options options;
  AgentDefinition agent{.name = "a", .description = "d", .prompt = "p"};
  EXPECT_EQ(options_of(options, agent).tools, std::nullopt);
  agent.tools = Words{"Read", "Bash", "mcp__s__t"};
  EXPECT_EQ(options_of(options, agent).tools, agent.tools);
  options.tools = Words{"Bash", "Write"};
  EXPECT_EQ(options_of(options, agent).tools, (Words{"Bash", "mcp__s__t"}));
  options.tools.reset();
  options.bare = true;
  agent.tools = Words{"Write", "Read"};
  EXPECT_EQ(options_of(options, agent).tools, Words{"Read"});
  agent.disallowed_tools = {"Read"};
  options.disallowed_tools = {"Bash"};
  EXPECT_EQ(options_of(options, agent).disallowed_tools, (Words{"Bash", "Read"}));
}

TEST_F(AgentFiles, AreThoseOfTheUserAndTheProject) {
  define("home", "mine", "Mine.");
  define("work", "ours", "Ours.");
  const auto agents = find();
  EXPECT_EQ(agents->find("mine")->prompt, "Mine.");
  EXPECT_EQ(agents->find("ours")->description, "Of work.");
  EXPECT_EQ(agents->all().size(), 5U) << "with the built-in ones";
  EXPECT_TRUE(agents->notes().empty());
  settings::Options bare;
  bare.bare = true;
  EXPECT_EQ(find(bare)->all().size(), 3U);
  settings::Options none;
  none.setting_sources = Words{};
  EXPECT_EQ(find(none)->all().size(), 3U);
}

TEST_F(AgentFiles, AnUntrustedProjectReplacesNone) {
  define("home", "same", "Mine.");
  define("work", "same", "Theirs.");
  define("work", "general-purpose", "Theirs.");
  const auto before = find();
  EXPECT_EQ(before->find("same")->prompt, "Mine.");
  EXPECT_NE(before->find("general-purpose")->prompt, "Theirs.");
  EXPECT_EQ(before->notes().size(), 2U);
  folder_.write("home/.claude.json",
                fmt::format(R"({{"projects":{{"{}":{{"hasTrustDialogAccepted":true}}}}}})",
                            std::filesystem::canonical(folder_ / "work").string()));
  EXPECT_EQ(find()->find("same")->prompt, "Theirs.");
}

TEST_F(AgentFiles, OneWithAMistakeDefinesAnAgentWithAProblem) {
  folder_.write("work/.claude/agents/x.md", "---\nname: x\n---\nPrompt.\n");
  folder_.write("work/.claude/agents/README.md", "# Our agents\n");
  const auto agents = find();
  ASSERT_EQ(agents->notes().size(), 2U);
  EXPECT_TRUE(agents->notes()[0].contains("README.md: 'name' is missing")) << agents->notes()[0];
  EXPECT_TRUE(agents->notes()[1].contains("x.md: 'description' is missing")) << agents->notes()[1];
  EXPECT_TRUE(agents->find("x")->problem.contains("'description' is missing"));
}

TEST_F(AgentFiles, ListsOfToolsHaveTheFormsThatYamlHas) {
  for (const auto* const tools :
       {"tools: Read, Bash", "tools: [Read, \"Bash\"]", "tools:\n  - Read\n  - Bash"}) {
    folder_.write("work/.claude/agents/x.md",
                  fmt::format("---\nname: x\ndescription: d\n{}\n---\nPrompt.\n", tools));
    EXPECT_EQ(find()->find("x")->tools, (Words{"Read", "Bash"})) << tools;
  }
}

TEST_F(AgentFiles, AClientCanAddSome) {
  const auto agents = find();
  const auto good = json::parse(R"({"n":{"description":"d","prompt":"p"}})").value();
  agents->add(*read_agents(good, "initialize"));
  EXPECT_EQ(agents->find("n")->prompt, "p");
  const auto bad =
      json::parse(R"({"o":{"description":"d","prompt":"p"},"q":{"description":"d"}})").value();
  const auto added = read_agents(bad, "initialize");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "initialize: agent 'q': 'prompt' is missing");
  EXPECT_FALSE(agents->find("o")) << "all or none";
}

/// Root can read all directories.
struct NotRoot {
  NotRoot() : was_root(::geteuid() == 0) {
    if (was_root && ::seteuid(65534) != 0) still_root = true;
  }
  NotRoot(const NotRoot&) = delete;
  NotRoot& operator=(const NotRoot&) = delete;
  ~NotRoot() {
    if (was_root) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  bool was_root = false;
  bool still_root = false;
};

class ClosedAgentFiles : public NotRoot, public AgentFiles {};

TEST_F(ClosedAgentFiles, OneClosedDirectoryHidesNoOtherAgents) {
  if (still_root) GTEST_SKIP() << "cannot become another user";
  for (const auto* name : {"a", "below/b", "c", "z/d"}) define("home", name, "p");
  const auto closed = folder_ / "home/.claude/agents/closed";
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const auto agents = find();
  for (const auto* name : {"a", "below/b", "c", "z/d"}) EXPECT_TRUE(agents->find(name)) << name;
  EXPECT_EQ(agents->notes(), Words{"ralph: " + closed.string() +
                                   ": it cannot be read (Permission denied); its agents are not "
                                   "defined"});
}

TEST_F(AgentFiles, ADirectoryThatCannotBeReadIsNoted) {
  std::filesystem::create_directories(folder_ / "work/.claude");
  const auto agents = folder_ / "work/.claude/agents";
  std::filesystem::create_symlink(agents, agents);
  const auto found = find();
  ASSERT_EQ(found->notes().size(), 1U);
  EXPECT_TRUE(found->notes()[0].contains("agents: it cannot be read (")) << found->notes()[0];
}

}  // namespace
}  // namespace ralph::instructions
