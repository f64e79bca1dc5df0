/*
 * bench/known.c - threads of C that compute, for known.py.
 *
 *     cc -O1 -g -shared -fPIC -o bench/known.so bench/known.c -lpthread
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include <pthread.h>
#include <time.h>

static double seconds;

static void *spin_in_c(void *unused) {
    struct timespec now;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec * 1e-9 < seconds);
    return unused;
}

void start(double s);
void run(double s);

// Returns at once; the thread goes on.
void start(double s) {
    pthread_t thread;
    seconds = s;
    pthread_create(&thread, NULL, spin_in_c, NULL);
    pthread_detach(thread);
}

// Returns when the thread has ended.
void run(double s) {
    pthread_t thread;
    seconds = s;
    pthread_create(&thread, NULL, spin_in_c, NULL);
    pthread_join(thread, NULL);
}
