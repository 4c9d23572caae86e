#include "core/base/mask.h"

#include <chrono>
#include <random>

#include <gtest/gtest.h>

namespace ralph {
namespace {

// Keys are made here, never written out: a scanner of this repository should find nothing.
std::string filler(std::size_t length) {
  constexpr std::string_view kPattern = "Ab3dEf6hIj9lMn2pQr5tUv8x";
  std::string text;
  while (text.size() < length) text += kPattern;
  return text.substr(0, length);
}
std::string capitals(std::size_t length) {
  constexpr std::string_view kPattern = "A3B4C5D6";
  std::string text;
  while (text.size() < length) text += kPattern;
  return text.substr(0, length);
}
std::string json_web_token() { return "eyJ" + filler(30) + ".eyJ" + filler(40) + "." + filler(43); }
std::string private_key(std::string_view label) {
  return "-----BEGIN " + std::string(label) + "-----\n" + filler(64) + "\n" + filler(20) +
         "\n-----END " + std::string(label) + "-----";
}

struct Example {
  std::string name;
  std::string key;
  std::string masked;
};
std::vector<Example> examples() {
  std::vector<Example> list{
      {"Anthropic API key", "sk-ant-" + ("api03-" + filler(93)), "sk-ant-***"},
      {"Anthropic API key", "sk-ant-" + ("oat01-" + filler(30) + "-_" + filler(9)), "sk-ant-***"},
      {"OpenAI API key", "sk-" + filler(48), "sk-***"},
      {"OpenAI API key", "sk-proj-" + (filler(40) + "_-" + filler(40)), "sk-proj-***"},
      {"OpenRouter API key", "sk-or-" + ("v1-" + filler(64)), "sk-or-***"},
      {"GitHub token", "github_pat_" + (filler(22) + "_" + filler(59)), "github_pat_***"},
      {"GitLab token", "glpat-" + filler(20), "glpat-***"},
      {"AWS access key", "AKIA" + capitals(16), "AKIA***"},
      {"AWS access key", "ASIA" + capitals(16), "ASIA***"},
      {"Google API key", "AIza" + filler(35), "AIza***"},
      {"npm token", "npm_" + filler(36), "npm_***"},
      {"Hugging Face token", "hf_" + filler(34), "hf_***"},
      {"Stripe key", "sk_live_" + filler(24), "sk_live_***"},
      {"Stripe key", "rk_live_" + filler(24), "rk_live_***"},
      {"JSON web token", json_web_token(), "eyJ***"},
      {"bearer token", "Bearer " + (filler(20) + "/+.~" + filler(10) + "=="), "Bearer ***"},
      {"private key", private_key("PRIVATE KEY"),
       "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----"},
      {"private key", private_key("OPENSSH PRIVATE KEY"),
       "-----BEGIN OPENSSH PRIVATE KEY-----***-----END OPENSSH PRIVATE KEY-----"},
  };
  for (const char kind : {'p', 'o', 'u', 's', 'r'}) {
    const auto prefix = std::string("gh") + kind + "_";
    list.push_back({"GitHub token", prefix + filler(36), prefix + "***"});
  }
  for (const char kind : {'a', 'b', 'p', 'r', 's'}) {
    const auto prefix = std::string("xox") + kind + "-";
    list.push_back({"Slack token", prefix + "123456789012-" + filler(24), prefix + "***"});
  }
  return list;
}

TEST(Mask, HidesEveryKeyShapeAndNamesIt) {
  const Masker masker;
  for (const auto& [name, key, masked] : examples()) {
    EXPECT_EQ(masker.mask(key), masked);
    EXPECT_EQ(masker.find_key_shape("a key: " + key + " there"), name) << masked;
  }
}

TEST(Mask, FindsKeysWhereverAWordMayStart) {
  const Masker masker;
  const std::string surroundings[][2] = {{"key is ", " ok"},
                                         {"KEY=", "\n"},
                                         {"\"", "\""},
                                         {"https://u:", "@host/x"},
                                         {"line\n", "\nline"},
                                         {R"({"a":"x\n)", "\"}"},
                                         {R"(tab\t)", R"(\n)"},
                                         {"\x1b[1;32m", "\x1b[0m"},
                                         {"\n-", "\n"},
                                         {"(", ")"},
                                         {"`", "`"},
                                         {R"(\u001b[31m)", R"(\u001b)"}};
  for (const auto& [name, key, masked] : examples()) {
    for (const auto& [before, after] : surroundings) {
      EXPECT_EQ(masker.mask(before + key + after), before + masked + after);
    }
  }
}

TEST(Mask, LeavesOrdinaryTextAlone) {
  const Masker masker;
  const std::string texts[] = {
      "task-force-2026-planning-document-for-the-year",
      "the risk-assessment0123456789abcdef0123456789 report",
      "sk-learn-contrib-imbalanced-learn and sk-ant-colony-optimisation-framework",
      "d41d8cd98f00b204e9800998ecf8427e 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
      "550e8400-e29b-41d4-a716-446655440000",
      "/usr/share/hf_transformers/models_2024/npm_config_registry_cache_directory_1",
      "ASIAPACIFICREGIONALHEADQUARTERS and AKIA",
      "Bearer authentication_is_required_here",
      "bearer token; Bearer $TOKEN; Bearer <token>",
      "eyJhbGciOiJIUzI1NiJ9 alone, or eyJ.eyJ.x",
      "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
      "ghp_short glpat-x xoxb- sk- sk-ant-***",
      "toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL",
      "prefix_ghp_" + filler(36),
      "grüße 日本語 🙂",
      ""};
  for (const auto& text : texts) {
    EXPECT_EQ(masker.mask(text), text);
    EXPECT_EQ(masker.find_key_shape(text), "") << text;
  }
}

TEST(Mask, HidesAnUnfinishedPrivateKeyToTheEnd) {
  EXPECT_EQ(Masker().mask("x -----BEGIN RSA PRIVATE KEY-----\nMIIEow"),
            "x -----BEGIN RSA PRIVATE KEY-----***");
}

TEST(Mask, HidesValuesOfSecretVariables) {
  const Masker masker({"DB_PASSWORD=hunter2hunter2", "HOME=/home/somebody", "NOTHING", "API_KEY="});
  EXPECT_EQ(masker.mask("xhunter2hunter2y in /home/somebody"), "x***y in /home/somebody");
  EXPECT_EQ(masker.find_key_shape("hunter2hunter2"), "");
}

TEST(Mask, HidesTheJsonFormOfAValueToo) {
  const Masker masker({"MY_SECRET=a\"b\\c\nd\te\x01z"});
  EXPECT_EQ(masker.mask("<a\"b\\c\nd\te\x01z>"), "<***>");
  EXPECT_EQ(masker.mask(R"(<a\"b\\c\nd\te\u0001z>)"), "<***>");
}

TEST(Mask, PrefersTheLongerOfTwoValues) {
  const Masker masker({"A_TOKEN=abcdefgh", "B_TOKEN=abcdefghijkl"});
  EXPECT_EQ(masker.mask("abcdefghijkl abcdefgh"), "*** ***");
}

TEST(Mask, IgnoresSpaceAroundAValue) {
  EXPECT_EQ(Masker({"A_TOKEN= abcdefgh\n"}).mask("(abcdefgh)"), "(***)");
}

TEST(Mask, LeavesHarmlessValuesAlone) {
  const Masker masker({"A_TOKEN=short77", "B_TOKEN=postgres", "C_SECRET=true", "D_KEY=/usr/bin",
                       "E_CREDENTIALS=/dev/null", "KEY_PATH=some/where", "F_PASSWORD=        "});
  const std::string text = "short77 postgres true /usr/bin /dev/null some/where         ";
  EXPECT_EQ(masker.mask(text), text);
}

TEST(Mask, HidesValuesThatOnlyLookLikePaths) {
  EXPECT_EQ(Masker({"AWS_SECRET_ACCESS_KEY=/" + filler(20) + "/" + filler(18)})
                .mask("/" + filler(20) + "/" + filler(18)),
            "***");
}

TEST(Mask, KnowsSecretNames) {
  for (const std::string_view name :
       {"ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY",
        "OPENAI_APIKEY", "SMTP_PASS", "npm_config__authToken", "SECRET", "MY_SECRETS", "KEY",
        "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "DOCKER_AUTH_CONFIG", "ROOT_PASSWD",
        "SSH_PASSPHRASE", "VAULT_CREDENTIAL", "TOKEN_2"}) {
    EXPECT_TRUE(looks_secret(name)) << name;
  }
}

TEST(Mask, KnowsHarmlessNames) {
  for (const std::string_view name :
       {"SSH_AUTH_SOCK", "HOME", "PATH", "PWD", "MONKEY", "COMPASS_HOME", "GIT_AUTHOR_NAME",
        "XAUTHORITY", "MAX_THINKING_TOKENS", "TLS_KEY_FILE", "KEY_PATH", "AWS_ACCESS_KEY_ID",
        "AUTH_TYPE", "KEYBOARD", "TOKENIZERS_PARALLELISM", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
        "SECRET_NAME", "", "___"}) {
    EXPECT_FALSE(looks_secret(name)) << name;
  }
}

TEST(Mask, TwiceIsOnce) {
  const Masker masker({"A_TOKEN=abcdefgh", "B_PASSWORD=****************", "C_SECRET=x***yyyyy"});
  std::mt19937 random(11);
  std::vector<std::string> parts{
      "abcdefgh", "x",  "yyyyy",   "***", "-", "_",       " ",
      "\\n",      "\n", "\x1b[3m", ".",   "=", "Bearer ", "-----BEGIN RSA PRIVATE KEY-----",
      "-----END "};
  for (const auto& example : examples()) {
    parts.push_back(example.key);
    parts.push_back(example.key.substr(0, 9));
  }
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 6; ++i) text += parts[random() % parts.size()];
    const auto once = masker.mask(text);
    ASSERT_EQ(masker.mask(once), once) << text;
  }
}

TEST(Mask, LongTextsOfHalfKeysAreLeftAlone) {
  const Masker masker({"A_TOKEN=aaaaaaaaaaaaaaab"});
  const std::size_t size = 4'000'000;
  for (const std::string piece : {"sk-ant-", "sk-", "eyJ.", "eyJaaaaaaaaa.x.", "-", "a", "Bearer ",
                                  "[0m", "-----BEGIN ", "ghp_", "\\nsk-", "1"}) {
    std::string text;
    while (text.size() < size) text += piece;
    EXPECT_TRUE(masker.mask(text) == text) << piece;
  }
}

TEST(Masker, ThePasswordInAnAddressIsHidden) {
  const Masker masker(std::vector<std::string>{"BASE_URL=https://me:correct-horse@host/path"});
  EXPECT_EQ(masker.mask("to https://me:correct-horse@host"), "to https://me:***@host");
}

}  // namespace
}  // namespace ralph
