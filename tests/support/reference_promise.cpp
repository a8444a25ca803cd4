#include "reference_promise.h"

#include <numeric>

namespace onceover::support {

namespace {

using Vector = std::vector<Labels>;

Vector input(Rank rank, std::int64_t size) {
  Vector vector;
  for (std::int64_t k = 0; k < size; ++k) vector.push_back({{rank, k}});
  return vector;
}

/// The input of a rank that has a part for each, cut into these.
std::vector<Vector> cut(Rank rank, const std::vector<std::int64_t>& counts) {
  const Vector whole = input(rank, std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<Vector> parts;
  auto at = whole.begin();
  for (const std::int64_t count : counts) {
    parts.emplace_back(at, at + count);
    at += count;
  }
  return parts;
}

void append(Vector& vector, const Vector& more) {
  vector.insert(vector.end(), more.begin(), more.end());
}

/// Adds the first `end` vectors, element by element.
Vector sum(const std::vector<Vector>& vectors, std::size_t end) {
  Vector total;
  for (std::size_t r = 0; r < end; ++r) {
    total.resize(vectors[r].size());
    for (std::size_t k = 0; k < total.size(); ++k)
      total[k].insert(total[k].end(), vectors[r][k].begin(), vectors[r][k].end());
  }
  return total;
}

}  // namespace

std::vector<Vector> results_of(Promised promised, Rank root, const PairCounts& counts) {
  const std::size_t p = counts.size(), top = static_cast<std::size_t>(root);
  std::vector<Vector> whole, results(p);
  std::vector<std::vector<Vector>> parts;
  Vector joined;
  for (std::size_t r = 0; r < p; ++r) {
    whole.push_back(input(static_cast<Rank>(r), counts[r][0]));
    parts.push_back(cut(static_cast<Rank>(r), counts[r]));
    append(joined, whole[r]);
  }
  for (std::size_t r = 0; r < p; ++r) {
    std::vector<Vector> for_me;
    for (std::size_t src = 0; src < p; ++src) for_me.push_back(parts[src][r]);
    switch (promised) {
      case Promised::allreduce: results[r] = sum(whole, p); break;
      case Promised::reduce: results[r] = r == top ? sum(whole, p) : Vector(); break;
      case Promised::scan: results[r] = sum(whole, r + 1); break;
      case Promised::exscan: results[r] = sum(whole, r); break;
      case Promised::reduce_scatter: results[r] = sum(for_me, p); break;
      case Promised::broadcast: results[r] = whole[top]; break;
      case Promised::scatter: results[r] = for_me[top]; break;
      case Promised::gather: results[r] = r == top ? joined : Vector(); break;
      case Promised::allgather: results[r] = joined; break;
      case Promised::alltoall:
        for (const Vector& part : for_me) append(results[r], part);
        break;
      case Promised::permute:
      case Promised::barrier:
      case Promised::stated: break;
    }
  }
  return results;
}

}  // namespace onceover::support
