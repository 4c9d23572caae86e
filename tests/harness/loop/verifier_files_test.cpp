#include "harness/loop/verifier_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/loop/verify_bench.h"

namespace ralph::loop {
namespace {

TEST(VerifierFiles, ACheckThatIsNoExecutableFileIsRefused) {
  const VerifyBench bench;
  bench.check("#!/bin/sh\n", 0600);
  EXPECT_EQ(bench.verifier().error().code, Code::config);
  const auto path = bench.folder / ".ralph/check";
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/bin/true", path);
  EXPECT_EQ(bench.verifier().error().code, Code::config);
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0700), 0);
  EXPECT_EQ(bench.verifier().error().code, Code::config);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_EQ(bench.verifier().error().code, Code::config);
}

TEST(VerifierFiles, AChangedCheckIsNotRun) {
  VerifyBench bench;
  bench.check("#!/bin/sh\nexit 1\n");
  const auto verifier = bench.verifier({"touch reached"});
  ASSERT_TRUE(verifier);
  const auto refused = [&] {
    const auto verification = bench.run(*verifier);
    return !verification && verification.error().code == Code::permission &&
           !std::filesystem::exists(bench.folder / "reached");
  };
  bench.check("#!/bin/sh\nexit 0\n");
  EXPECT_TRUE(refused());
  bench.check("#!/bin/sh\nexit 1\n", 0600);
  EXPECT_TRUE(refused()) << "it cannot be executed any more";
  std::filesystem::remove(bench.folder / ".ralph/check");
  EXPECT_TRUE(refused()) << "it is gone";
  std::filesystem::create_symlink(bench.folder.write("same", "#!/bin/sh\nexit 1\n", 0700),
                                  bench.folder / ".ralph/check");
  EXPECT_TRUE(refused()) << "it is a link";
  std::filesystem::remove(bench.folder / ".ralph/check");
  bench.check("#!/bin/sh\nexit 1\n");
  EXPECT_TRUE(bench.run(*verifier)) << "it is what it was";
}

TEST(VerifierFiles, AnAddedCheckIsNotRun) {
  VerifyBench bench;
  const auto verifier = bench.verifier({"true"});
  bench.check("#!/bin/sh\ntouch reached\n");
  EXPECT_EQ(bench.run(*verifier).error().code, Code::permission);
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "reached"));
}

TEST(VerifierFiles, TheBytesThatWereLookedAtAreThoseThatRun) {
  VerifyBench bench;
  bench.check("#!/bin/sh\nexit 5\n");
  const auto verification = bench.run(
      {"printf '#!/bin/sh\\nexit 0\\n' > .ralph/check; ln -sf /bin/true .ralph/check.running"});
  ASSERT_TRUE(verification);
  EXPECT_EQ(verification->reason, "exit code 5");
}

TEST(VerifierFiles, TheDigestIsOfCommandsAndCheck) {
  const VerifyBench bench;
  const auto digest = [&](std::vector<std::string> commands) {
    return bench.verifier(std::move(commands))->files().digest();
  };
  EXPECT_EQ(digest({"a", "b"}), digest({"a", "b"}));
  EXPECT_NE(digest({"a", "b"}), digest({"a\nb"}));
  EXPECT_NE(digest({"a", "b"}), digest({"b", "a"}));
  const auto without = digest({"a"});
  bench.check("#!/bin/sh\n");
  const auto with = digest({"a"});
  EXPECT_NE(with, without);
  bench.check("#!/bin/sh\n#\n");
  EXPECT_NE(digest({"a"}), with);
}

