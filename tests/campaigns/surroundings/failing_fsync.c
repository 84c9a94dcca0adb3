/* Loaded into PostgreSQL alone: while the file FSYNC_FAILS_WHILE exists, fsync and fdatasync fail
   with EIO, as on a disk that lost a write. Each failure adds one byte to FSYNC_FAILURES. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*sync_function)(int);

static int fails(void)
{
    const char *control = getenv("FSYNC_FAILS_WHILE"), *count = getenv("FSYNC_FAILURES");
    if (control == NULL || access(control, F_OK) != 0)
        return 0;
    int file = count == NULL ? -1 : open(count, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file >= 0) {
        ssize_t written = write(file, "x", 1);
        (void) written;
        close(file);
    }
    errno = EIO;
    return 1;
}

int fsync(int file)
{
    return fails() ? -1 : ((sync_function) dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file)
{
    return fails() ? -1 : ((sync_function) dlsym(RTLD_NEXT, "fdatasync"))(file);
}
