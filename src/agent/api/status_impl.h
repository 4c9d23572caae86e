#pragma once
#include "agent/api/failure.h"

namespace ralph::api {

/// The HTTP status of a failure; of an error event the status that its type stands for. 0: none.
int status_of(const Failure& failure);

}  // namespace ralph::api
