// Refuses names for functions that something else has. A file that defines such a function doesn't compile, or its
// function replaces the one that the MPI calls: a function `write` would get what the MPI writes to its sockets. So the
// names of C, its library, MPI and the file itself are refused.
//
// Families of names are recognised by their beginning or end: `int16_t` by its end, `SIGINT` by its beginning. The
// others are listed; functions of mathematics are listed without the f and l of their variants. The list has more than
// some C libraries and less than others: what the headers of the file declare, the standard library, and the system
// calls that MPIs make.
//
// Example: `printf` and `sinf` are the C library's, `MPI_Sum` is MPI's, `exchange` the file's. `print_all` is free.
//
// O(list) time.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "formats/mpi_writer.h"

namespace onceover::formats {

namespace {

constexpr std::string_view words_of_c =
    "alignas alignof and and_eq asm auto bitand bitor bool break case char compl complex const constexpr continue "
    "default do double else enum extern false float for goto if imaginary inline int long main noreturn not not_eq "
    "nullptr or or_eq register restrict return short signed sizeof static static_assert struct switch thread_local "
    "true typedef typeof typeof_unqual union unsigned void volatile while xor xor_eq";

constexpr std::string_view c_library =
    "a64l abort abs accept access acos acosh aligned_alloc alloca arc4random arc4random_buf arc4random_uniform "
    "asctime asin asinh assert at_quick_exit atan atan2 atanh atexit atof atoi atol bcmp bcopy be16toh be32toh "
    "be64toh BIG_ENDIAN bind brk bsearch btowc BUFSIZ BYTE_ORDER bzero c16rtomb c32rtomb cabs cacos cacosh call_once "
    "calloc carg casin casinh catan catanh cbrt ccos ccosh ceil cexp CHAR_BIT chdir chmod chown cimag clearenv "
    "clearerr clearerr_unlocked clock CLOCKS_PER_SEC clog close CMPLX CMPLXF CMPLXL conj connect copysign cos cosh "
    "cpow cproj creal creat csin csinh csqrt ctan ctanh ctermid ctime daemon DECIMAL_DIG difftime div dlclose dlerror "
    "dlopen dlsym dprintf drand48 drand48_r dup dup2 ecvt ecvt_r environ erand48 erand48_r erf erfc errno execl "
    "execle execlp execv execve execvp exit EXIT_FAILURE EXIT_SUCCESS exp exp2 explicit_bzero expm1 fabs fclose fcntl "
    "fcvt fcvt_r FD_CLR FD_ISSET fd_mask FD_SET fd_set FD_SETSIZE FD_ZERO fdim fdopen feclearexcept fegetenv "
    "fegetexceptflag fegetround feholdexcept feof feof_unlocked feraiseexcept ferror ferror_unlocked fesetenv "
    "fesetexceptflag fesetround fetestexcept feupdateenv fflush fflush_unlocked ffs fgetc fgetc_unlocked fgetpos "
    "fgets fgetwc fgetws FILE fileno fileno_unlocked flockfile floor fma fmax fmemopen fmin fmod fopen fork "
    "fpclassify fprintf fputc fputc_unlocked fputs fputwc fputws fread fread_unlocked free freopen frexp fscanf fseek "
    "fseeko fsetpos fstat fsync ftell ftello ftruncate ftrylockfile funlockfile fwide fwprintf fwrite fwrite_unlocked "
    "fwscanf gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline getloadavg getpid getppid "
    "getsubopt getuid getw getwc getwchar gmtime htobe16 htobe32 htobe64 htole16 htole32 htole64 HUGE_VAL HUGE_VALF "
    "HUGE_VALL hypot I ilogb imaxabs imaxdiv index INFINITY initstate initstate_r INT16_C INT32_C INT64_C INT8_C "
    "INTMAX_C ioctl isalnum isalpha isblank iscntrl isdigit isfinite isgraph isgreater isgreaterequal isinf isless "
    "islessequal islessgreater islower isnan isnormal isprint ispunct isspace isunordered isupper iswalnum iswalpha "
    "iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit "
    "jmp_buf jrand48 jrand48_r kill kill_dependency l64a L_ctermid L_tmpnam labs lcong48 lcong48_r ldexp ldiv le16toh "
    "le32toh le64toh lgamma link linux listen LITTLE_ENDIAN llabs lldiv llrint llround localeconv localtime log log10 "
    "log1p log2 logb longjmp lrand48 lrand48_r lrint lround lseek lstat madvise malloc MATH_ERREXCEPT "
    "math_errhandling MATH_ERRNO mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit mbsrtowcs mbstowcs mbtowc memccpy "
    "memchr memcmp memcpy memmove memset mkdir mkdtemp mkfifo mkstemp mkstemps mktemp mktime mlock mmap modf mprotect "
    "mrand48 mrand48_r msync munmap NAN nan nanosleep nearbyint nextafter nexttoward NFDBITS nice nrand48 nrand48_r "
    "NULL offsetof on_exit once_flag ONCE_FLAG_INIT open open_memstream openat opendir P_tmpdir pause pclose "
    "PDP_ENDIAN perror pipe poll popen posix_memalign pow pread printf pselect putc putc_unlocked putchar "
    "putchar_unlocked putenv puts putw putwc putwchar pwrite qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort quick_exit raise "
    "rand rand_r random random_r read readdir readlink readv realloc reallocarray realpath recv recvfrom recvmsg "
    "remainder remove remquo rename renameat rewind rindex rint rmdir round rpmatch sbrk scalbln scalbn scanf "
    "sched_yield seed48 seed48_r SEEK_CUR SEEK_END SEEK_SET select send sendmsg sendto setbuf setbuffer setenv setjmp "
    "setlinebuf setlocale setstate setstate_r setvbuf shmat shmdt shmget shutdown sigaction signal signbit "
    "sigprocmask sin sinh sleep snprintf socket sprintf sqrt srand srand48 srand48_r srandom srandom_r sscanf stat "
    "stderr stdin stdout stpcpy stpncpy strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy strcspn "
    "strdup strerror strerror_l strerror_r strftime strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup "
    "strnlen strpbrk strrchr strsep strsignal strspn strstr strtod strtof strtoimax strtok strtok_r strtol strtold "
    "strtoq strtoul strtoumax strtouq strxfrm strxfrm_l swprintf swscanf sync syscall system tan tanh tempnam tgamma "
    "time TIME_UTC timespec_get tmpfile tmpnam tmpnam_r tolower toupper towctrans towlower towupper trunc "
    "TSS_DTOR_ITERATIONS u_char u_int u_long u_short uint UINT16_C UINT32_C UINT64_C UINT8_C UINTMAX_C ulong umask "
    "uname ungetc ungetwc unix unlink unsetenv ushort usleep va_arg va_copy va_end va_list va_start valloc vdprintf "
    "vfork vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf "
    "vwscanf wait waitpid WCONTINUED wcrtomb wcscat wcschr wcscmp wcscoll wcscpy wcscspn wcsftime wcslen wcsncat "
    "wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok wcstol wcstold wcstombs "
    "wcstoul wcstoumax wcsxfrm wctob wctomb wctrans wctype WEOF WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED "
    "WIFSIGNALED WIFSTOPPED wmemchr wmemcmp wmemcpy wmemmove wmemset WNOHANG WNOWAIT wprintf write writev wscanf "
    "WSTOPPED WSTOPSIG WTERMSIG WUNTRACED";

/// How families of the C library's names end and begin.
constexpr std::array<std::string_view, 3> c_ends{"_t", "_MAX", "_MIN"};
constexpr std::array<std::string_view, 14> c_beginnings{"atomic_", "memory_order", "cnd_",    "mtx_", "thrd_",
                                                        "tss_",    "pthread_",     "ATOMIC_", "DBL_", "FLT_",
                                                        "LDBL_",   "FE_",          "FP_",     "LC_"};
/// These, followed only by capitals and digits: EINVAL, SIGINT.
constexpr std::array<std::string_view, 2> c_capitals{"E", "SIG"};
constexpr std::array<std::string_view, 12> mpi_beginnings{"MPI_",  "PMPI_", "MPIX_", "PMPIX_", "QMPI_", "MPICH",
                                                          "MPIR_", "MPIO_", "OMPI_", "ompi_",  "OPAL_", "opal_"};

/// Names in the file itself. The last ones occur if it defines MPI_Allreduce, which calls the function.
constexpr std::string_view words_of_the_file =
    "SEND SUM COPY PLACE SUM_AGAIN COPY_AGAIN SUM_OWN COPY_OWN LEFT RIGHT RANKS BLOCKS SCRATCH KEEPS_ORDER "
    "MOST_MESSAGES MOST_RUNS FUNCTION FUNCTION_NAME home length_of is_own is_again bytes_of as_vector read_own runs "
    "first_run actions first_action start_of element find_runs elements_of post post_blocks copy join is_staged "
    "make_room exchange apply run_steps describe_elements key forget find_own fail run_call ONCEOVER_INTERPOSE "
    "sendbuf recvbuf count datatype op comm ranks is_inter";

bool is_in(std::string_view list, std::string_view name) {
  const auto words = split(list, ' ');
  return std::find(words.begin(), words.end(), name) != words.end();
}

bool is_of_c_library(std::string_view name) {
  const auto capitals_follow = [&](std::string_view beginning) {
    return name.starts_with(beginning) && name.size() > beginning.size() + 1 &&
           std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); });
  };
  const bool is_variant = name.size() > 1 && (name.back() == 'f' || name.back() == 'l');
  return is_in(c_library, name) || (is_variant && is_in(c_library, name.substr(0, name.size() - 1))) ||
         std::any_of(c_ends.begin(), c_ends.end(), [&](std::string_view end) { return name.ends_with(end); }) ||
         std::any_of(c_beginnings.begin(), c_beginnings.end(), [&](auto begin) { return name.starts_with(begin); }) ||
         std::any_of(c_capitals.begin(), c_capitals.end(), capitals_follow);
}

bool is_of_mpi(std::string_view name) {
  return std::any_of(mpi_beginnings.begin(), mpi_beginnings.end(), [&](auto begin) { return name.starts_with(begin); });
}

}  // namespace

std::string mpi_function_name(const Header& header) {
  std::string name = header.algorithm.empty() ? "schedule" : "";
  for (const char c : header.algorithm) name += is_in_name(c) ? c : '_';
  name += fmt::format("_allreduce_p{}", header.ranks);
  return mpi_name_refusal(name) ? "schedule_" + name : name;
}

std::optional<std::string> mpi_name_refusal(const std::string& name) {
  if (name.empty() || is_digit(name.front()) || !std::all_of(name.begin(), name.end(), is_in_name))
    return fmt::format("'{}' is not a name in C", name);
  if (name.front() == '_' || is_in(words_of_c, name)) return fmt::format("'{}' is C's own", name);
  if (is_of_mpi(name)) return fmt::format("'{}' is MPI's", name);
  if (is_of_c_library(name)) return fmt::format("'{}' is the C library's", name);
  if (is_in(words_of_the_file, name)) return fmt::format("'{}' is a name that the file uses itself", name);
  return std::nullopt;
}

}  // namespace onceover::formats
