#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include "agent/session/heartbeat_reporter.h"
#include "agent/session/turn_control.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "agent/wire/io.h"

namespace ralph::wire {

/// What the agent is started with.
struct Setup {
  settings::Options options;
  settings::Environment environment;
  std::filesystem::path cwd;
  Io io;
  std::string version;  // of ralph
  bool is_root = false;
  session::HeartbeatTimes heartbeats = {};
};

/// The agent as a program: Claude Code's headless behaviour, from the command line to the exit code.
class Agent {
 public:
  explicit Agent(Setup setup) : setup_(std::move(setup)) {}

  /// Runs until the input ends or the agent is stopped; returns the exit code.
  int run();
  /// From any thread. SIGINT ends the turn with a result, then the agent; SIGTERM and SIGHUP end it at once.
  void on_signal(int signal_number);
  /// From any thread: the reader of the output is gone.
  void lose_reader();

 private:
  Setup setup_;
  session::TurnControl control_;
};

}  // namespace ralph::wire
