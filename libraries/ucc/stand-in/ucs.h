/* Stands in for what UCC takes of UCX's library of utilities (UCS). Names and meanings are UCX's. */
#ifndef ONCEOVER_UCS_H
#define ONCEOVER_UCS_H

#include <alloca.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

#define BEGIN_C_DECLS
#define END_C_DECLS
#define UCS_BIT(k) (1ul << (k))
#define UCS_MASK(k) (((k) >= 64) ? ~0ul : UCS_BIT(k) - 1)
#define UCS_F_NORETURN __attribute__((noreturn))
#define UCS_S_PACKED __attribute__((packed))
#define UCS_EMPTY_STATEMENT \
  {}
#define ucs_likely(x) __builtin_expect(!!(x), 1)
#define ucs_unlikely(x) __builtin_expect(!!(x), 0)
#define ucs_offsetof(type, member) offsetof(type, member)
#define ucs_container_of(at, type, member) ((type*)((char*)(at)-offsetof(type, member)))
#define ucs_derived_of(at, type) ucs_container_of(at, type, super)
#define ucs_min(a, b) ((a) < (b) ? (a) : (b))
#define ucs_max(a, b) ((a) > (b) ? (a) : (b))
#define ucs_ilog2(n) (63 - __builtin_clzl((unsigned long)(n)))
#define ucs_for_each_bit(index, map)                  \
  for (unsigned long ucs_left = ((index) = 0, (map)); \
       ucs_left != 0 && ((index) = (__typeof__(index))__builtin_ctzl(ucs_left), 1); ucs_left &= ucs_left - 1)
#define UCS_PP_QUOTE(x) #x
#define UCS_PP_MAKE_STRING(x) UCS_PP_QUOTE(x)

/* A request is a pointer; small ones are a status. */
typedef enum {
  UCS_OK = 0,
  UCS_INPROGRESS = 1,
  UCS_ERR_NO_MESSAGE = -1,
  UCS_ERR_NO_RESOURCE = -2,
  UCS_ERR_IO_ERROR = -3,
  UCS_ERR_NO_MEMORY = -4,
  UCS_ERR_INVALID_PARAM = -5,
  UCS_ERR_UNREACHABLE = -6,
  UCS_ERR_NOT_IMPLEMENTED = -8,
  UCS_ERR_MESSAGE_TRUNCATED = -9,
  UCS_ERR_NO_ELEM = -12,
  UCS_ERR_CANCELED = -16,
  UCS_ERR_UNSUPPORTED = -22,
  UCS_ERR_LAST = -100
} ucs_status_t;
typedef void* ucs_status_ptr_t;
#define UCS_STATUS_PTR(status) ((void*)(intptr_t)(status))
#define UCS_PTR_IS_ERR(at) ((uintptr_t)(at) >= (uintptr_t)UCS_ERR_LAST)
#define UCS_PTR_IS_PTR(at) ((at) != NULL && !UCS_PTR_IS_ERR(at))
#define UCS_PTR_STATUS(at) (UCS_PTR_IS_PTR(at) ? UCS_INPROGRESS : (ucs_status_t)(intptr_t)(at))
const char* ucs_status_string(ucs_status_t status);

typedef enum {
  UCS_MEMORY_TYPE_HOST,
  UCS_MEMORY_TYPE_CUDA,
  UCS_MEMORY_TYPE_CUDA_MANAGED,
  UCS_MEMORY_TYPE_ROCM,
  UCS_MEMORY_TYPE_ROCM_MANAGED,
  UCS_MEMORY_TYPE_LAST,
  UCS_MEMORY_TYPE_UNKNOWN = UCS_MEMORY_TYPE_LAST
} ucs_memory_type_t;

typedef enum { UCS_THREAD_MODE_SINGLE, UCS_THREAD_MODE_SERIALIZED, UCS_THREAD_MODE_MULTI } ucs_thread_mode_t;

/* Lists */
typedef struct ucs_list_link {
  struct ucs_list_link *prev, *next;
} ucs_list_link_t;
#define UCS_LIST_HEAD(name) ucs_list_link_t name = {&(name), &(name)}
static inline void ucs_list_head_init(ucs_list_link_t* head) {
  head->prev = head->next = head;
}
static inline int ucs_list_is_empty(const ucs_list_link_t* head) {
  return head->next == head;
}
static inline void ucs_list_insert_after(ucs_list_link_t* at, ucs_list_link_t* link) {
  link->prev = at;
  link->next = at->next;
  at->next->prev = link;
  at->next = link;
}
static inline void ucs_list_insert_before(ucs_list_link_t* at, ucs_list_link_t* link) {
  ucs_list_insert_after(at->prev, link);
}
static inline void ucs_list_add_tail(ucs_list_link_t* head, ucs_list_link_t* link) {
  ucs_list_insert_before(head, link);
}
static inline void ucs_list_del(ucs_list_link_t* link) {
  link->prev->next = link->next;
  link->next->prev = link->prev;
}
static inline unsigned long ucs_list_length(ucs_list_link_t* head) {
  unsigned long n = 0;
  for (ucs_list_link_t* at = head->next; at != head; at = at->next) ++n;
  return n;
}
static inline ucs_list_link_t* ucs_list_taken(ucs_list_link_t* link) {
  ucs_list_del(link);
  return link;
}
#define ucs_list_head(list, type, member) ucs_container_of((list)->next, type, member)
#define ucs_list_tail(list, type, member) ucs_container_of((list)->prev, type, member)
#define ucs_list_next(link, type, member) ucs_container_of((link)->next, type, member)
#define ucs_list_extract_head(list, type, member) ucs_container_of(ucs_list_taken((list)->next), type, member)
#define ucs_list_for_each(each, list, member)                                                           \
  for ((each) = ucs_container_of((list)->next, __typeof__(*(each)), member); &(each)->member != (list); \
       (each) = ucs_container_of((each)->member.next, __typeof__(*(each)), member))
