// SchedulePatch: the few changes of a schedule file's text by which it says another schedule, and where its steps and
// messages are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// A part of a text, in bytes from 0, and what stands there instead.
struct TextEdit {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

/// The edits in order; they don't overlap.
using SchedulePatch = std::vector<TextEdit>;

/// The text after the edits.
std::string patched(std::string_view text, const SchedulePatch& patch);

/// By which edits does the file's text, which says the schedule `from`, say `to`? A message that differs is written
/// anew at its place, one that is gone is taken out, and a further one stands at the end of its step. The rest of the
/// text stays as it is. Nothing if the schedules have another number of steps, or other names. O(text + transfers log
/// transfers).
std::optional<SchedulePatch> schedule_patch(std::string_view text, const Schedule& from, const Schedule& to);

/// From the first byte, a bracket, to the one after the last.
struct TextSpan {
  std::size_t begin;
  std::size_t end;
};

struct StepPlace {
  TextSpan step;
  std::vector<TextSpan> transfers;
};

/// Of each step of a schedule file, which must be right JSON. O(text).
std::vector<StepPlace> step_places(std::string_view text);

}  // namespace onceover::formats
