// Places and curves on a picture.
#pragma once

#include "base/namespaces.h"

namespace onceover::viz {

/// A place in points from the upper left corner; x grows to the right, y downward.
struct Point {
  double x;
  double y;

  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(double k, Point a) { return {k * a.x, k * a.y}; }
};

/// A cubic Bézier curve.
struct Curve {
  Point from;
  Point leaving;  // control points
  Point arriving;
  Point to;

  static Curve straight(Point from, Point to);
  Point at(double t) const;

  /// The part up to t, and the part from t on, for t in 0 .. 1.
  Curve before(double t) const;
  Curve after(double t) const;

  Curve reversed() const { return {to, arriving, leaving, from}; }
};

/// The curve up to the place where an arrowhead of this length begins; never empty.
Curve without_head(const Curve& curve, double length);

}  // namespace onceover::viz
