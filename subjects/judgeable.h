// Judgeable: what is judged and isn't a schedule: programs of ranks, each kind in its own way. Commands, gates and
// Python know this interface alone. What a kind doesn't have, it refuses by its name.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/msccl_profile.h"
#include "formats/plan.h"
#include "programs/message_steps.h"
#include "subjects/input_kind.h"
#include "subjects/required.h"
#include "subjects/run.h"
#include "viz/program_view.h"
#include "viz/report.h"

namespace onceover::subjects {

/// One launch of a description of several.
struct LaunchShape {
  Rank ranks;
  std::optional<std::int64_t> size;  // n, if it has one
};

/// Which launches of a description are judged, and how.
struct LaunchOptions {
  std::vector<Rank> ranks = {};          // instead of the description's; empty: these
  std::vector<std::int64_t> sizes = {};  // the same
  std::optional<std::uint64_t> seed = {};
};

/// How something is judged. A kind ignores what it doesn't take; `refuse_special` refuses it.
struct JudgeOptions {
  VerifyOptions verify = {};
  const MscclProfile* profile = nullptr;  // MSCCL XML: the runtime; null: the one that guarantees least
  PlanReading reading = PlanReading::intended;
  bool is_certified = false;  // is a certificate made if it passes?
  LaunchOptions launches = {};
};

/// Why the messages have no steps.
struct NoMessages {
  enum class Kind {
    none,        // the kind has no messages
    never_ends,  // it never ends, or its messages have no common measure
    unknown,
  };
  Kind kind;
  std::string why;
};

class Judgeable {
 public:
  /// `file`: its name, for verdicts and messages.
  Judgeable(const InputKind& kind, std::string file) : kind_(kind), file_(std::move(file)) {}
  virtual ~Judgeable() = default;

  const InputKind& kind() const { return kind_; }
  const std::string& file() const { return file_; }

  /// What it can be judged for.
  virtual Form form() const = 0;
  virtual Rank ranks() const = 0;

  /// The verdict; its report has `program`. A usage error if options exclude each other.
  virtual Result<Verification> judge(const JudgeOptions& options) const = 0;

  /// The certificate of what passes with these options, or why there is none.
  virtual tl::expected<std::string, std::string> certificate(const JudgeOptions&) const {
    return tl::unexpected(fmt::format("{} has no certificates", kind().name));
  }

  /// Its messages, for code that follows them through networks, of ranks that form this torus; empty: a line.
  virtual tl::expected<MessageSteps, NoMessages> messages(Shape) const {
    return tl::unexpected(NoMessages{NoMessages::Kind::none, fmt::format("{} has no messages", kind().name)});
  }

  /// Why nothing of it can be drawn; empty if something can.
  virtual std::string why_not_drawn() const { return ""; }

  /// What waits for what, with this FIFO and so many ranks, whatever else pictures of it differ in. It must not outlive
  /// this.
  virtual viz::OrderPictures order(const viz::ProgramDrawOptions&) const {
    return [why = fmt::format("{} has no picture of what waits for what", kind().name)](
               const viz::ProgramDrawOptions&) -> viz::Drawn<viz::Picture> { return viz::unsuitable(why); };
  }

  /// Where the operations that a counterexample names are among the steps of its messages; nothing for one that has no
  /// place there.
  virtual std::vector<std::optional<viz::PlacedSite>> placed(const std::vector<Counterexample::Site>& sites) const {
    return std::vector<std::optional<viz::PlacedSite>>(sites.size());
  }

  /// Of a description of launches: all of them, with these ranks instead of its own if there are any. Empty for others.
  virtual Result<std::vector<LaunchShape>> launch_shapes(const std::vector<Rank>&) const {
    return std::vector<LaunchShape>{};
  }

  /// The paths of the files that it names.
  virtual std::vector<std::string> files_beside() const { return {}; }

  /// The content of the files that it names and on which its verdict depends; nothing if that can't be known.
  virtual std::optional<std::string> text_beside() const { return ""; }

 private:
  const InputKind& kind_;
  std::string file_;
};

}  // namespace onceover::subjects
