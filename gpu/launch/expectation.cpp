#include "gpu/launch/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "gpu/launch/item_reader.h"

namespace onceover::gpu {

namespace {

using verifier::PartSizes;
using verifier::Promise;
using verifier::Promised;
using verifier::PromiseRow;

constexpr std::array<std::string_view, 7> operations{"add", "multiply", "min", "max", "and", "or", "xor"};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

class ExpectReader {
 public:
  ExpectReader(const ExpectText& expect, const Description& description, const std::vector<Counts>& counts,
               const Variables& variables, Rank p)
      : expect_(expect), description_(description), counts_(counts), variables_(variables), p_(p) {}

  tl::expected<Expected, SourceError> read() {
    found_.output = TRY(buffer(expect_.output, expect_.offset));
    if (!expect_.input.empty()) return stated();
    const std::string_view text = expect_.text;
    const std::size_t open = text.find('(');
    const std::string_view name = trimmed(text.substr(0, open));
    std::vector<std::string_view> names;
    for (const PromiseRow& row : verifier::promise_rows())
      if (is_callable(row)) names.push_back(row.name);
    const auto at = std::find(names.begin(), names.end(), name);
    if (open == std::string_view::npos || !text.ends_with(')'))
      return error(
          fmt::format("expected COLLECTIVE(INPUT), found '{}'; the collectives are {}", text, fmt::join(names, ", ")));
    if (at == names.end())
      return error(
          fmt::format("no collective '{}'{}; there are {}", name, suggestion(name, names), fmt::join(names, ", ")));
    row_ = row_with(verifier::promise_rows(), &PromiseRow::name, name);
    TRY(read_words(text.substr(open + 1, text.size() - open - 2)));
    const PartSizes sizes = TRY(part_sizes());
    found_.promise = std::make_shared<const Promise>(*row_, p_, root_, sizes);
    return finished();
  }

 private:
  static bool is_callable(const PromiseRow& row) {
    return row.promised != Promised::permute && row.promised != Promised::barrier && row.promised != Promised::stated;
  }

  tl::unexpected<SourceError> error(std::string_view message) const {
    return description_.file->error(expect_.text_offset, message);
  }

  tl::expected<std::size_t, SourceError> buffer(std::string_view name, std::size_t offset) const {
    std::vector<std::string_view> known;
    for (const BufferText& b : description_.buffers) known.push_back(b.name);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at != known.end()) return static_cast<std::size_t>(at - known.begin());
    return description_.file->error(offset, fmt::format("no buffer '{}'{}", name, suggestion(name, known)));
  }

  tl::expected<void, SourceError> read_input(std::string_view name) {
    found_.input = TRY(buffer(name, expect_.text_offset));
    const BufferText& input = description_.buffers[found_.input];
    if (input.role != BufferRole::input && input.role != BufferRole::in_place)
      return error(fmt::format("'{}' is no input: its role is {}", name, gpu::name(input.role)));
    return {};
  }

  /// "in, root = 0, max": the words in the parentheses.
  tl::expected<void, SourceError> read_words(std::string_view words) {
    std::size_t number = 0;
    bool has_root = false;
    for (std::size_t at = 0; at <= words.size(); ++number) {
      const std::size_t comma = std::min(words.find(',', at), words.size());
      const std::string_view word = trimmed(words.substr(at, comma - at));
      at = comma + 1;
      const std::size_t equals = word.find('=');
      const auto operation = std::find(operations.begin(), operations.end(), word);
      if (number == 0) {
        TRY(read_input(word));
      } else if (equals != std::string_view::npos && trimmed(word.substr(0, equals)) == "root") {
        TRY(read_root(word.substr(equals + 1)));
        has_root = true;
      } else if (operation != operations.end() && row_->sums) {
        found_.operation = static_cast<Combining>(operation - operations.begin());
      } else {
        return error(fmt::format("expected 'root = RANK'{}, found '{}'",
                                 row_->sums ? fmt::format(", or one of {}", fmt::join(operations, ", ")) : "", word));
      }
    }
    if (row_->is_rooted() && !has_root) return error(fmt::format("say the root: {}(in, root = 0)", row_->name));
    if (!row_->is_rooted() && has_root) return error(fmt::format("{} has no root", row_->name));
    return {};
  }

