#pragma once
#include <string_view>

namespace ralph::loop {

/// Whether a path looks like a test.
bool is_test_file(std::string_view path);
/// Whether it is a file that may decide how tests are run.
bool is_build_file(std::string_view path);

}  // namespace ralph::loop
