# Writes files as texts: OUTPUT, which implements the function NAME() of executable.h. Files are named by their paths below
# FOLDER, or, without one, by their names.
# Usage: cmake -D NAME=runtime_texts -D OUTPUT=runtime_texts.cpp -D FILES=a.c;b.h -P embed_runtime.cmake
set(code "#include \"code/executable.h\"\n\nnamespace onceover::code {\n\n")
string(APPEND code "NamedTexts ${NAME}() {\n")
string(APPEND code "  static constexpr std::pair<std::string_view, std::string_view> texts[] = {\n")
foreach(file ${FILES})
  file(READ ${file} text)
  if(FOLDER)
    file(RELATIVE_PATH name ${FOLDER} ${file})
  else()
    cmake_path(GET file FILENAME name)
  endif()
  # A text may be longer than what compilers must take, so it is several that are joined.
  string(REPLACE "\n\n" "\n)file\"\nR\"file(\n" text "${text}")
  string(APPEND code "{\"${name}\", R\"file(${text})file\"},\n")
endforeach()
string(APPEND code "  };\n  return texts;\n}\n\n}  // namespace onceover::code\n")
file(WRITE ${OUTPUT} "${code}")
