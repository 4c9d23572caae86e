#pragma once
// Private to the .cpp files of this module: what is known about the tools agents call.
#include <string>
#include <string_view>

#include "harness/stream/dom_impl.h"
#include "harness/stream/event.h"

namespace ralph::stream {

ToolKind kind_of_tool(std::string_view name);

/// The one argument a person wants to see: a command, a path, "pattern in path". Borrows from
/// `input`, or from `scratch` when it is put together.
std::string_view detail_of_call(std::string_view name, View input, std::string& scratch);

}  // namespace ralph::stream
