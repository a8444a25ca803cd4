# What scripts/build_portable.sh packs into one file: `verify`, which closes or removes the files that brought it there. Boost is in
# the program, since its shared library would bring along 40 MB of Unicode's tables.
find_library(ONCEOVER_BOOST_GRAPH_ARCHIVE libboost_graph.a)
find_library(ONCEOVER_BOOST_REGEX_ARCHIVE libboost_regex.a)
if(ONCEOVER_BOOST_GRAPH_ARCHIVE AND ONCEOVER_BOOST_REGEX_ARCHIVE AND NOT ONCEOVER_SANITIZE)
  add_executable(verify-portable cli/main.cpp packaging/portable/settle.cpp)
  target_link_options(verify-portable PRIVATE LINKER:--build-id=sha1 LINKER:--as-needed -s)
  target_link_libraries(verify-portable PRIVATE -Wl,--whole-archive ${ONCEOVER_BOOST_GRAPH_ARCHIVE} -Wl,--no-whole-archive
                                                ${ONCEOVER_BOOST_REGEX_ARCHIVE} onceover::cli onceover_flags)
  onceover_build_fast(verify-portable)
  if(NOT ONCEOVER_TESTS)
    set_target_properties(verify-portable PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endif()