TEST(VerifierFiles, AFileThatACommandNamesIsThatOfTheStart) {
  VerifyBench bench;
  bench.check("#!/bin/sh\n");
  const auto file = bench.folder.write(".ralph/lib.sh", "exit 1\n");
  const std::vector<std::string> commands{"touch reached", "sh ./.ralph/lib.sh; ls .ralph/logs/"};
  const auto verifier = bench.verifier(commands);
  ASSERT_TRUE(verifier);
  EXPECT_EQ(bench.run(*verifier)->reason, "exit code 2");
  std::filesystem::remove(bench.folder / "reached");
  const auto refused = [&] {
    const auto verification = bench.run(*verifier);
    return !verification && verification.error().code == Code::permission &&
           verification.error().message.contains(".ralph/lib.sh") &&
           !std::filesystem::exists(bench.folder / "reached");
  };
  bench.folder.write(".ralph/lib.sh", "exit 0\n");
  EXPECT_TRUE(refused());
  EXPECT_NE(bench.verifier(commands)->files().digest(), verifier->files().digest());
  std::filesystem::remove(file);
  EXPECT_TRUE(refused()) << "it is gone";
  std::filesystem::create_symlink(bench.folder.write("same", "exit 1\n"), file);
  EXPECT_TRUE(refused()) << "it is a link";
  EXPECT_EQ(bench.verifier(commands).error().code, Code::config);
  std::filesystem::remove(file);
  const auto without = bench.verifier(commands);
  bench.folder.write(".ralph/lib.sh", "exit 1\n");
  EXPECT_EQ(bench.run(*without).error().code, Code::permission) << "it is new";
  EXPECT_TRUE(bench.run(*verifier)) << "it is what it was";
}

TEST(VerifierFiles, ACommandCannotChangeWhatTheNextOneNames) {
  VerifyBench bench;
  bench.folder.write(".ralph/lib.sh", "exit 1\n");
  const auto verification =
      bench.run({"f=lib.sh; echo 'touch reached' > \".ralph\"/$f", "sh .ralph/lib.sh"});
  ASSERT_FALSE(verification);
  EXPECT_EQ(verification.error().code, Code::permission);
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "reached"));
}

TEST(VerifierFiles, AScriptThatOthersGenerateIsRunAsItIs) {
  VerifyBench bench;
  bench.folder.write("check.sh", "#!/bin/sh\ntest -e never\n", 0755);
  auto verifier = bench.verifier({"./check.sh"});
  ASSERT_TRUE(verifier);
  verifier->files().trust_scripts({"check.sh"});
  bench.folder.write("check.sh", "#!/bin/sh\n", 0755);
  const auto verification = bench.run(*verifier);
  ASSERT_TRUE(verification);
  EXPECT_TRUE(verification->passed);
  EXPECT_EQ(verification->findings.size(), 1U) << "and reported";
}

TEST(VerifierFiles, AScriptOutsideThatChangedIsTampering) {
  VerifyBench bench;
  const test::TempFolder outside;
  const auto script = outside.write("check.sh", "exit 0\n", 0700);
  const auto verifier = bench.verifier({"sh " + script.native(), "true"});
  ASSERT_TRUE(verifier);
  EXPECT_TRUE(bench.run(*verifier)->passed);
  const auto digest = verifier->files().digest();
  outside.write("check.sh", "true\n", 0700);
  const auto verification = bench.run(*verifier);
  ASSERT_FALSE(verification);
  EXPECT_EQ(verification.error().code, Code::permission);
  EXPECT_NE(bench.verifier({"sh " + script.native(), "true"})->files().digest(), digest);
}

TEST(VerifierFiles, ACommandMayInstallItsPrograms) {
  VerifyBench bench;
  bench.folder.write("node_modules/.bin/x", "exit 0\n", 0700);
  const auto verifier =
      bench.verifier({"rm -r node_modules && mkdir -p node_modules/.bin && "
                      "echo 'exit 0' >node_modules/.bin/x && sh node_modules/.bin/x"});
  ASSERT_TRUE(verifier);
  bench.folder.write("node_modules/.bin/x", "agent's", 0700);
  const auto verification = bench.run(*verifier);
  ASSERT_TRUE(verification) << describe(verification.error());
  EXPECT_TRUE(verification->passed);
}

TEST(VerifierFiles, SaysWhichFilesTheAgentCanChange) {
  VerifyBench bench;
  bench.folder.write("Makefile", "all:\n");
  bench.folder.write("check.sh", "exit 0\n");
  EXPECT_EQ(bench.verifier({"grep -q all Makefile"})->files().notice(), "");
  const auto notice = bench.verifier({"sh check.sh && make", "sh $X"})->files().notice();
  EXPECT_TRUE(notice.starts_with(
      "verification keeps the current version of 'check.sh', reports changes to 'Makefile', does "
      "not know which "
      "files '$X' runs; other files that 'make' reads can be changed by the agent: --protect"))
      << notice;
  EXPECT_TRUE(
      bench.verifier({"cargo test"})
          ->files()
          .notice()
          .starts_with("verification: files that 'cargo' reads can be changed by the agent"));
}

}  // namespace
}  // namespace ralph::loop
