#include <fmt/format.h>

#include <compare>
#include <map>

#include "base/json.h"
#include "base/sentences.h"
#include "base/text_output.h"
#include "formats/perfetto.h"

namespace onceover::formats {

namespace {

constexpr double step_ns = 1e6;
constexpr std::size_t most_runs_listed = 16;

/// What a thread of a rank shows.
enum class Doing { sends, receives, moves };

std::string_view word_of(Doing doing) {
  return doing == Doing::sends ? "sends" : doing == Doing::receives ? "receives" : "moves between its own blocks";
}

/// "0-3,5", at most 16 runs.
std::string first_runs(const BlockSet& blocks) {
  std::string text;
  std::size_t count = 0;
  blocks.for_each_run([&](Run run) {
    if (++count > most_runs_listed) return;
    text += text.empty() ? "" : ",";
    text += run.first == run.last ? fmt::format("{}", run.first) : fmt::format("{}-{}", run.first, run.last);
  });
  return count > most_runs_listed ? fmt::format("{} and {} more runs", text, count - most_runs_listed) : text;
}

class PerfettoWriter {
 public:
  PerfettoWriter(const Schedule& schedule, const PerfettoOptions& options, std::FILE* file)
      : schedule_(schedule), header_(schedule.header()), options_(options), out_(file) {}

  bool write() {
    out_.put("{{\"displayTimeUnit\":\"{}\",\n\"otherData\":{},\n\"traceEvents\":[", has_times() ? "ns" : "ms", about());
    for (Rank r = 0; r < header_.ranks; ++r) name_process(r, r + 1, "rank " + header_.names.rank(r));
    if (!has_times()) write_steps();
    std::size_t number = 0;
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule_.steps(); ++step) {
      schedule_.transfers(step, transfers);
      for (const Transfer& t : transfers) write_transfer(t, step, number++);
    }
    out_.put("\n]}}\n");
    return out_.finish();
  }

 private:
  /// The thread on which a rank shows something that others may overlap: the first that is free by then.
  struct Place {
    Rank rank;
    Doing doing;
    int lane;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Thread {
    std::int32_t number;
    double free_from;
  };

  bool has_times() const { return !options_.times.empty(); }

  std::string about() const {
    return Json({{"collective", std::string(name(header_.collective))},
                 {"algorithm", header_.algorithm},
                 {"ranks", header_.ranks},
                 {"steps", schedule_.steps()},
                 {"times", options_.about_times.empty() ? "a step takes a millisecond, which stands for no time"
                                                        : options_.about_times}})
        .dump();
  }

  /// Begins the next event, behind a comma if it isn't the first.
  void begin_event() {
    out_.put("{}\n", is_first_ ? "" : ",");
    is_first_ = false;
  }

  void name_process(Rank number, Rank place, const std::string& text) {
    begin_event();
    out_.put(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", number, Json(text).dump());
    begin_event();
    out_.put(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", number, place);
  }

  void write_steps() {
    const Rank process = header_.ranks;
    name_process(process, 0, "steps");
    for (int step = 0; step < schedule_.steps(); ++step) {
      begin_event();
      out_.put(R"({{"ph":"X","cat":"step","name":{},"pid":{},"tid":0,"ts":{},"dur":{}}})",
               Json("step " + header_.names.step(step)).dump(), process, step * step_ns / 1e3, step_ns / 1e3);
    }
  }

  std::int32_t thread_of(const Place& place, const TransferTime& time) {
    auto& threads = threads_[place];
    for (Thread& thread : threads)
      if (thread.free_from <= time.begin) {
        thread.free_from = time.end;
        return thread.number;
      }
    threads.push_back({threads_of_rank_[place.rank]++, time.end});
    name_thread(place, threads.back().number, threads.size());
    return threads.back().number;
  }

  void name_thread(const Place& place, std::int32_t number, std::size_t which) {
    const auto [rank, doing, lane] = place;
    std::string text(word_of(doing));
    if (header_.lanes > 1) text += fmt::format(", lane {}", lane);
    if (which > 1) text += fmt::format(" ({})", which);
    begin_event();
    out_.put(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", rank, number,
             Json(text).dump());
  }

  TransferTime time_of(int step, std::size_t number) const {
    return has_times() ? options_.times[number] : TransferTime{step * step_ns, (step + 1) * step_ns};
  }

  void write_transfer(const Transfer& t, int step, std::size_t number) {
    const TransferTime time = time_of(step, number);
    if (t.is_local()) {
      write_slice({t.src, Doing::moves, t.lane}, "move", "move", t, step, number, time);
      return;
    }
    const auto sender =
        write_slice({t.src, Doing::sends, t.lane}, "send", fmt::format("send to {}", t.dst), t, step, number, time);
    const auto receiver = write_slice({t.dst, Doing::receives, t.lane}, "receive",
                                      fmt::format("receive from {}", t.src), t, step, number, time);
    // An arrow begins and ends inside of the events that it joins.
    write_arrow_end("s", t.src, sender, number, time.begin);
    write_arrow_end("f", t.dst, receiver, number, time.begin + 0.75 * (time.end - time.begin));
  }

  std::int32_t write_slice(const Place& place, std::string_view category, std::string_view title, const Transfer& t,
                           int step, std::size_t number, const TransferTime& time) {
    const std::int32_t thread = thread_of(place, time);
    begin_event();
    out_.put(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"transfer":{},"step":{},)"
             R"("src":{},"dst":{},"op":"{}","lane":{},"{}s":{}{}}}}})",
             category, title, place.rank, thread, time.begin / 1e3, (time.end - time.begin) / 1e3, number, step, t.src,
             t.dst, name(t.op), t.lane, options_.unit, static_cast<std::uint64_t>(t.blocks.size()) * options_.unit_size,
             listed(t, category));
    return thread;
  }

  /// Which blocks it is; the receiver's event only refers to the sender's.
  std::string listed(const Transfer& t, std::string_view category) const {
    if (!options_.has_blocks || category == "receive") return "";
    return fmt::format(",\"which\":\"{}\"", first_runs(t.blocks));
  }

  void write_arrow_end(std::string_view phase, Rank rank, std::int32_t thread, std::size_t number, double ns) {
    begin_event();
    out_.put(R"({{"ph":"{}"{},"cat":"message","name":"message","id":{},"pid":{},"tid":{},"ts":{}}})", phase,
             phase == "f" ? R"(,"bp":"e")" : "", number, rank, thread, ns / 1e3);
  }

  const Schedule& schedule_;
  const Header& header_;
  const PerfettoOptions& options_;
  TextOutput out_;
  bool is_first_ = true;
  std::map<Place, std::vector<Thread>> threads_;
  std::map<Rank, std::int32_t> threads_of_rank_;
};

}  // namespace

bool write_perfetto(const Schedule& schedule, const PerfettoOptions& options, std::FILE* file) {
  return PerfettoWriter(schedule, options, file).write();
}

}  // namespace onceover::formats
