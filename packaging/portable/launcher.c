/* The first part of build/portable/verify, which runs on any x86-64 Linux: a static program that has the dynamic
 * loader, the program and its libraries in it, gives them to the kernel as files, and becomes the program.
 *
 * The files are in memory where /proc tells the loader their paths. Elsewhere they are in a new folder, which only its
 * owner may enter, until the program has begun; settle.cpp then closes or removes them. Nothing else is left or needed:
 * no library, shell or folder of the machine.
 *
 * Cost: one copy of all files in memory, some 40 MB.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* payload.h has a row FILE(name, path) for each file: the loader, the program, the libraries. */
#define FILE_IN(name, path)                                                                                     \
  __asm__(".pushsection .rodata\n.balign 64\n" #name ":\n.incbin \"" path "\"\n" #name "_end:\n.popsection\n"); \
  extern const char name[], name##_end[];
#define FILE FILE_IN
#include "payload.h"
#undef FILE
#define FILE_OF(name, path) {name, name##_end},
#define FILE FILE_OF
static const struct {
  const char *begin, *end;
} files[] = {
#include "payload.h"
};
#undef FILE

enum { count = sizeof files / sizeof *files, most = 4096, first_descriptor = 100 };

/* The paths that the loader gets, and what settle.cpp removes: " 100 101 .." of descriptors, or a folder. */
static char paths[count][most];
static char left[most];

static int write_all(int to, int file) {
  for (const char* at = files[file].begin; at < files[file].end;) {
    const ssize_t n = write(to, at, (size_t)(files[file].end - at));
    if (n < 0 && errno != EINTR) return -1;
    if (n > 0) at += n;
  }
  return 0;
}

static void close_descriptors(int from, int to) {
  for (int k = from; k < to; ++k) close(atoi(paths[k] + strlen("/proc/self/fd/")));
}

/* All files in memory, below descriptors that no user of few files has; -1 if this system can't. */
static int place_in_memory(void) {
  if (access("/proc/self/fd", X_OK) != 0) return -1;
  left[0] = 0;
  for (int k = 0; k < count; ++k) {
    int low = memfd_create("onceover", 0x10 /* MFD_EXEC, since Linux 6.3 */);
    if (low < 0) low = memfd_create("onceover", 0);
    const int file = low < 0 ? -1 : fcntl(low, F_DUPFD, first_descriptor);
    if (low >= 0) close(low);
    snprintf(paths[k], most, "/proc/self/fd/%d", file);
    if (file < 0 || write_all(file, k) != 0) {
      close_descriptors(0, file < 0 ? k : k + 1);
      return -1;
    }
    sprintf(left + strlen(left), " %d", file);
  }
  return 0;
}

static void remove_folder(void) {
  for (int k = 0; k < count; ++k) unlink(paths[k]);
  rmdir(left);
}

/* All files in a new folder; -1 if it can't be made or has a name that the loader would split. */
static int place_in(const char* parent) {
  if (parent == NULL || *parent == 0 || strlen(parent) > most / 2 || strpbrk(parent, " :;") != NULL) return -1;
  sprintf(left, "%s/.onceover-XXXXXX", parent);
  if (mkdtemp(left) == NULL) return -1;
  for (int k = 0; k < count; ++k) snprintf(paths[k], most, "%s/%d", left, k);
  for (int k = 0; k < count; ++k) {
    const int file = open(paths[k], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (file < 0 || write_all(file, k) != 0 || close(file) != 0) {
      remove_folder();
      return -1;
    }
  }
  return 0;
}

/* The loader of another libc must not read its variables: LD_PRELOAD becomes -D_PRELOAD until settle.cpp changes it
 * back. */
static void put_aside_loaders_variables(void) {
  for (char** each = environ; *each != NULL; ++each)
    if (strncmp(*each, "LD_", 3) == 0) **each = '-';
}

/* Becomes the program; returns if that fails. */
static void start(int argc, char** argv) {
  static char preloaded[count * most];
  char **arguments = calloc((size_t)argc + 8, sizeof *arguments), **next = arguments;
  if (arguments == NULL) return;
  for (int k = 2; k < count; ++k) sprintf(preloaded + strlen(preloaded), ":%s", paths[k]);
  *next++ = argv[0];
  *next++ = "--argv0";
  *next++ = argv[0];
  *next++ = "--preload";
  *next++ = preloaded + 1;
  *next++ = paths[1];
  for (int k = 1; k < argc; ++k) *next++ = argv[k];
  setenv("ONCEOVER_PORTABLE", left, 1);
  execv(paths[0], arguments);
  preloaded[0] = 0;
  free(arguments);
}

/* A limit on the size of files is a write that fails; the program finds the signal as it was. */
static void pass_over(int number) { (void)number; }

int main(int argc, char** argv) {
  signal(SIGXFSZ, pass_over);
  put_aside_loaders_variables();
  if (place_in_memory() == 0) {
    start(argc, argv);
    close_descriptors(0, count);
  }
  const char* folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm", "."};
  for (size_t k = 0; k < sizeof folders / sizeof *folders; ++k)
    if (place_in(folders[k]) == 0) {
      start(argc, argv);
      remove_folder();
    }
  fprintf(stderr, "verify: needs /proc, or a folder in which it may write and run a file: TMPDIR names one\n");
  return 5;
}
