#include "viz/geometry.h"

#include <algorithm>
#include <cmath>

namespace onceover::viz {

namespace {

Point between(Point a, Point b, double t) {
  return (1 - t) * a + t * b;
}

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

}  // namespace

Curve Curve::straight(Point from, Point to) {
  return {from, between(from, to, 1.0 / 3), between(from, to, 2.0 / 3), to};
}

Point Curve::at(double t) const {
  return before(t).to;
}

Curve Curve::before(double t) const {
  const Point a = between(from, leaving, t), b = between(leaving, arriving, t), c = between(arriving, to, t);
  const Point ab = between(a, b, t), bc = between(b, c, t);
  return {from, a, ab, between(ab, bc, t)};
}

Curve Curve::after(double t) const {
  return reversed().before(1 - t).reversed();
}

Curve without_head(const Curve& curve, double length) {
  double near = 0, far = 1;
  for (int k = 0; k < 30; ++k) {
    const double t = (near + far) / 2;
    (distance(curve.at(t), curve.to) > length ? near : far) = t;
  }
  return curve.before(std::max(near, 0.05));
}

}  // namespace onceover::viz
