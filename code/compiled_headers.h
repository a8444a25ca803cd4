// What is compiled with the code under test, and differs from function to function: how it is declared and called, what
// elements are, and which types of its own they take the place of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace onceover::code {

struct Sources;

/// "int my_allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm)": what the function must be.
std::string declaration(const Sources& sources);

/// function.h declares the function for the user's files.
std::string function_header(const Sources& sources);

/// What the function is called where it is linked with the runtime, whose variables may have the user's name.
constexpr std::string_view tested_function = "onceover_tested";

/// tested.h declares it under that name, and says how the harness calls it.
std::string tested_header(const Sources& sources);

/// elements.h says what the collective's buffers hold.
std::string elements_header(const Sources& sources);

/// A function that stands in for MPI's and calls the one under test; what that calls in turn is MPI's own.
std::string stand_in(const Sources& sources);

bool is_name_in_c(std::string_view text);

/// A type that the code adds up, and the MPI datatype that sends it.
struct NumberType {
  std::string name;
  std::string datatype;

  friend bool operator==(const NumberType&, const NumberType&) = default;
};

/// Parses "value_t=MPI_INT"; a type of stdint.h has its datatype without it. Keywords are refused: `int` is the loop
/// counter, too.
Result<NumberType> parse_number_type(const std::string& text);

/// Replaces the types in code that was preprocessed: there, the name that is seen is a macro for an element, and the
/// typedef of it goes.
class NumberTypes {
 public:
  explicit NumberTypes(const std::vector<NumberType>& types);

  /// The text of number_types.h, with the macros.
  static std::string header(const std::vector<NumberType>& types);

  /// The line of the preprocessor's warnings that says that a name is a macro of the user's; nothing if there is none.
  std::optional<std::string> macro_in(const std::string& warnings) const;

  /// The text without the typedefs. Lines stay where they are. O(text).
  std::string replaced(std::string text);

  /// A type that no text has.
  std::optional<std::string> missing() const;

 private:
  struct Type {
    std::string name;
    bool is_used;
  };

  bool is_element(std::string_view name) const;
  void find_used(std::string_view text);

  std::vector<Type> types_;
};

}  // namespace onceover::code
