// Messages are compared as the writer would write them, step by step, as multisets. What only the old step has and what
// only the new one has are paired in order: those are the changed messages. The others of either are gone or further.
//
// Example: a step `[{a}, {b}]` is to say a and c. b and c are paired: `{b}` is replaced by `{c}`, and `{a}` stays.

#include "formats/schedule_patch.h"

#include <algorithm>
#include <map>

#include "base/json_source.h"
#include "formats/schedule_file.h"

namespace onceover::formats {

namespace {

std::vector<std::string> texts_of(const Schedule& schedule, int step) {
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  std::vector<std::string> texts;
  for (const Transfer& t : transfers) texts.push_back(transfer_text(t, schedule.header().lanes > 1));
  return texts;
}

/// The numbers of those of `these` that `others` hasn't, each as often as it is missing there.
std::vector<std::size_t> only_in(const std::vector<std::string>& these, const std::vector<std::string>& others) {
  std::map<std::string_view, int> there;
  for (const std::string& text : others) ++there[text];
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < these.size(); ++k)
    if (--there[these[k]] < 0) found.push_back(k);
  return found;
}

/// Takes out messages of a step, and as many commas.
void take_out(const StepPlace& place, const std::vector<std::size_t>& gone, SchedulePatch& patch) {
  const auto& spans = place.transfers;
  for (std::size_t first = 0, end = 0; first < gone.size(); first = end) {
    for (end = first + 1; end < gone.size() && gone[end] == gone[end - 1] + 1;) ++end;
    const std::size_t from = gone[first], last = gone[end - 1];
    if (last + 1 < spans.size())
      patch.push_back({spans[from].begin, spans[last + 1].begin, ""});
    else
      patch.push_back({from == 0 ? spans[0].begin : spans[from - 1].end, spans[last].end, ""});
  }
}

void patch_step(const StepPlace& place, const std::vector<std::string>& from, const std::vector<std::string>& to,
                SchedulePatch& patch) {
  std::vector<std::size_t> lost = only_in(from, to);
  const std::vector<std::size_t> gained = only_in(to, from);
  const std::size_t changed = std::min(lost.size(), gained.size());
  for (std::size_t k = 0; k < changed; ++k) {
    const TextSpan span = place.transfers[lost[k]];
    patch.push_back({span.begin, span.end, to[gained[k]]});
  }
  std::string further;
  for (std::size_t k = changed; k < gained.size(); ++k)
    further += (k == changed && from.empty() ? "" : ",\n ") + to[gained[k]];
  if (!further.empty()) {
    const std::size_t at = from.empty() ? place.step.begin + 1 : place.transfers.back().end;
    patch.push_back({at, at, further});
  }
  lost.erase(lost.begin(), lost.begin() + static_cast<std::ptrdiff_t>(changed));
  take_out(place, lost, patch);
}

}  // namespace

std::string patched(std::string_view text, const SchedulePatch& patch) {
  std::string result;
  std::size_t at = 0;
  for (const TextEdit& edit : patch) {
    result += text.substr(at, edit.begin - at);
    result += edit.text;
    at = edit.end;
  }
  return result += text.substr(at);
}

std::optional<SchedulePatch> schedule_patch(std::string_view text, const Schedule& from, const Schedule& to) {
  if (from.header().names != to.header().names) return std::nullopt;
  const auto places = step_places(text);
  if (std::ssize(places) != from.steps() || from.steps() != to.steps()) return std::nullopt;
  SchedulePatch patch;
  for (int step = 0; step < from.steps(); ++step) {
    const StepPlace& place = places[static_cast<std::size_t>(step)];
    const auto before = texts_of(from, step), after = texts_of(to, step);
    if (before.size() != place.transfers.size()) return std::nullopt;
    patch_step(place, before, after, patch);
  }
  std::stable_sort(patch.begin(), patch.end(), [](const TextEdit& a, const TextEdit& b) { return a.begin < b.begin; });
  return patch;
}

std::vector<StepPlace> step_places(std::string_view text) {
  std::vector<StepPlace> steps;
  JsonScan scan(text);
  const auto add_transfer = [&] {
    TextSpan& span = steps.back().transfers.emplace_back(TextSpan{scan.place(), 0});
    if (!scan.skip()) return false;
    span.end = scan.place_before() + 1;
    return true;
  };
  const auto add_step = [&] {
    steps.push_back({{scan.place(), 0}, {}});
    if (!scan.list(add_transfer)) return false;
    steps.back().step.end = scan.place_before() + 1;
    return true;
  };
  if (!scan.take('{')) return steps;
  do {
    const auto key = scan.string();
    const bool are_steps = key == "steps";
    if (!scan.take(':') || !(are_steps ? scan.list(add_step) : scan.skip())) break;
  } while (scan.take(','));
  return steps;
}

}  // namespace onceover::formats
