#pragma once
#include "agent/api/client.h"
#include "agent/api/failure.h"
#include "agent/api/request.h"

namespace ralph::api {

/// The request without them.
void withhold(Request& request, const Withheld& withheld);

/// Whether the failure of that request is about an optional part of it: that part is withheld from now on.
bool withhold_refused(const Request& sent, const Failure& failure, Withheld& withheld);

}  // namespace ralph::api
