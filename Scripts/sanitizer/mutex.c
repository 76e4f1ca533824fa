// Tells ThreadSanitizer what Swift's Mutex does when it has to wait. The quick ways of `lock` and `unlock` are compiled into
// the program, where the sanitizer sees them; the slow ones are in libswiftSynchronization, which is not built with it, and
// leave the work to the kernel. Without this every lock that two threads wanted at once is reported as a race on what it
// guards. Preloaded by Scripts/test --sanitize thread.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *handle

// Of the program, when it is built with the sanitizer.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static void *following(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

SWIFT void lock_slow(uint32_t thread, HANDLE) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, HANDLE) {
  SWIFT void (*lock)(uint32_t, HANDLE) = following(LOCK);
  lock(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(HANDLE) __asm__(UNLOCK);
SWIFT void unlock_slow(HANDLE) {
  SWIFT void (*unlock)(HANDLE) = following(UNLOCK);
  if (__tsan_release) __tsan_release(handle);
  unlock(handle);
}
