# What every target of this project has in common: the standard, the warnings, the sanitizers.
add_library(onceover_flags INTERFACE)
target_compile_features(onceover_flags INTERFACE cxx_std_20)
target_compile_options(onceover_flags INTERFACE -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wconversion -Wnon-virtual-dtor)
# GCC 12 sees overflows in fmt's constant expressions, and overlaps and bounds in std::string, that aren't there.
# Its memory isn't swept while it works, which saves a seventh of the time: a batch needs less than 1 GB.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(onceover_flags INTERFACE -Wno-stringop-overflow -Wno-restrict -Wno-array-bounds -Wno-stringop-overread)
  target_compile_options(onceover_flags INTERFACE --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
endif()
# The module for Python has the libraries in it, so their code may lie anywhere. Nobody replaces our functions, so they are called
# and put in line as if it might not: the program is as fast.
if(NOT ONCEOVER_SANITIZE)
  target_compile_options(onceover_flags INTERFACE -fPIC -fno-semantic-interposition -fvisibility=hidden -fvisibility-inlines-hidden)
endif()
if(ONCEOVER_WERROR)
  target_compile_options(onceover_flags INTERFACE -Werror)
endif()
if(ONCEOVER_SANITIZE)
  # Null and out-of-object accesses are what the address sanitizer sees; looking for them twice takes a third of the build.
  target_compile_options(onceover_flags INTERFACE -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size
                                                  -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(onceover_flags INTERFACE -fsanitize=address,undefined)
  # Indices and optionals are checked by the library, too: what a vector has in reserve looks fine to the sanitizer.
  target_compile_definitions(onceover_flags INTERFACE _GLIBCXX_ASSERTIONS)
endif()
# libFuzzer looks for inputs that reach new branches, so everything that a target calls tells it of its branches.
if(ONCEOVER_FUZZ)
  target_compile_options(onceover_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Headers that most sources read anyway, precompiled once, in base, for all folders; each source still names what it uses, which
# builds without them show.
option(ONCEOVER_PRECOMPILE "Precompile common headers, and compile sources in batches" ON)
function(onceover_precompile target)
  if(ONCEOVER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <optional> <string> <vector>
                              <fmt/format.h> <tl/expected.hpp> ${ARGN})
  endif()
endfunction()

# What takes time is in schedules, verifier and network; the rest is built faster. Sanitizers make much code of little, which takes
# long to optimize at all. With -Og GCC 12 takes values of optionals for uninitialized; where it optimizes, it is believed.
# Clang takes no precompiled header of another level of optimization.
function(onceover_build_fast target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(level $<IF:$<BOOL:${ONCEOVER_SANITIZE}>,0,g>)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O${level}> -Wno-maybe-uninitialized)
  endif()
endfunction()

# Sources that say little and instantiate much, such as JSON and options, are compiled many at a time: a room, or half of a large
# one, so that two processors have a part each. Their names without linkage must differ then. Who works on a room for long compiles
# less anew with `-DONCEOVER_BATCH=4`.
set(ONCEOVER_BATCH 32 CACHE STRING "How many sources of a room are compiled as one")
function(onceover_compile_in_batches target)
  if(ONCEOVER_PRECOMPILE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${ONCEOVER_BATCH})
  endif()
endfunction()

# onceover_library(NAME sources.. FOLDERS folders.. LINKS targets.. [BUILD_FAST]): the
# library of one folder: all its sources but main.cpp, those of the named folders in it, and `sources`, which are made.
function(onceover_library name)
  cmake_parse_arguments(arg "BUILD_FAST" "" "FOLDERS;LINKS" ${ARGN})
  list(TRANSFORM arg_FOLDERS APPEND /*.cpp OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp ${patterns})
  list(REMOVE_ITEM sources main.cpp)
  add_library(onceover_${name} STATIC ${sources} ${arg_UNPARSED_ARGUMENTS})
  add_library(onceover::${name} ALIAS onceover_${name})
  target_include_directories(onceover_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(onceover_${name} PUBLIC ${arg_LINKS} PRIVATE $<BUILD_INTERFACE:onceover_flags>)
  target_compile_features(onceover_${name} PUBLIC cxx_std_20)
  if(name STREQUAL base)
    onceover_precompile(onceover_base)
  elseif(ONCEOVER_PRECOMPILE)
    target_precompile_headers(onceover_${name} REUSE_FROM onceover_base)
  endif()
  if(arg_BUILD_FAST)
    onceover_build_fast(onceover_${name})
  endif()
  onceover_compile_in_batches(onceover_${name})
endfunction()
