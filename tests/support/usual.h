// Headers that nearly every test includes; precompiled (tests/CMakeLists.txt). Tests still include what they use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/run/experiment.h"
