#pragma once
#include <string>

#include "agent/subagent/task.h"
#include "agent/tool/tool.h"

namespace ralph::subagent {

/// The result of a call that waited for its subagent. Every line of the report is indented, so that nothing in it can look
/// like text of ours.
tool::Outcome outcome_of(const Report& report, const Task& task, const std::string& agent_id);
/// The result of a call whose subagent continues in the background.
tool::Outcome launched(const tool::BackgroundTask& facts, const Task& task,
                       const std::string& model);
/// How a subagent ended, for clients and, as `message`, for the model.
tool::TaskNotification notification_of(const Report& report, const tool::BackgroundTask& facts);

}  // namespace ralph::subagent
