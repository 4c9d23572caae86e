#pragma once
#include "mock/scenario.h"
#include "system/http/message.h"

namespace ralph::mock {

/// Whether an answer was complete, or its connection ended inside the body.
enum class Ended { whole, cut };

/// The step that reproduces an answer: a message, an error of the API with the headers that clients use, otherwise the
/// plain HTTP answer. A stream that was cut or ended with an error event gets trouble that does the same.
Step step_of_answer(const http::Response& answer, Ended ended);

}  // namespace ralph::mock
