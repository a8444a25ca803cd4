// Work split among threads.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// How many threads can run at a time: 1 where there are none but the first, as in a browser.
inline int cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// A thread that is waited for. Not every standard library has std::jthread.
class Joined {
 public:
  template <class Work>
  Joined(Work&& work, int argument) : thread_(std::forward<Work>(work), argument) {}
  Joined(Joined&&) = default;
  ~Joined() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

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
    std::vector<Joined> others;
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
