/*
 * The least that holds Heartwheel devices, in C, to compare with: epoll, a listener and a list of connections in the order of their
 * last beats for each thread. Answers HELLO and PING; who is silent for the timeout gets CLOSE 4001 and is closed. It knows no device,
 * keeps no evidence, tells nobody, and has no other deadline.
 *
 *   gcc -O2 -o server server.c -lpthread
 *   server TIMEOUT_MS THREADS PORTS_FILE        the file gets tcp=127.0.0.1:PORT when it listens
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, BUFFER = 4096, REST = 128, HELLO = 1, WELCOME, PING, PONG, DATA, ACK, CLOSE = 8 };

struct connection {
    struct connection *before, *behind;
    int64_t beat;
    int fd, kept;
    unsigned char rest[REST];
};

static int64_t timeout_nanos;

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static int64_t now_nanos(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void take_out(struct connection *c) {
    c->before->behind = c->behind;
    c->behind->before = c->before;
}

/* To the end of the list, where those stand that are due last. */
static void put_last(struct connection *list, struct connection *c, int64_t now) {
    c->beat = now;
    c->before = list->before;
    c->behind = list;
    list->before = list->before->behind = c;
}

static void hang_up(struct connection *c) {
    take_out(c);
    close(c->fd);
    free(c);
}

/* Answers the whole frames of a buffer; the number of bytes used, below 0 to hang up. */
static int answer(int fd, unsigned char *in, int count) {
    static const unsigned char welcome[32] = {WELCOME, 0, 0, 28, 1, 0, 0, 0, 0xea, 0x60, 0, 100};
    unsigned char out[BUFFER];
    int used = 0, said = 0;
    while (count - used >= 4) {
        int length = 4 + (in[used + 2] << 8 | in[used + 3]);
        if (count - used < length || said + length + (int)sizeof welcome > BUFFER) break;
        if (in[used] == HELLO) {
            memcpy(out + said, welcome, sizeof welcome);
            said += sizeof welcome;
        } else if (in[used] == PING || in[used] == DATA) {
            memcpy(out + said, in + used, length);
            out[said]++; /* PONG, ACK */
            said += length;
        } else if (in[used] == CLOSE) {
            return -1;
        }
        used += length;
    }
    return said > 0 && send(fd, out, said, MSG_NOSIGNAL) != said ? -1 : used;
}

static void receive(struct connection *list, struct connection *c) {
    unsigned char in[BUFFER];
    memcpy(in, c->rest, c->kept);
    int read = recv(c->fd, in + c->kept, BUFFER - c->kept, 0);
    if (read < 0 && errno == EAGAIN) return;
    int used = read <= 0 ? -1 : answer(c->fd, in, c->kept + read), left = c->kept + read - used;
    if (used < 0 || left > REST) {
        hang_up(c);
        return;
    }
    memcpy(c->rest, in + used, left);
    c->kept = left;
    if (used > 0) take_out(c), put_last(list, c, now_nanos());
}

static void accept_all(int poll, int listener, struct connection *list) {
    int fd, one = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        struct connection *c = calloc(1, sizeof *c);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        c->fd = fd;
        put_last(list, c, now_nanos());
        epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    }
}

static void expire(struct connection *list, int64_t now) {
    static const unsigned char silent[] = {CLOSE, 0, 0, 2, 4001 >> 8, 4001 & 255};
    while (list->behind != list && now - list->behind->beat >= timeout_nanos) {
        send(list->behind->fd, silent, sizeof silent, MSG_NOSIGNAL);
        hang_up(list->behind);
    }
}

static void *serve(void *argument) {
    int listener = (int)(intptr_t)argument, poll = epoll_create1(0);
    struct connection list = {.before = &list, .behind = &list};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int64_t left = list.behind == &list ? 0 : (list.behind->beat + timeout_nanos - now_nanos()) / 1000000 + 1;
        int ready = epoll_wait(poll, events, EVENTS, list.behind == &list ? -1 : left < 0 ? 0 : (int)left);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr == NULL) {
                accept_all(poll, listener, &list);
            } else {
                receive(&list, events[i].data.ptr);
            }
        }
        expire(&list, now_nanos());
    }
    return NULL;
}

/* Binds to the port, or to a free one if it is 0; the port is told. */
static int listen_on(uint16_t *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 4096) < 0) fail("listen");
    getsockname(fd, (struct sockaddr *)&at, &size);
    *port = ntohs(at.sin_port);
    return fd;
}

int main(int count, char **words) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (count != 4) {
        fprintf(stderr, "usage: server TIMEOUT_MS THREADS PORTS_FILE\n");
        return 2;
    }
    timeout_nanos = atoll(words[1]) * 1000000;
    uint16_t port = 0;
    for (int i = 0; i < atoi(words[2]); i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)listen_on(&port)) != 0) fail("thread");
    }
    char part[4096];
    snprintf(part, sizeof part, "%s.part", words[3]);
    FILE *ports = fopen(part, "w");
    if (ports == NULL) fail(part);
    fprintf(ports, "tcp=127.0.0.1:%d\n", port);
    if (fclose(ports) != 0 || rename(part, words[3]) < 0) fail(words[3]);
    for (;;) pause();
}
