// Work split among threads.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// Runs worker(0) .. worker(threads-1), each on its own thread (worker 0 on this one), and waits for all. Rethrows the
/// first exception of a worker.
template <class Worker>
void run_workers(int threads, Worker&& worker) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  auto guarded = [&](int k) {
    try {
      worker(k);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int k = 1; k < threads; ++k) others.emplace_back(guarded, k);
    } catch (const std::system_error&) {
      throw std::bad_alloc();  // the system has no room for another stack
    }
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace onceover::base