  tl::expected<void, SourceError> read_root(std::string_view text) {
    std::vector<std::string> names{"p", "n"};
    for (const LetText& let : description_.lets) names.push_back(let.name);
    const auto formula = TRY(ItemReader(*description_.file, names).formula({text, expect_.text_offset, false}));
    const std::int64_t root = TRY(formula.value(variables_));
    if (root < 0 || root >= p_) return error(fmt::format("there is no rank {} of {}", root, p_));
    root_ = static_cast<Rank>(root);
    return {};
  }

  const Counts& given() const { return counts_[found_.input]; }
  const Counts& got() const { return counts_[found_.output]; }

  /// All ranks' counts are the same.
  tl::expected<std::int64_t, SourceError> one_count(std::size_t buffer) const {
    const Counts& counts = counts_[buffer];
    for (const std::int64_t count : counts)
      if (count != counts.front())
        return error(fmt::format("{} needs equally many elements of '{}' on each rank", row_->name,
                                 description_.buffers[buffer].name));
    return counts.front();
  }

  tl::expected<PartSizes, SourceError> part_sizes() const {
    if (row_->promised == Promised::alltoall) {
      const std::int64_t count = TRY(one_count(found_.input));
      if (count % p_ != 0) return error(fmt::format("{} elements are no {} equal parts", count, p_));
      return even_parts(*row_, count / p_);
    }
    if (row_->input_has_parts) return parts_by_rank(*row_, got());
    if (row_->result_has_parts) return parts_by_rank(*row_, given());
    return even_parts(*row_, TRY(one_count(found_.input)));
  }

  tl::expected<Expected, SourceError> stated() {
    TRY(read_input(expect_.input));
    row_ = &verifier::promise_row(Promised::stated);
    const std::int64_t count = TRY(one_count(found_.output));
    auto promise = Promise::stated(expect_.text, p_, 0, count);
    if (!promise) return error(promise.error());
    found_.promise = std::make_shared<const Promise>(*std::move(promise));
    return finished();
  }

  /// The results, of which each element must be there, and come from elements that are there.
  tl::expected<Expected, SourceError> finished() {
    std::int64_t owed = 0;
    for (Rank r = 0; r < p_; ++r) {
      found_.results.push_back(found_.promise->result(r));
      const verifier::PromisedResult& result = found_.results.back();
      const std::int64_t count = got()[static_cast<std::size_t>(r)];
      if (result.size() > 0 && result.size() != count)
        return error(fmt::format("for p = {}, '{}' of rank {} must have {}, and has {}", p_, expect_.output, r,
                                 counted(static_cast<std::uint64_t>(result.size()), "element"), count));
      for (const verifier::OwedRun& run : result.runs()) {
        owed += run.count;
        for (const Rank q : run.first.ranks)
          if (run.first.element + run.count > given()[static_cast<std::size_t>(q)])
            return error(
                fmt::format("for p = {}, element {} of '{}' is needed of rank {}, which has {}", p_,
                            run.first.element + run.count - 1, description_.buffers[found_.input].name, q,
                            counted(static_cast<std::uint64_t>(given()[static_cast<std::size_t>(q)]), "element")));
      }
    }
    if (owed == 0) return error(fmt::format("for p = {}, no element is owed: nothing would be judged", p_));
    return std::move(found_);
  }

  const ExpectText& expect_;
  const Description& description_;
  const std::vector<Counts>& counts_;
  const Variables& variables_;
  Rank p_;
  const PromiseRow* row_ = nullptr;
  Rank root_ = 0;
  Expected found_{.output = 0, .input = 0, .promise = {}, .results = {}};
};

}  // namespace

tl::expected<Expected, SourceError> expected_of(const ExpectText& expect, const Description& description,
                                                const std::vector<Counts>& counts, const Variables& variables, Rank p) {
  return ExpectReader(expect, description, counts, variables, p).read();
}

std::string_view name(Combining operation) {
  return operations[static_cast<std::size_t>(operation)];
}

}  // namespace onceover::gpu