#define ucs_list_for_each_safe(each, after, list, member)                           \
  for ((each) = ucs_container_of((list)->next, __typeof__(*(each)), member),        \
      (after) = ucs_container_of((each)->member.next, __typeof__(*(each)), member); \
       &(each)->member != (list);                                                   \
       (each) = (after), (after) = ucs_container_of((each)->member.next, __typeof__(*(each)), member))

/* One thread: locks do nothing, and atomic operations are plain ones. */
typedef struct {
  int unused;
} ucs_spinlock_t;
typedef ucs_spinlock_t ucs_recursive_spinlock_t;
static inline ucs_status_t ucs_spinlock_init(ucs_spinlock_t* lock, int flags) {
  return (void)lock, (void)flags, UCS_OK;
}
static inline void ucs_spinlock_destroy(ucs_spinlock_t* lock) {
  (void)lock;
}
static inline void ucs_spin_lock(ucs_spinlock_t* lock) {
  (void)lock;
}
static inline int ucs_spin_try_lock(ucs_spinlock_t* lock) {
  return (void)lock, 1;
}
static inline void ucs_spin_unlock(ucs_spinlock_t* lock) {
  (void)lock;
}
#define ucs_recursive_spinlock_init ucs_spinlock_init
#define ucs_recursive_spinlock_destroy ucs_spinlock_destroy
#define ucs_recursive_spin_lock ucs_spin_lock
#define ucs_recursive_spin_trylock ucs_spin_try_lock
#define ucs_recursive_spin_unlock ucs_spin_unlock
#define ONCEOVER_ATOMICS(bits)                                                                                       \
  static inline void ucs_atomic_add##bits(volatile uint##bits##_t* at, uint##bits##_t n) {                           \
    *at += n;                                                                                                        \
  }                                                                                                                  \
  static inline void ucs_atomic_sub##bits(volatile uint##bits##_t* at, uint##bits##_t n) {                           \
    *at -= n;                                                                                                        \
  }                                                                                                                  \
  static inline uint##bits##_t ucs_atomic_fadd##bits(volatile uint##bits##_t* at, uint##bits##_t n) {                \
    const uint##bits##_t old = *at;                                                                                  \
    *at += n;                                                                                                        \
    return old;                                                                                                      \
  }                                                                                                                  \
  static inline uint##bits##_t ucs_atomic_cswap##bits(volatile uint##bits##_t* at, uint##bits##_t is,                \
                                                      uint##bits##_t to) {                                           \
    const uint##bits##_t old = *at;                                                                                  \
    if (old == is) *at = to;                                                                                         \
    return old;                                                                                                      \
  }                                                                                                                  \
  static inline int ucs_atomic_bool_cswap##bits(volatile uint##bits##_t* at, uint##bits##_t is, uint##bits##_t to) { \
    return ucs_atomic_cswap##bits(at, is, to) == is;                                                                 \
  }
ONCEOVER_ATOMICS(8)
ONCEOVER_ATOMICS(32)
ONCEOVER_ATOMICS(64)

/* Pools: each object is memory of its own, so that what uses it afterwards is seen. */
typedef struct ucs_mpool ucs_mpool_t;
typedef struct ucs_mpool_ops {
  ucs_status_t (*chunk_alloc)(ucs_mpool_t* pool, size_t* size, void** chunk);
  void (*chunk_release)(ucs_mpool_t* pool, void* chunk);
  void (*obj_init)(ucs_mpool_t* pool, void* object, void* chunk);
  void (*obj_cleanup)(ucs_mpool_t* pool, void* object);
  void (*obj_str)(ucs_mpool_t* pool, void* object, void* text);
} ucs_mpool_ops_t;
typedef struct {
  const ucs_mpool_ops_t* ops;
  size_t size;
} ucs_mpool_data_t;
struct ucs_mpool {
  ucs_mpool_data_t* data;
};
typedef struct ucs_mpool_elem {
  _Alignas(16) ucs_mpool_t* mpool;
} ucs_mpool_elem_t;
typedef struct ucs_mpool_params {
  size_t priv_size, elem_size, align_offset, alignment, max_chunk_size;
  int malloc_safe;
  unsigned elems_per_chunk, max_elems;
  double grow_factor;
  const ucs_mpool_ops_t* ops;
  const char* name;
} ucs_mpool_params_t;
void ucs_mpool_params_reset(ucs_mpool_params_t* params);
ucs_status_t ucs_mpool_init(const ucs_mpool_params_t* params, ucs_mpool_t* pool);
void ucs_mpool_cleanup(ucs_mpool_t* pool, int check);
void* ucs_mpool_get(ucs_mpool_t* pool);
void ucs_mpool_put(void* object);
ucs_status_t ucs_mpool_hugetlb_malloc(ucs_mpool_t* pool, size_t* size, void** chunk);
void ucs_mpool_hugetlb_free(ucs_mpool_t* pool, void* chunk);

