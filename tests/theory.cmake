# Tests of the Coq theory, of what verify takes from it, and of the checker that is proved in it.
# The theory, compiled once for all that follows, and the program around the functions that Coq extracts from it.
set(theory ${PROJECT_SOURCE_DIR}/proofs/coq)
set(theory_folder ${PROJECT_BINARY_DIR}/theory)
set(theory_program ${theory_folder}/check)
set(kernel ${PROJECT_BINARY_DIR}/verify-kernel)
file(GLOB theory_sources CONFIGURE_DEPENDS ${theory}/*.v ${theory}/checker/*)
add_custom_command(
  OUTPUT ${theory_program}
  COMMAND ${theory}/checker/build.sh ${theory_folder}
  DEPENDS ${theory_sources} ${theory}/_CoqProject ${theory}/compile.sh ${kernel}
  COMMENT "Compiling the Coq theory and extracting its functions"
  VERBATIM)
add_custom_target(theory_program ALL DEPENDS ${theory_program})
add_dependencies(theory_program verify-kernel)

sampled_test("proofs: the theory rests on no axiom, says Coq's second checker" FAST
             ${CMAKE_CURRENT_SOURCE_DIR}/proofs/check_theory.sh ${PROJECT_SOURCE_DIR} ${theory_folder})

add_test(NAME "proofs: Coq accepts the emitted obligations and rejects a wrong one"
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proofs/check_coq.sh $<TARGET_FILE:verify>)
set_tests_properties("proofs: Coq accepts the emitted obligations and rejects a wrong one" PROPERTIES LABELS coq)
sampled_test("proofs: Coq accepts the proofs of formulas and rejects wrong ones" FAST /usr/bin/python3 -B
             ${CMAKE_CURRENT_SOURCE_DIR}/proofs/check_formulas.py $<TARGET_FILE:verify> ${theory_folder})
sampled_test("proofs: what the theory assumes is refused" FAST ${CMAKE_CURRENT_SOURCE_DIR}/proofs/check_theory.sh ${PROJECT_SOURCE_DIR}
             ${theory_folder} --refusals)

# theory_test(NAME SCRIPT LABELS arguments..): a script of tests/proofs that is given verify and that program.
function(theory_test name script labels)
  add_test(NAME "proofs: ${name}" COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/proofs/${script} $<TARGET_FILE:verify>
                                          ${theory_program} ${ARGN})
  set_tests_properties("proofs: ${name}" PROPERTIES LABELS "${labels}")
endfunction()
theory_test("the theory's functions make what verify exports" compare_theory.py "coq" --some)
theory_test("the theory's functions make what verify exports, larger" compare_theory.py "long;coq" --more)
# Both implementations of the theorems' functions, transfer by transfer.
foreach(group some lines "more lines" tori larger)
  set(name "proofs: the theory and proofs/routes make the same schedules, ${group}")
  add_test(NAME "${name}" COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/proofs/compare_routes.py
                                  $<TARGET_FILE:print_theorem_schedule> ${theory_program} "${group}")
  set_tests_properties("${name}" PROPERTIES TIMEOUT 3600 LABELS coq)
endforeach()
set_tests_properties("proofs: the theory and proofs/routes make the same schedules, lines"
                     "proofs: the theory and proofs/routes make the same schedules, more lines"
                     "proofs: the theory and proofs/routes make the same schedules, tori"
                     "proofs: the theory and proofs/routes make the same schedules, larger" PROPERTIES LABELS "long;coq")
foreach(most 130 700)
  set(name "proofs: the theory's tables of a circulant graph are those of Träff's search, to ${most} ranks")
  add_test(NAME "${name}" COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/proofs/circulant_tables.py ${theory_program} ${most})
  set_tests_properties("${name}" PROPERTIES LABELS coq)
endforeach()
set_tests_properties("${name}" PROPERTIES LABELS "long;coq")
theory_test("what the theory says of other properties is what verify says" theory_properties.py coq 25)
theory_test("what the theory says of other properties is what verify says, of more schedules" theory_properties.py "long;coq" 150)
theory_test("each change of the theory's functions is found" mutate_theory.py "long;coq")
add_test(NAME "proofs: what verify says of a theorem is what Coq accepted"
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/proofs/theorem_statements.sh $<TARGET_FILE:print_theorem_schedule> ${theory_program})
set_tests_properties("proofs: what verify says of a theorem is what Coq accepted" PROPERTIES LABELS coq)
sampled_test("proofs: a row of one's own is accepted, and the theory's pages have its theorems" FAST
             ${CMAKE_CURRENT_SOURCE_DIR}/proofs/theory_pages.sh ${PROJECT_SOURCE_DIR} ${theory_program})
# kernel_test(NAME LABELS COMMAND..)
function(kernel_test name labels)
  add_test(NAME "proofs: ${name}" COMMAND ${ARGN})
  set_tests_properties("proofs: ${name}" PROPERTIES LABELS "${labels}")
endfunction()
set(judge_theory /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/proofs/judge_theory.py $<TARGET_FILE:verify> ${kernel}
                 $<TARGET_FILE:verify-check>)
kernel_test("the proved checker judges as verify does" coq ${judge_theory} 150)
kernel_test("the proved checker judges more as verify does" "long;coq" ${judge_theory} 500)
kernel_test("the proved checker judges many more as verify does" "long;coq" ${judge_theory} 2000)
set(judge_scratch /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/proofs/judge_scratch.py $<TARGET_FILE:verify>
                  $<TARGET_FILE:verify-check> ${kernel})
kernel_test("the proved checker judges scratch blocks by their rules" coq ${judge_scratch} 100)
kernel_test("the proved checker judges more scratch blocks by their rules" "long;coq" ${judge_scratch} 1000)
kernel_test("the proved checker judges many more scratch blocks by their rules" "long;coq" ${judge_scratch} 5000)
set(judge_removed_steps /usr/bin/python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/proofs/judge_removed_steps.py $<TARGET_FILE:verify>
                        $<TARGET_FILE:verify-check> ${kernel})
kernel_test("all checkers pass folding, for every number of removed steps, to 12 ranks" coq ${judge_removed_steps} 12)
kernel_test("all checkers pass folding, for every number of removed steps, to 130 ranks" "long;coq" ${judge_removed_steps} 130)
sampled_test("proofs: the proved checker answers files, and refuses bad ones" FAST /usr/bin/python3 -B
             ${CMAKE_CURRENT_SOURCE_DIR}/proofs/kernel_test.py $<TARGET_FILE:verify> ${kernel} ${PROJECT_SOURCE_DIR})
kernel_test("the proved checker judges mutants as all others do" coq ${CMAKE_CURRENT_SOURCE_DIR}/mutants/kernel.sh
            $<TARGET_FILE:mutants> ${kernel} 800)
kernel_test("the proved checker judges many mutants as all others do" "long;coq" ${CMAKE_CURRENT_SOURCE_DIR}/mutants/kernel.sh
            $<TARGET_FILE:mutants> ${kernel} 20000)
