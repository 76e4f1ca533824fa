#pragma once
/* What the Glibc module lacks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

/* prctl takes a variable number of arguments, which Swift cannot call. */
static inline int wherry_forbid_dump(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

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
