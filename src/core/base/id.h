#pragma once
#include <cstddef>
#include <string>

namespace ralph {

/// 2 * bytes lower-case hex digits from the system's random source.
std::string random_hex(std::size_t bytes);

/// A version 4 UUID, as agents use for sessions and messages.
std::string make_uuid();

/// The name of a run: sorts by time and is unique, e.g. "20261115-143740-5f2a9c".
std::string make_run_id();

}  // namespace ralph
