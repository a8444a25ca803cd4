# Writes coq_files.cpp: the files of coq/ as texts, in the order in which they are to be compiled.
# Usage: cmake -D OUTPUT=coq_files.cpp -D FOLDER=coq -D FILES=Semantics;.. -P embed_coq.cmake
set(code "#include \"proofs/coq_writer.h\"\n\n#include <array>\n\nnamespace onceover::proofs {\n\nstd::span<const CoqFile> coq_files() {\n")
string(APPEND code "  static constexpr std::array files{\n")
foreach(file ${FILES})
  file(READ ${FOLDER}/${file}.v text)
  string(APPEND code "      CoqFile{\"${file}.v\", R\"coq(${text})coq\"},\n")
endforeach()
string(APPEND code "  };\n  return files;\n}\n\n}  // namespace onceover::proofs\n")
file(WRITE ${OUTPUT} "${code}")
