#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/session/heartbeat_reporter.h"
#include "agent/session/io.h"
#include "agent/session/turn_control.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"

namespace ralph::session {

/// What the agent is started with.
struct Setup {
  settings::Options options;
  settings::Environment environment;
  std::filesystem::path cwd;
  Io io;
  std::string version;  // of ralph
  bool is_root = false;
  HeartbeatTimes heartbeats = {};
};

/// The agent door: Claude Code's headless behaviour, from the command line to the exit code.
class Agent {
 public:
  explicit Agent(Setup setup) : setup_(std::move(setup)) {}

  /// Works until the input ends or it is stopped; returns the exit code.
  int run();
  /// From any thread: SIGINT ends the turn with a result, then the agent; SIGTERM and SIGHUP end it at once.
  void on_signal(int signal_number);
  /// From any thread: nobody reads what it says.
  void lose_reader();

 private:
  Setup setup_;
  TurnControl control_;
};

}  // namespace ralph::session
