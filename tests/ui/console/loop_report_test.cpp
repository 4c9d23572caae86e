#include "ui/console/loop_report.h"

#include <gtest/gtest.h>

#include "ui/console/figures.h"
#include "ui/console/some_report.h"

namespace ralph::console {
namespace {

constexpr std::string_view kResume = "ralph loop --resume";

TEST(LoopReport, IsPlainAndAligned) {
  EXPECT_EQ(loop_report(some_report(), *parse_iso("2026-11-15T12:00:00Z"), "/w/l.ndjson", kResume),
            "\n--- Loop Ended ---\n"
            "Ended        iteration limit reached (12)\n"
            "Iterations   12, 1,234 tool calls\n"
            "Time         1h01m (model 40m00s, tools 20m00s, other 1m40s), " +
                date_time(some_report().started) + " to " + date_time(some_report().ended) +
                "\n"
                "Tokens       input 1,000 | cache read 2,000,000 | cache write 30 | output 4,000\n"
                "Cost         $1.2500, today $2.5000 by all loops in this directory\n"
                "Files        2 files changed, +12 -3 lines\n"
                "             M +12 -3       src/a.cpp\n"
                "             A not text     b.png\n"
                "Changes      git diff 0123456789 fedcba9876 (until 'git gc' removes these trees)\n"
                "Resume       ralph loop --resume --max-iterations 24\n"
                "Records      /w/.ralph/state/progress.ndjson\n"
                "Last run     ralph replay /w/l.ndjson\n");
}

TEST(LoopReport, PartsOfTheTimeAddUp) {
  auto report = some_report();
  report.elapsed = Millis{4900};
  report.totals.time = {Millis{1900}, Millis{900}, Millis{0}};
  EXPECT_NE(loop_report(report, {}, {}, kResume).find("4s (model 2s, tools 0s, other 2s), "),
            std::string::npos);
}

TEST(LoopReport, QuotesTheLogForAShell) {
  EXPECT_NE(loop_report(some_report(), {}, "/w/my  proj/l.ndjson", kResume)
                .find("Last run     ralph replay '/w/my  proj/l.ndjson'\n"),
            std::string::npos);
}

TEST(LoopReport, OfALoopThatDidNothingIsNotAboutTheOneBefore) {
  auto report = some_report();
  report.reason = store::StopReason::agent;
  report.why = "the agent could not log in";
  report.restored_loop = "K";
  const auto text = loop_report(report, {}, {}, kResume);
  EXPECT_NE(text.find("Ended        the agent could not log in\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("Resume       not this loop: 'ralph loop --resume' continues the previous one, "
                "K\n             to work on this goal, start the loop again\n"
                "Records      /w/.ralph/state/progress-L.ndjson\n"),
      std::string::npos)
      << text;
}

TEST(LoopReport, SaysThatFilesChangedSinceTheyWereVerified) {
  auto report = some_report();
  report.reason = store::StopReason::done;
  report.verified = "verified by `make test` in the working tree";
  report.changed_since_verified = true;
  EXPECT_EQ(reason_of(report).text,
            "done, verified by `make test` in the working tree; files were changed since, and not "
            "verified again");
}

TEST(LoopReport, SaysHowMuchWasSpentToday) {
  auto report = some_report();
  report.reason = store::StopReason::cost_per_day;
  report.budget.cost_per_day_usd = 2;
  report.ended = *parse_iso("2026-11-15T12:00:00Z");
  EXPECT_EQ(reason_of(report).text, "daily cost limit reached ($2.5000 of $2.0000 today)");
}

TEST(LoopReport, NamesGuidanceAndStashThatAreLeft) {
  auto report = some_report();
  report.guidance_left = 1;
  report.stash = "refs/ralph/stashed-L";
  report.stash_entry = "stash@{1}";
  const auto text = loop_report(report, {}, {}, kResume);
  EXPECT_NE(
      text.find("Guidance     1 message of 'ralph tell' was not delivered: kept for the next "
                "iteration\n"
                "Stash        your changes from before the loop: git stash pop --index stash@{1} "
                "(kept as refs/ralph/stashed-L too)\n"),
      std::string::npos)
      << text;
}

TEST(LoopReport, NamesTwentyFilesAtMost) {
  auto report = some_report();
  report.files.assign(23, {'M', "x", 1, 1});
  const auto text = loop_report(report, {}, {}, kResume);
  EXPECT_NE(text.find("… and 3 more\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Last run"), std::string::npos);
}

TEST(LoopReport, OfALoopThatIsDoneSaysNothingOfResuming) {
  auto report = some_report();
  report.reason = store::StopReason::done;
  report.files.clear();
  const auto text = loop_report(report, {}, {}, kResume);
  EXPECT_TRUE(
      text.starts_with("\n--- Loop Complete ---\n"
                       "Done         claimed by the agent; nothing checked it\n"
                       "             use --verify COMMAND to check a DONE\n"))
      << text;
  EXPECT_EQ(text.find("Resume"), std::string::npos);
  EXPECT_NE(text.find("Files        none changed\n"), std::string::npos);
}

TEST(LoopReport, SaysWhatVerifiedIt) {
  auto report = some_report();
  report.reason = store::StopReason::done;
  report.verified = "verified by `make test` in the working tree";
  EXPECT_NE(loop_report(report, {}, {}, kResume)
                .find("Done         verified by `make test` in the working tree\nIterations"),
            std::string::npos);
  EXPECT_EQ(reason_of(report).text, "done, verified by `make test` in the working tree");
}

TEST(LoopReport, NamesWaitsAndVerificationApartFromTheRest) {
  auto report = some_report();
  report.waited = Millis{60'000};
  report.totals.verifications = 1;
  report.totals.verifying = Millis{30'000};
  EXPECT_NE(loop_report(report, {}, {}, kResume)
                .find("(model 40m00s, tools 20m00s, verification 30s, waiting 1m00s, other 10s)"),
            std::string::npos);
}

TEST(LoopReport, NamesTheNewestCommits) {
  auto report = some_report();
  report.commits = {{"0123456789", "ralph: iteration 2: \x1b[31mmore"}, {"abcdef0123", "first"}};
  report.commit_count = 14;
  EXPECT_NE(loop_report(report, {}, {}, kResume)
                .find("Changes      14 commits\n"
                      "             0123456789 ralph: iteration 2: more\n"
                      "             abcdef0123 first\n"
                      "             … and 12 more\n"
                      "             git diff 0123456789 fedcba9876\n"),
            std::string::npos);
}

TEST(LoopReport, CostOfAnAgentThatDoesNotTellItIsUnknown) {
  auto report = some_report();
  report.totals.cost_usd = 0;
  report.totals.priced = 0;
  report.totals.unpriced = 3;
  EXPECT_NE(loop_report(report, {}, {}, kResume).find("Cost         unknown\n"), std::string::npos);
  report.totals.priced = 1;
  report.totals.cost_usd = 0.5;
  EXPECT_EQ(cost_text(report.totals), "$0.5000 and 3 runs of unknown cost");
}

TEST(ResumeCommand, RaisesEveryLimitThatWasReached) {
  auto report = some_report();
  const auto today = *parse_iso("2026-11-15T12:00:00Z");
  report.budget = {};
  EXPECT_EQ(resume_command(report, today, kResume), kResume);
  report.budget.iterations = 12;
  report.budget.cost_usd = 1.25;
  report.budget.time = Millis{3'600'000};
  report.budget.cost_per_day_usd = 2;
  EXPECT_EQ(resume_command(report, today, kResume),
            "ralph loop --resume --max-iterations 24 --max-time 2h02m --max-cost 2.50 "
            "--max-cost-per-day 5.00");
  report.budget = {.time = Millis{3'800'000}};
  EXPECT_EQ(resume_command(report, today, kResume), kResume);
  report.would_wait = Millis{7'200'000};
  EXPECT_EQ(resume_command(report, today, kResume), "ralph loop --resume --max-time 4h05m");
  report.reason = store::StopReason::tampered;
  report.budget = {};
  EXPECT_EQ(resume_command(report, today, kResume), "ralph loop --resume --accept-changes");
}

}  // namespace
}  // namespace ralph::console
