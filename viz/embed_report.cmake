# Writes report_files.cpp: the files of report/ as texts, and the script's hash.
# Usage: cmake -D OUTPUT=report_files.cpp -D FOLDER=report -P embed_report.cmake
set(code "#include <string_view>\n\n#include \"base/namespaces.h\"\n\nnamespace onceover::viz::report_files {\n\n")
foreach(pair page=page.html player=player.html style=page.css script=page.js)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  file(READ ${FOLDER}/${file} text)
  string(APPEND code "extern const std::string_view ${name};\nconst std::string_view ${name} = R\"file(${text})file\";\n")
endforeach()
file(SHA256 ${FOLDER}/page.js hash)
string(APPEND code "extern const std::string_view script_sha256;\nconst std::string_view script_sha256 = \"${hash}\";\n\n}  // namespace onceover::viz::report_files\n")
file(WRITE ${OUTPUT} "${code}")
