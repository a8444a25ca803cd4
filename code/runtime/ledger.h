/* The elements that code under test works on, and what it does with them, as functions for C.
 *
 * An element has 8 bytes and stands for a sum: a *shape*, which says how contributions of ranks were joined, at a
 * *position* of the vector. Shapes are kept once, in one table for all ranks, which share a process. Everything that
 * happens is appended to a file, the ledger, as it happens; so it is there even if the process is killed.
 *
 * An element is its shape and position, scrambled by a salt of its call. Bytes that were cut, mixed, left over from an
 * earlier call or never set are almost surely no element, and are written down as `garbled`.
 */
#ifndef ONCEOVER_LEDGER_H
#define ONCEOVER_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t onceover_element;

/** Shapes that are no sums. Rank r's contribution is shape `onceover_first_leaf` + r; sums follow the leaves. */
enum {
  onceover_nothing = 0,
  onceover_garbled = 1,
  onceover_mismatch = 2, /* a sum of elements at different positions */
  onceover_zero = 3,     /* a number 0 in the code, which adds nothing */
  onceover_unjudged = 4, /* what the simulator lost, not the code; so is what it is added to */
  /* What is garbled, where it can be told why; a sum with it is the same. */
  onceover_unwritten = 5, /* memory that the code allocated and nobody wrote */
  onceover_stale = 6,     /* an element of an earlier call */
  onceover_split = 7,     /* bytes of two elements that follow each other */
  onceover_cleared = 8,   /* zeros */
  onceover_first_leaf = 9
};

/** The bytes of memory that the code allocates, until it writes them. */
enum { onceover_unwritten_byte = 0xC7 };

/** A word of the ledger holds a shape, shifted left by so many bits, and a position. */
enum { onceover_position_bits = 28 };

/** What a record is about. Its first word is kind << 56 | rank << 32 | count; its other words follow. */
enum onceover_record {
  onceover_sum = 1,   /* a new shape: left << 32 | right */
  onceover_begin = 2, /* the rank begins call `count` */
  onceover_join = 3,  /* `count` runs of elements that the rank joined, each as (first element, length), after a site */
  onceover_send = 4,  /* a send of `count` runs: peer << 32 | tag, group << 32 | serial number, site; then the runs */
  onceover_receive = 5, /* a receive is posted: peer << 32 | tag, group << 32 | serial number, site */
  onceover_done = 6,    /* send or receive number `count` is complete: source << 32 | tag; of a send: was it changed? */
  onceover_wait = 7,    /* the rank waits, at a site */
  onceover_result = 8,  /* the rank's result: `count` runs */
  onceover_fault = 9,   /* `count` bytes of text, in whole words */
  onceover_end = 10,    /* the rank has made all calls */
  onceover_stack = 11,  /* a new site: `count` return addresses, counted from the start of the program */
  onceover_beyond = 12, /* the rank uses memory beside its buffers: a site, then `count` bytes of text */
  onceover_numbers = 13,  /* the rank's result where elements are numbers: `count` words */
  onceover_function = 14, /* a function that runs in the call, at a site; once for all ranks */
  onceover_met =
      15, /* the rank meets defect number `count` of the simulator: a site, and the serial number of a send */
  onceover_odd_sum = 16, /* the first element that the next join makes wrong: both operands */
  onceover_entered = 17, /* the rank enters a collective of the simulator's: a site, then `count` bytes of its name */
  onceover_left = 18,    /* and leaves it */
  onceover_on_world = 19 /* send or receive number `count` is on MPI_COMM_WORLD, which isn't the call's */
};

/** What the simulator is known to get wrong; code/simulator.cpp has words for it. */
enum onceover_defect {
  onceover_lost_sums = 0,   /* nonblocking reductions of derived datatypes add nothing */
  onceover_lost_scans = 1,  /* scans by an operator that doesn't commute add nothing */
  onceover_lost_starts = 2, /* a persistent send of no data is lost if it is started again before it was received */
  onceover_defects = 3
};

/** In the place of a source, of a receive that was cancelled. */
enum { onceover_cancelled = -9 };

/** Opens the ledger: the first rank creates it, the others find it open. Another path is another ledger. At most
 * `limit` bytes are written; one more ends the process with exit code 99. */
void onceover_open(const char* path, uint32_t ranks, uint64_t limit);

