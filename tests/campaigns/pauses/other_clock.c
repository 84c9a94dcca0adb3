/* Loaded with LD_PRELOAD: the time of day is off by CLOCK_OFF_SECONDS, and with CLOCK_WANDERS set
   it jumps between that and the right time at every look. The monotonic clock stays as it is, as
   it does when somebody sets the clock of a machine. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long off(void) {
    static long seconds = 0, known = 0, wanders = 0, looks = 0;
    if (!known) {
        const char *text = getenv("CLOCK_OFF_SECONDS");
        seconds = text ? atol(text) : 0;
        wanders = getenv("CLOCK_WANDERS") != NULL;
        known = 1;
    }
    return wanders && (++looks % 2) ? 0 : seconds;
}

int clock_gettime(clockid_t which, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *) = NULL;
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(which, at);
    if (!result && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) at->tv_sec += off();
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    if (!result && at) { at->tv_sec = now.tv_sec; at->tv_usec = now.tv_nsec / 1000; }
    return result;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