/* Configuration: names of types alone. Settings are set by the adapter. */
typedef struct {
  int unused;
} ucs_config_field_t;
typedef struct {
  char** names;
  unsigned count, pad;
} ucs_config_names_array_t;
typedef enum {
  UCS_CONFIG_ALLOW_LIST_ALLOW_ALL,
  UCS_CONFIG_ALLOW_LIST_ALLOW,
  UCS_CONFIG_ALLOW_LIST_NEGATE
} ucs_config_allow_list_mode_t;
typedef struct {
  ucs_config_names_array_t array;
  ucs_config_allow_list_mode_t mode;
} ucs_config_allow_list_t;
typedef struct {
  const char *name, *prefix;
  ucs_config_field_t* table;
  size_t size;
  ucs_list_link_t list;
  uint8_t flags;
} ucs_config_global_list_entry_t;
typedef enum {
  UCS_CONFIG_PRINT_CONFIG = UCS_BIT(0),
  UCS_CONFIG_PRINT_HEADER = UCS_BIT(1),
  UCS_CONFIG_PRINT_DOC = UCS_BIT(2),
  UCS_CONFIG_PRINT_HIDDEN = UCS_BIT(3)
} ucs_config_print_flags_t;
typedef enum { UCS_NO, UCS_YES, UCS_TRY, UCS_AUTO, UCS_TERNARY_LAST } ucs_ternary_auto_value_t;
typedef enum { UCS_CONFIG_OFF, UCS_CONFIG_ON, UCS_CONFIG_AUTO, UCS_CONFIG_ON_OFF_LAST } ucs_on_off_auto_value_t;
#define UCS_MEMUNITS_INF SIZE_MAX
#define UCS_MEMUNITS_AUTO (SIZE_MAX - 1)
#define UCS_ULUNITS_AUTO (SIZE_MAX - 1)
#define ucs_config_parser_release_opts(options, fields) ((void)(options), (void)(fields))
#define ucs_config_parser_set_value(options, fields, ...) ((void)(options), (void)(fields), UCS_ERR_UNSUPPORTED)
#define ucs_config_parser_print_opts(stream, ...) ((void)(stream))

/* What UCC's older versions log by; what goes wrong is printed. */
typedef enum {
  UCS_LOG_LEVEL_FATAL,
  UCS_LOG_LEVEL_ERROR,
  UCS_LOG_LEVEL_WARN,
  UCS_LOG_LEVEL_DIAG,
  UCS_LOG_LEVEL_INFO,
  UCS_LOG_LEVEL_DEBUG,
  UCS_LOG_LEVEL_TRACE,
  UCS_LOG_LEVEL_TRACE_REQ,
  UCS_LOG_LEVEL_TRACE_DATA,
  UCS_LOG_LEVEL_TRACE_ASYNC,
  UCS_LOG_LEVEL_TRACE_FUNC,
  UCS_LOG_LEVEL_TRACE_POLL,
  UCS_LOG_LEVEL_LAST,
  UCS_LOG_LEVEL_PRINT
} ucs_log_level_t;
typedef struct ucs_log_component_config {
  ucs_log_level_t log_level;
  char name[16];
  const char* file_filter;
} ucs_log_component_config_t;
#define ucs_log_component(level, component, ...) \
  do {                                           \
    if ((level) <= UCS_LOG_LEVEL_WARN) {         \
      fprintf(stderr, __VA_ARGS__);              \
      fputc('\n', stderr);                       \
    }                                            \
  } while (0)
#define ucs_log_component_is_enabled(level, component) ((level) <= UCS_LOG_LEVEL_WARN)
void ucs_log_fatal_error(const char* format, ...);
#define ucs_log_flush() fflush(stderr)
#define ucs_log_get_buffer_size() ((size_t)1024)

/* Classes: declared in headers, and used where nothing of ours goes. */
typedef struct ucs_class ucs_class_t;
#define _UCS_CLASS_DECL_NAME(type) type##_class
#define _UCS_CLASS_INIT_NAME(type) type##_init

void ucs_strncpy_safe(char* to, const char* from, size_t n);

#endif