/** Elements stand in for numbers, so eight bytes that are 0 are the number 0. */
void onceover_has_numbers(void);

/** From now on the rank's elements belong to a call; the vector has fewer than `positions` positions. */
void onceover_begin_call(uint32_t rank, uint32_t call, uint32_t positions);

onceover_element onceover_leaf(uint32_t rank, uint32_t position);

/** The element that holds nothing, the one that nobody can judge, and the one that is 0. */
onceover_element onceover_unset(uint32_t rank);
onceover_element onceover_unjudged_element(uint32_t rank);
onceover_element onceover_zero_element(uint32_t rank);

/** right[k] = left[k] joined with right[k], for a caller at a site, 0 if unknown. */
void onceover_join_all(uint32_t rank, uint64_t site, const void* left, void* right, size_t elements);

/** A number for a place in the program, where the rank is now: the same for equal lists of return addresses, innermost
 * first; not 0. */
uint64_t onceover_site(uint32_t rank, const uint64_t* addresses, int count);

/** A buffer for the rank. It ends where pages begin that nobody may touch, or begins where such pages end. What is left
 * on its own pages has a pattern. Who touches the pages ends the process with exit code 139, and is written down. */
void* onceover_new_guarded(uint32_t rank, const char* name, size_t bytes, int ends_at_guard);
void onceover_free_guarded(void* buffer);

/** A call: the numbers of live::CallKind and live::Layout, and what LiveCall says. */
struct onceover_call {
  int kind, layout, count, root, in_place, ranks;
};

/** How many elements the rank gives, how many its result has, and for how many its result buffer has room. */
size_t onceover_given(const struct onceover_call* call, int rank);
size_t onceover_wanted(const struct onceover_call* call, int rank);
size_t onceover_room(const struct onceover_call* call, int rank);

/** For each element of the result buffer: at which position it is the rank's own contribution before the call; -1: it
 * is unset. */
void onceover_held_before(const struct onceover_call* call, int rank, int64_t* positions);

/** What the rank sends to each rank, or gets from each: how many elements, and where they begin in its buffer. Of a
 * reduction: how many each rank gets. */
void onceover_parts(const struct onceover_call* call, int rank, int is_sent, int* counts, int* begins);

/** Memory for the code, between such pages, filled with `onceover_unwritten_byte`; and back again. What isn't from here
 * is the C library's. */
void* onceover_allocate(uint32_t rank, size_t bytes);
void* onceover_reallocate(uint32_t rank, void* memory, size_t bytes);
void onceover_release(void* memory);

/** The rank calls MPI from this site, or begins a call: who uses memory that isn't its own after this does it here. */
void onceover_is_at(uint32_t rank, uint64_t site);

/** Is the pattern around the buffer as it was? */
int onceover_is_untouched_around(const void* buffer);

/** Where the rank's copy of the program is in memory. */
void onceover_lies_at(uint32_t rank, const void* begin, const void* end);

/** The rank enters the function that begins so far from the start of the program. */
void onceover_enter(uint32_t rank, uint64_t address);

/** A number for a list of ranks of the world, the same for equal lists. */
uint32_t onceover_group(const int* members, int size);

void onceover_log_send(uint32_t rank, int peer, int tag, uint32_t group, uint32_t serial, uint64_t site,
                       const void* data, size_t bytes);
void onceover_log_receive(uint32_t rank, int peer, int tag, uint32_t group, uint32_t serial, uint64_t site);
void onceover_log_done(uint32_t rank, uint32_t serial, int source, int tag);
void onceover_log_wait(uint32_t rank, uint64_t site);
void onceover_log_enter(uint32_t rank, uint64_t site, const char* name);
void onceover_log_leave(uint32_t rank);
void onceover_log_on_world(uint32_t rank, uint32_t serial);
void onceover_log_result(uint32_t rank, const void* data, size_t elements);
void onceover_log_numbers(uint32_t rank, const int64_t* numbers, size_t count);
void onceover_log_beyond(uint32_t rank, uint64_t site, const char* text);
void onceover_log_fault(uint32_t rank, const char* text);
void onceover_log_met(uint32_t rank, int defect, uint64_t site, uint32_t serial);
void onceover_log_end(uint32_t rank);

/** The simulator that runs has a defect; of all ranks. */
void onceover_set_defect(int defect);
int onceover_has_defect(int defect);

#ifdef __cplusplus
}
#endif

#endif
