#pragma once
#include <functional>

#include "agent/session/turn_control.h"
#include "agent/wire/agent.h"

namespace ralph::wire {

/// Does the work of a thread. An exception stops the agent with a message: all threads, wherever they wait.
void run_guarded(const Setup& setup, session::TurnControl& control,
                 const std::function<void()>& work);

}  // namespace ralph::wire
