/* Elements in the place of numbers: code that only copies, sends and adds them compiles as C++ with this in front.
 * What else it does with them doesn't compile, and the compiler names the line.
 */
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "ledger.h"

extern "C" int onceover_rank;
extern "C" void onceover_add(const onceover_element* left, onceover_element* right, void** frame);

class onceover_number {
 public:
  onceover_number() = default;
  /// Only 0 is a sum, of nothing. Other numbers are no elements.
  onceover_number(int number) : onceover_number(static_cast<double>(number)) {}
  onceover_number(double number)
      : element_(number == 0 ? onceover_zero_element(rank()) : ~onceover_zero_element(rank())) {}

  onceover_number& operator+=(const onceover_number& other) {
    onceover_element sum = other.element_;
    onceover_add(&element_, &sum, static_cast<void**>(__builtin_frame_address(0)));
    element_ = sum;
    return *this;
  }
  friend onceover_number operator+(onceover_number a, const onceover_number& b) { return a += b; }

 private:
  static uint32_t rank() { return static_cast<uint32_t>(onceover_rank); }

  onceover_element element_;
};

#ifndef ONCEOVER_OWN_NUMBERS
#define double onceover_number
#define float onceover_number
#undef MPI_FLOAT
#define MPI_FLOAT MPI_DOUBLE
#endif
