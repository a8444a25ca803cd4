// TimeColumn: one schedule of a space-time diagram.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "viz/message_times.h"
#include "viz/rank_row.h"

namespace onceover::viz {

/// The ranks of a schedule across, its messages as lines from when they are sent to their arrival, and its steps at the
/// right. Nothing is drawn over a label, and a label belongs to the arrow that it lies on.
///
/// First everything is placed on an axis, as often as needed, then it is drawn. The axis outlives the column.
class TimeColumn {
 public:
  /// The part of a schedule that the options ask for, in their width and by their clock. Refused if nothing is sent, or
  /// if its ranks or the messages of a step can't be told apart.
  static Drawn<TimeColumn> make(const Schedule& schedule, const DrawOptions& options);

  const std::string& title() const { return title_; }
  const SelectedMessages& selection() const { return selection_; }
  const MessageTimes& times() const { return times_; }
  /// Of the ranks at the top.
  double row_height() const { return 2 * row_->half_height(); }
  std::string labels_explanation() const { return row_->explanation(); }

  /// Divides the width into axis, ranks and steps.
  void set_axis(const TimeAxis& axis);

  /// Places arrows and labels on the axis, which has been placed.
  void lay_out();

  /// The sizes of the messages: "messages have 1 MiB in steps 0 to 2, 2 MiB in step 3"; empty if each size is beside
  /// its step or on its arrow.
  std::string sizes_text() const;

  /// With the row of ranks at the height y.
  void draw(Picture& picture, double y) const;

 private:
  struct Arrow {
    Point from, to;
  };

  /// A rectangle that a label takes.
  struct Box {
    double left, top, right, bottom;

    bool meets(const Box& other) const;
    bool meets(const Arrow& line) const;
  };

  TimeColumn(const Schedule& schedule, const DrawOptions& options, SelectedMessages selection, MessageTimes times);

  std::optional<DrawError> too_many_messages() const;
  std::string size_text(const Message& m) const;
  std::string common_size(int step) const;
  double right_margin() const;
  std::optional<std::pair<double, double>> band(int step) const;
  bool is_size_beside(int step) const;
  void place_arrows();
  void place_labels();
  bool place_label(std::size_t message);
  bool is_free(const Box& box, std::size_t own) const;
  void draw_grid(Picture& picture, double row) const;
  void draw_steps(Picture& picture) const;
  void draw_arrows(Picture& picture) const;

  std::string title_;
  Names names_;
  SelectedMessages selection_;
  MessageTimes times_;
  Style style_;
  bool waits_;
  double block_;  // bytes
  double small_;
  std::map<int, std::vector<std::size_t>> by_step_;  // messages
  const TimeAxis* axis_ = nullptr;
  std::optional<RankRow> row_;
  std::vector<Arrow> arrows_;  // of each message
  std::vector<std::pair<std::size_t, Box>> labels_;
  std::set<int> unlabelled_;  // steps
};

}  // namespace onceover::viz
