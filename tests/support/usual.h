// What nearly every test includes; precompiled (tests/CMakeLists.txt). Tests include what they use all the same.
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
