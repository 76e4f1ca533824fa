#pragma once
/* What the Glibc module lacks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

/* Calls that the C library hides without _GNU_SOURCE. */
static inline int wherry_exchange(int first_folder, const char *first, int second_folder, const char *second) {
  return (int)syscall(SYS_renameat2, first_folder, first, second_folder, second, 2u /* RENAME_EXCHANGE */);
}
static inline int wherry_sync_file_system(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }
static const int wherry_seek_data = 3, wherry_seek_hole = 4;

/* prctl takes a variable number of arguments, which Swift cannot call. */
static inline int wherry_forbid_dump(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* Whether a signal is ignored, as nohup(1) has it for SIGHUP; SIG_IGN is a macro that Swift does not see. */
static inline int wherry_ignores(int number) {
  struct sigaction action;
  return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* poll(2) with a structure of our own: `struct pollfd` belongs to whichever C module the compiler happens to load first. */
struct wherry_interest {
  int descriptor;
  short wanted;
  short happened;
};

_Static_assert(sizeof(struct wherry_interest) == sizeof(struct pollfd), "the two have one layout");

static inline int wherry_poll(struct wherry_interest *interests, unsigned long count, int milliseconds) {
  return poll((struct pollfd *)interests, count, milliseconds);
}
