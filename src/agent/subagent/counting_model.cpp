#include "agent/subagent/counting_model.h"

#include <algorithm>

#include "agent/session/reply_policy.h"

namespace ralph::subagent {

api::Answer CountingModel::ask(const api::Request& request, api::Listener& listener,
                               const std::stop_token& stop) {
  auto answer = model_->ask(request, listener, stop);
  if (answer.failure) return answer;
  const std::lock_guard lock(mutex_);
  answered_.last_usage = answer.reply.usage;
  if (const auto text = session::last_text(answer.reply); !text.empty()) {
    answered_.last_text = text;
  }
  return answer;
}

void CountingModel::add_call(const std::string& tool) {
  const std::lock_guard lock(mutex_);
  ++answered_.tool_uses;
  auto& tools = answered_.tools;
  if (std::ranges::find(tools, tool) == tools.end()) tools.push_back(tool);
}

Answered CountingModel::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

std::int64_t tokens_of(const api::Usage& usage) {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens +
         usage.output_tokens;
}

}  // namespace ralph::subagent
