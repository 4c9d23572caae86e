#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hook/event.h"
#include "core/base/time.h"

namespace ralph::hook {

/// A hook that runs.
struct HookStart {
  Event event;
  std::string id;
  std::string name;     // "PreToolUse:Bash"
  std::string command;  // of the client's: "callback"
};

/// A hook that has ended.
struct HookEnd {
  enum class Outcome { success, error, cancelled };
  Outcome outcome = Outcome::success;
  std::string out, err;  // without secrets
  std::optional<int> exit_code;
  Millis duration{0};
  std::string problem;               // what went wrong; empty: nothing
  bool blocks = false;               // because of the problem
  std::vector<std::string> notices;  // for the user
};
std::string_view to_string(HookEnd::Outcome outcome);

/// Is told what hooks do. Called from many threads.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_start(const HookStart& start) = 0;
  virtual void on_end(const HookStart& start, const HookEnd& end) = 0;
};

}  // namespace ralph::hook
