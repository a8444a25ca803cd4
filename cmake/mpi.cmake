# Programs that are linked with an MPI, by the flags that its compiler's wrapper adds.

option(ONCEOVER_MPI "Build verify-mpi for each MPI that is found, and verify-distributed for one" ON)
find_program(ONCEOVER_MPICC_OPENMPI mpicc.openmpi)
find_program(ONCEOVER_MPICC_MPICH mpicc.mpich)
find_program(ONCEOVER_MPICC mpicc)
# What is judged like an MPI: one in a simulator, whose mpi.h is in a folder of its own, and Gloo.
find_library(ONCEOVER_SIMGRID simgrid)
find_library(ONCEOVER_GLOO gloo)
find_package(Threads REQUIRED)
find_path(ONCEOVER_SIMGRID_FOLDER smpi/mpi.h)

# flags_of(OUTPUT KINDS COMPILER OPTION): those of the flags that the compiler's wrapper adds which match KINDS.
function(flags_of output kinds compiler option)
  execute_process(COMMAND ${compiler} ${option} OUTPUT_VARIABLE printed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(flags UNIX_COMMAND "${printed}")
  list(FILTER flags INCLUDE REGEX "${kinds}")
  set(${output} ${flags} PARENT_SCOPE)
endfunction()

# onceover_link_mpi(TARGET COMPILER): links a program with the MPI that the compiler's wrapper belongs to.
function(onceover_link_mpi target compiler)
  execute_process(COMMAND ${compiler} --showme:version OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE is_other)
  if(is_other)
    set(compile_option -compile_info)
    set(link_option -link_info)
  else()
    set(compile_option --showme:compile)
    set(link_option --showme:link)
  endif()
  flags_of(folders "^-I" ${compiler} ${compile_option})
  flags_of(libraries "^-[lL]|^-Wl|^-pthread" ${compiler} ${link_option})
  list(TRANSFORM folders REPLACE "^-I" "")
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(${target} SYSTEM PRIVATE ${folders})
  target_link_libraries(${target} PRIVATE ${libraries})
endfunction()
