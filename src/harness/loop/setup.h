#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "harness/loop/policy.h"
#include "harness/loop/prompt.h"
#include "harness/run/request.h"

namespace ralph::loop {

/// What a loop does beside working on its goal.
struct Options {
  store::LoopLimits budget;
  std::vector<std::string> verify;
  Millis verify_limit{0};
  std::vector<std::string> protect;  // globs: files that verification takes from the start
  bool verify_clean = false;         // verification runs in a clone of its own
  std::int64_t summarize_every = 10, recent = 5;
  std::string summary_model, summary_reasoning = "high";
  std::string reasoning = "med";
  std::string done_marker = "LOOP_DONE";
  bool commit = false, rollback = false, stash = false;
  Millis git_timeout{0};        // of calls that only read; zero: none
  bool allow_secrets = false;   // in the goal
  bool accept_changes = false;  // of verification and settings, when a loop is resumed
  PromptCaps caps;
};

/// What a loop begins with: everything read and checked, nothing started.
struct Setup {
  std::string loop_id;  // of a resumed one: its own
  bool resumed = false;
  bool same_agent = false;  // of a resumed one: as the one it worked with before
  std::string goal, goal_file;
  std::filesystem::path goal_path;  // of a goal that is a file: absolute
  std::string goal_seen;            // goal_id() of that file
  std::string goal_note;            // of a resumed one: the goal is another one
  std::vector<std::filesystem::path>
      inputs;  // the user's files that say what to do: goal, settings; absolute
  Template form = Template::builtin();
  Options options;
  run::Request request;  // as for one run, without a prompt
  std::map<std::string, std::vector<std::string>> flags;
  std::map<std::string, std::string> settings;         // those that must not change unseen
  std::map<std::string, std::string> settings_before;  // of a resumed one: without what is said now
  std::vector<std::string> warnings;
};

}  // namespace ralph::loop
