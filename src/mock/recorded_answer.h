#pragma once
#include "system/http/message.h"
#include "mock/scenario.h"

namespace ralph::mock {

/// Whether an answer was whole, or its connection ended inside the body.
enum class Ended { whole, cut };

/// The step that gives this answer again: a message with what it says, an error of the API with the
/// headers that matter, or else the plain HTTP answer. A stream that broke off, or ended with an
/// error event, gets the trouble that does the same.
Step step_of_answer(const http::Response& answer, Ended ended);

}  // namespace ralph::mock
