# Writes claim_files.cpp: the files of claims/ as texts, in their order.
# Usage: cmake -D OUTPUT=claim_files.cpp -D FOLDER=claims -D FILES=swing;.. -P embed_claims.cmake
set(code "#include \"papers/claim.h\"\n\n#include <array>\n\nnamespace onceover::papers {\n\nstd::span<const ClaimFile> claim_files() {\n")
string(APPEND code "  static const std::array files{\n")
foreach(file ${FILES})
  file(READ ${FOLDER}/${file}.toml text)
  string(APPEND code "      ClaimFile{\"papers/claims/${file}.toml\", R\"claims(${text})claims\"},\n")
endforeach()
string(APPEND code "  };\n  return files;\n}\n\n}  // namespace onceover::papers\n")
file(WRITE ${OUTPUT} "${code}")
