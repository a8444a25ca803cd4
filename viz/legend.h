// Legend: the key to the lines of messages.
#pragma once

#include "viz/key.h"
#include "viz/messages.h"

namespace onceover::viz {

/// Below a picture of messages: a sample for each lane if there are several, and what their heads mean.
class Legend {
 public:
  explicit Legend(const std::vector<Message>& messages, const Style& style);

  /// Adds a sentence about the picture.
  void add_words(std::string words) { key_.add_words(std::move(words)); }

  /// 0 if there are no messages.
  double height() const { return key_.height(); }

  void draw(Dot& dot, double top) const { key_.draw(dot, top); }

 private:
  PictureKey key_;
};

}  // namespace onceover::viz
