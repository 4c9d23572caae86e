#pragma once
#include "agent/api/client.h"
#include "agent/api/failure.h"
#include "agent/api/request.h"

namespace ralph::api {

/// Removes the parts that the endpoint does not support.
void remove_parts(Request& request, const UnsupportedParts& unsupported);

/// Whether the failure says that an optional part of the request is not supported; marks that part.
bool note_unsupported(const Request& sent, const Failure& failure, UnsupportedParts& unsupported);

}  // namespace ralph::api
