// Precompiled for tests.
#pragma once
#include "ralph_json_pch.h"

#include <fstream>

#include <gtest/gtest.h>
