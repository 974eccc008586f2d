/*
 * The two ends of a comparison of load generators, in MQTT 3.1.1: a server that answers CONNECT, PINGREQ and PUBLISH
 * (QoS 1) and counts them, and the plainest client that does what emqtt-bench does: epoll, one thread, a few bytes a connection.
 *
 *   peer serve PORT COUNTS                          counts: three 64-bit numbers in a mapped file (connects, pings, messages)
 *   peer drive PORT CLIENTS RATE PERIOD_MS ping|message
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, BUFFER = 4096, KEPT = 256 };

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static struct sockaddr_in loopback(const char *port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return to;
}

static void all_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void no_delay(int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

static int64_t now_nanos(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ---- the server */

struct peer {
    int fd;
    int kept;
    unsigned char rest[KEPT];
};

/* Answers the whole packets in a buffer; the number of bytes used, below 0 to hang up. */
static int answer(int fd, const unsigned char *in, int count, volatile uint64_t *counts) {
    int used = 0;
    unsigned char out[BUFFER];
    int said = 0;
    while (count - used >= 2) {
        int length = 0, shift = 0, at = used + 1;
        do {
            if (at >= count || shift > 21) goto told;
            length |= (in[at] & 127) << shift;
            shift += 7;
        } while (in[at++] & 128);
        if (count - at < length) break;
        int type = in[used] >> 4;
        if (type == 1) {
            memcpy(out + said, "\x20\x02\x00\x00", 4), said += 4, counts[0]++;
        } else if (type == 12) {
            memcpy(out + said, "\xd0\x00", 2), said += 2, counts[1]++;
        } else if (type == 3 && length >= 4) {
            int id = at + 2 + (in[at] << 8 | in[at + 1]);
            if (id + 2 > at + length) return -1;
            out[said++] = 0x40, out[said++] = 2, out[said++] = in[id], out[said++] = in[id + 1], counts[2]++;
        } else if (type == 14) {
            return -1;
        }
        used = at + length;
        if (said > BUFFER - 8) break;
    }
told:
    if (said > 0 && send(fd, out, said, MSG_NOSIGNAL) < 0) return -1;
    return used;
}

static void serve(const char *port, const char *counts_file) {
    int file = open(counts_file, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, 24) < 0) fail(counts_file);
    volatile uint64_t *counts = mmap(NULL, 24, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    struct sockaddr_in at = loopback(port);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 4096) < 0) fail("listen");
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct peer *peer = events[i].data.ptr;
            if (peer == NULL) {
                int fd;
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    no_delay(fd);
                    peer = calloc(1, sizeof *peer);
                    peer->fd = fd;
                    event.data.ptr = peer;
                    epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
                }
                continue;
            }
            unsigned char in[BUFFER];
            memcpy(in, peer->rest, peer->kept);
            int read = recv(peer->fd, in + peer->kept, BUFFER - peer->kept, 0);
            if (read < 0 && errno == EAGAIN) continue;
            int used = read <= 0 ? -1 : answer(peer->fd, in, peer->kept + read, counts);
            int left = peer->kept + read - used;
            if (used < 0 || left > KEPT) {
                close(peer->fd);
                free(peer);
            } else {
                memcpy(peer->rest, in + used, left);
                peer->kept = left;
            }
        }
    }
}

/* ---- the client */

static void drive(const char *port, int clients, double rate, int64_t period, int message) {
    struct sockaddr_in to = loopback(port);
    struct client {
        int fd;
        int up;
        int64_t due;
    } *all = calloc(clients, sizeof *all);
    int *queue = calloc(clients + 1, sizeof *queue);
    int poll = epoll_create1(0), begun = 0, head = 0, tail = 0;
    struct epoll_event events[EVENTS];
    int64_t start = now_nanos();
    for (;;) {
        int64_t now = now_nanos();
        while (begun < clients && now >= start + (int64_t)(begun * 1e9 / rate)) {
            struct client *one = &all[begun];
            one->fd = socket(AF_INET, SOCK_STREAM, 0);
            if (one->fd < 0 || connect(one->fd, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
            no_delay(one->fd);
            unsigned char hello[32] = {0x10, 22, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 60, 0, 10};
            char id[16];
            snprintf(id, sizeof id, "c%09d", begun);
            memcpy(hello + 14, id, 10);
            if (send(one->fd, hello, 24, MSG_NOSIGNAL) != 24) fail("hello");
            struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
            epoll_ctl(poll, EPOLL_CTL_ADD, one->fd, &event);
            one->due = now + period;
            queue[tail] = begun++;
            tail = (tail + 1) % (clients + 1);
        }
        /* All have one period, so who is due later stands behind: a queue needs no heap. */
        while (begun > 0 && all[queue[head]].due <= now) {
            static const unsigned char ping[] = {0xc0, 0};
            static const unsigned char publish[] = {0x32, 17,  0,   1,   't', 0,   1,   't', 'w', 'e',
                                                    'l',  'v', 'e', ' ', 'b', 'y', 't', 'e', 's'};
            struct client *one = &all[queue[head]];
            int size = message ? sizeof publish : sizeof ping;
            if (one->up && send(one->fd, message ? publish : ping, size, MSG_NOSIGNAL) != size) fail("send");
            one->due += period;
            queue[tail] = queue[head];
            tail = (tail + 1) % (clients + 1);
            head = (head + 1) % (clients + 1);
        }
        int ready = epoll_wait(poll, events, EVENTS, 1);
        for (int i = 0; i < ready; i++) {
            struct client *one = events[i].data.ptr;
            unsigned char in[BUFFER];
            if (recv(one->fd, in, BUFFER, 0) <= 0) fail("the server hung up");
            one->up = 1;
        }
    }
}

int main(int count, char **words) {
    all_descriptors();
    if (count == 4 && strcmp(words[1], "serve") == 0) {
        serve(words[2], words[3]);
    } else if (count == 7 && strcmp(words[1], "drive") == 0) {
        drive(words[2], atoi(words[3]), atof(words[4]), atoll(words[5]) * 1000000LL, strcmp(words[6], "message") == 0);
    }
    fprintf(stderr, "usage: peer serve PORT COUNTS | peer drive PORT CLIENTS RATE PERIOD_MS ping|message\n");
    return 2;
}
