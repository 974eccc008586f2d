/*
 * Devices of the comparison, in C: epoll, one thread for the many and one for those who measure round trips meanwhile.
 * They speak Heartwheel frames (gateway/docs/protocol.md) over TCP; the baselines answer the same frames.
 *
 *   gcc -O2 -o client client.c -lpthread -lssl
 *   client PORT [-i INTERVAL_MS] [-p SERVER_PID] [-b LIVE_BEAT_MS] [-t] [-w] COMMAND...       no command: lines of standard input
 *
 * Each command is one argument, and answers with one line of JSON:
 *
 *   "open N [PER_SECOND]"         N more connect, 256 under way at a time, and say HELLO
 *   "live N [PER_SECOND]"         so do N that from now on beat every LIVE_BEAT_MS (250) in a thread of their own, and measure
 *   "hold SECONDS"                nobody of the many beats; probes are answered
 *   "beat PER_SECOND SECONDS"     the many beat in turn (at N / INTERVAL a second each one exactly at its interval)
 *   "data PER_SECOND SECONDS"     the many send messages of 64 bytes in turn, and want an ACK of each
 *   "die K TIMEOUT_MS [SECONDS]"  the many beat once in 2 s for so long (4); K send one more at once and fall silent. Closes count
 *                                 from each one's own last beat and the timeout. quiet_*: live round trips before; live_*: from the
 *                                 first deadline to the last close, a second at least
 *   "storm K [LIMIT]"             after 2 s of quiet K more connect at once (or LIMIT at a time). live_*: as above, from the first
 *                                 connect to the last WELCOME, 3.5 s at least
 *   "drop [SECONDS]"              the many are reset; so long (2 s) for the server to see it
 *
 * -i: the interval that HELLO asks for (60,000). -p: each answer tells the server's CPU and voluntary context switches meanwhile.
 * -t: TLS 1.3, every handshake a full one, whoever the server is. -w: plain WebSocket, for open, hold and drop.
 * Example: client 7070 -p 4711 "live 1000" "open 14000" "die 14000 10000" < /dev/null
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 512, REST = 512, SOURCES = 4, SAMPLES = 1 << 23, CODES = 1024, THREADS = 1024 };
enum { HELLO = 1, WELCOME, PING, PONG, DATA, ACK, GOAWAY, CLOSE };
enum state { CONNECTING, SHAKING_HANDS, GREETED, OPEN, ENDED };

static const int64_t MILLI = 1000000, SECOND = 1000000000, STORM = 3500000000;

struct device {
    int fd, number, kept, silent;
    enum state state;
    int64_t begun, sent, answered, ended;
    SSL *tls;
    unsigned char rest[REST];
};

struct sample {
    int64_t intended, took;
};

/* Devices of one thread. */
struct group {
    int poll, count, room, open, waiting, failed, lost, probes, codes[CODES];
    struct device **devices;
    int64_t gap, due; /* nanoseconds from beat to beat, 0: none; when the next one is meant to go out */
    int messages;     /* what goes out are messages, not beats */
    int64_t sent;
    int cursor;
    struct sample *samples;
    atomic_int sampled;
};

static struct group many, live;
static struct sockaddr_in server;
static uint32_t interval = 60000;
static int64_t live_period = 250;
static int server_pid, web_socket, made;
static SSL_CTX *tls;

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static int64_t now_nanos(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* ---- what the server spent */

struct spent {
    double cpu_micros;
    long switches;
    int64_t at;
};

/* Switches of all threads so far; those of one that ended stay counted as far as they were seen. */
static long switched(int thread, long count) {
    static struct { int thread; long count; } seen[THREADS];
    static int threads;
    static long all;
    int i = 0;
    while (i < threads && seen[i].thread != thread) i++;
    if (i == threads) {
        if (threads == THREADS) fail("too many threads");
        seen[threads++].thread = thread;
    }
    all += count - seen[i].count;
    seen[i].count = count;
    return all;
}

static struct spent spent(void) {
    struct spent s = {.at = now_nanos()};
    clockid_t clock;
    struct timespec t;
    char name[300], line[256];
    if (server_pid == 0) return s;
    if (clock_getcpuclockid(server_pid, &clock) != 0 || clock_gettime(clock, &t) < 0) fail("the server's CPU clock");
    s.cpu_micros = t.tv_sec * 1e6 + t.tv_nsec / 1e3;
    snprintf(name, sizeof name, "/proc/%d/task", server_pid);
    DIR *tasks = opendir(name);
    if (tasks == NULL) fail(name);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        snprintf(name, sizeof name, "/proc/%d/task/%s/status", server_pid, task->d_name);
        FILE *status = task->d_name[0] == '.' ? NULL : fopen(name, "r");
        long count;
        while (status != NULL && fgets(line, sizeof line, status) != NULL) {
            if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) s.switches = switched(atoi(task->d_name), count);
        }
        if (status != NULL) fclose(status);
    }
    closedir(tasks);
    return s;
}

/* The end of an answer: what the server spent, and how long it took. */
static void told(struct spent from) {
    struct spent to = spent();
    if (server_pid != 0) printf(", \"cpu_us\": %.0f, \"switches\": %ld", to.cpu_micros - from.cpu_micros, to.switches - from.switches);
    printf(", \"seconds\": %.3f}\n", (to.at - from.at) / 1e9);
    fflush(stdout);
}

/* ---- one device */

static void ended(struct group *g, struct device *d, int64_t now) {
    if (d->state == ENDED) return;
    if (d->state == OPEN) {
        g->open--;
        if (!d->silent) g->lost++;
    } else {
        g->waiting--, g->failed++;
    }
    d->state = ENDED;
    d->ended = now;
}

static void put(struct group *g, struct device *d, const void *bytes, int count) {
    int sent = d->tls == NULL ? send(d->fd, bytes, count, MSG_NOSIGNAL) : SSL_write(d->tls, bytes, count);
    if (sent != count) ended(g, d, now_nanos());
}

/* As recv: 0 at the end of the stream, below 0 with EAGAIN if there is nothing. */
static int take(struct device *d, void *to, int room) {
    if (d->tls == NULL) return recv(d->fd, to, room, 0);
    int read = SSL_read(d->tls, to, room);
    if (read > 0) return read;
    errno = SSL_get_error(d->tls, read) == SSL_ERROR_WANT_READ ? EAGAIN : EPROTO;
    return -1;
}

static void greet(struct group *g, struct device *d) {
    d->state = GREETED;
    if (web_socket) {
        char upgrade[256];
        put(g, d, upgrade, sprintf(upgrade, "GET /ws/%d-%d HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", getpid(), d->number));
        return;
    }
    char id[32];
    int length = sprintf(id, "%d-%d", getpid(), d->number);
    unsigned char hello[64] = {HELLO, 0, 0, 20 + length, 'H', 'W', 1};
    uint32_t wanted = htonl(interval);
    memcpy(hello + 8, &wanted, 4);
    hello[20] = length;
    memcpy(hello + 21, id, length);
    put(g, d, hello, 24 + length);
}

static void begin(struct group *g) {
    struct device *d = calloc(1, sizeof *d);
    if (g->count == g->room) {
        g->room = g->room == 0 ? 1024 : 2 * g->room;
        g->devices = realloc(g->devices, g->room * sizeof *g->devices);
    }
    int one = 1, number = made++;
    struct linger reset = {1, 0};
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + number % SOURCES)};
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = d};
    d->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (d->fd < 0) fail("socket");
    setsockopt(d->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    setsockopt(d->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(d->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    d->begun = now_nanos();
    if (bind(d->fd, (struct sockaddr *)&from, sizeof from) < 0) fail("bind");
    if (connect(d->fd, (struct sockaddr *)&server, sizeof server) < 0 && errno != EINPROGRESS) fail("connect");
    epoll_ctl(g->poll, EPOLL_CTL_ADD, d->fd, &event);
    g->devices[g->count++] = d;
    d->number = number;
    g->waiting++;
}

static void welcome(struct group *g, struct device *d, int64_t now) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = d};
    d->state = OPEN;
    d->answered = now;
    g->open++, g->waiting--;
    epoll_ctl(g->poll, EPOLL_CTL_MOD, d->fd, &event);
}

static void frame(struct group *g, struct device *d, unsigned char *in, int length, int64_t now) {
    int64_t intended;
    if (in[0] == WELCOME && d->state == GREETED) {
        welcome(g, d, now);
    } else if (in[0] == PONG && length == 8 || in[0] == ACK && length >= 9 && in[12] == 0) {
        memcpy(&intended, in + 4, 8);
        d->answered = now;
        int at = g->sampled;
        if (at < SAMPLES) {
            g->samples[at] = (struct sample){intended, now - intended};
            g->sampled = at + 1;
        }
    } else if (in[0] == PING) {
        g->probes++;
        in[0] = PONG;
        if (!d->silent) put(g, d, in, 4 + length);
    } else if (in[0] == CLOSE && length >= 2) {
        g->codes[((in[4] << 8 | in[5]) - 4000) & (CODES - 1)]++;
    }
}

static void receive(struct group *g, struct device *d, int64_t now) {
    for (;;) {
        int read = take(d, d->rest + d->kept, REST - d->kept);
        if (read < 0 && errno == EAGAIN) return;
        if (read <= 0) {
            ended(g, d, now);
            return;
        }
        int count = d->kept + read, used = 0;
        if (web_socket) {
            if (d->state == GREETED && memcmp(d->rest, "HTTP/1.1 101", 12) == 0) welcome(g, d, now);
            used = count;
        }
        while (count - used >= 4) {
            int length = d->rest[used + 2] << 8 | d->rest[used + 3];
            if (length > REST - 4) fail("a frame too long for a device");
            if (count - used < 4 + length) break;
            frame(g, d, d->rest + used, length, now);
            used += 4 + length;
        }
        memmove(d->rest, d->rest + used, count - used);
        d->kept = count - used;
        if (count < REST && d->tls == NULL) return;
    }
}

static void shake_hands(struct group *g, struct device *d) {
    int done = SSL_connect(d->tls);
    if (done == 1) {
        greet(g, d);
        receive(g, d, now_nanos());
    } else if (SSL_get_error(d->tls, done) != SSL_ERROR_WANT_READ) {
        ended(g, d, now_nanos());
    }
}

/* The time that it was meant to go out is the payload of a PING, or the id of a message, and comes back. */
static void beat(struct group *g, struct device *d, int64_t intended) {
    unsigned char frame[12 + 64] = {g->messages ? DATA : PING, g->messages, 0, g->messages ? 8 + 64 : 8};
    memcpy(frame + 4, &intended, 8);
    d->sent = now_nanos();
    put(g, d, frame, 4 + frame[3]);
}

/* ---- a group */

/* Handles what is there, waits for it so many nanoseconds. */
static void events(struct group *g, int64_t wait) {
    struct epoll_event ready[EVENTS];
    struct timespec most = {wait / SECOND, wait % SECOND};
    int count = epoll_pwait2(g->poll, ready, EVENTS, &most, NULL);
    int64_t now = now_nanos();
    for (int i = 0; i < count; i++) {
        struct device *d = ready[i].data.ptr;
        if (d->state == CONNECTING && ready[i].events & EPOLLOUT && !(ready[i].events & EPOLLERR)) {
            if (tls == NULL) {
                greet(g, d);
            } else {
                d->tls = SSL_new(tls);
                d->state = SHAKING_HANDS;
                SSL_set_fd(d->tls, d->fd);
                shake_hands(g, d);
            }
        } else if (d->state == SHAKING_HANDS && ready[i].events & EPOLLIN) {
            shake_hands(g, d);
        } else if (ready[i].events & EPOLLIN && !d->silent) {
            receive(g, d, now_nanos());
        } else if (ready[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
            ended(g, d, now);
        }
    }
}

/* Lets a group live until then, or until the counter that is watched is down at what is wanted. */
static void run(struct group *g, int64_t until, const int *watched, int wanted) {
    for (int64_t now = now_nanos(); now < until && (watched == NULL || *watched > wanted); now = now_nanos()) {
        for (; g->gap > 0 && g->due <= now; g->due += g->gap, g->sent++) {
            struct device *d = g->devices[g->cursor = (g->cursor + 1) % g->count];
            if (d->state == OPEN) beat(g, d, g->due);
        }
        int64_t left = until - now < SECOND / 10 ? until - now : SECOND / 10;
        /* Many beats a second each go out at their own time; those who only measure wake once a millisecond. */
        if (g->gap > 0) left = g == &live ? MILLI : g->due <= now ? 0 : g->due - now < left ? g->due - now : left;
        events(g, left);
    }
}

static void every(struct group *g, int64_t gap) {
    g->gap = gap;
    g->due = now_nanos() + gap;
}

static void *lives(void *none) {
    every(&live, live_period * MILLI / live.count);
    run(&live, INT64_MAX, NULL, 0);
    return none;
}

/* Connects so many, paced if a rate is given, so many under way and so many without a look at answers; the number of those that are not welcome after 60 s without one. */
static int gather(struct group *g, int count, double rate, int under_way, int at_once) {
    int64_t start = now_nanos(), progress = start;
    int before = g->waiting + g->failed, open = g->open;
    for (int begun = 0; begun < count || g->waiting > 0;) {
        int64_t now = now_nanos();
        for (int batch = 0; batch < at_once && begun < count && g->waiting < under_way; batch++, begun++) {
            if (rate > 0 && now < start + (int64_t)(begun * 1e9 / rate)) break;
            begin(g);
        }
        events(g, begun < count && g->waiting < under_way && rate == 0 ? 0 : MILLI);
        if (g->open != open) open = g->open, progress = now;
        if (now - progress > 60 * SECOND) break;
    }
    return g->waiting + g->failed - before;
}

static void drop(struct group *g) {
    for (int i = 0; i < g->count; i++) {
        close(g->devices[i]->fd);
        SSL_free(g->devices[i]->tls);
        free(g->devices[i]);
    }
    g->count = g->open = g->waiting = g->cursor = 0;
}

/* ---- figures */

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Prints first, p50, p99 and last of so many times, in milliseconds. */
static void spread(const char *name, int64_t *times, int count) {
    qsort(times, count, sizeof *times, compare);
    if (count == 0) return;
    printf(", \"%s\": {\"first\": %.3f, \"p50\": %.3f, \"p99\": %.3f, \"last\": %.3f}", name, times[0] / 1e6, times[count / 2] / 1e6,
           times[(int64_t)count * 99 / 100] / 1e6, times[count - 1] / 1e6);
}

/* Round trips of those that were meant to go out in this time; who has no answer yet counts with the time it waits so far. */
static void round_trips(const char *name, struct group *g, int64_t from, int64_t to) {
    if (g->gap == 0 || g->count == 0) return;
    int sampled = g->sampled, count = 0, meant = (int)((to - from) / g->gap);
    int64_t *times = calloc(sampled + meant + 1, sizeof *times), now = now_nanos();
    for (int i = 0; i < sampled; i++) {
        if (g->samples[i].intended >= from && g->samples[i].intended < to) times[count++] = g->samples[i].took;
    }
    printf(", \"%s_unanswered\": %d", name, count < meant ? meant - count : 0);
    while (count < meant) times[count++] = now - to;
    spread(name, times, count);
    free(times);
}

static void after(int64_t last_answers) {
    run(&many, last_answers + SECOND, NULL, 0);
}

/* ---- commands */

static void open_command(struct group *g, const char *name, int count, double rate) {
    struct spent from = spent();
    int missing = gather(g, count, rate, 256, 64);
    printf("{\"%s\": %d, \"missing\": %d", name, g->open, missing);
    told(from);
    if (g == &live) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, lives, NULL) != 0) fail("thread");
    }
}

static void beat_command(double rate, double seconds) {
    int probes = many.probes, lost = many.lost;
    int64_t sent = many.sent;
    many.sampled = 0;
    every(&many, (int64_t)(1e9 / rate));
    struct spent from = spent();
    int64_t start = many.due, end = start + (int64_t)(seconds * 1e9);
    run(&many, end, NULL, 0);
    int64_t gap = many.gap;
    many.gap = 0;
    run(&many, end + SECOND / 5, NULL, 0);
    many.gap = gap;
    printf("{\"beats\": %ld, \"answered\": %d, \"probes\": %d, \"lost\": %d", many.sent - sent, many.sampled, many.probes - probes, many.lost - lost);
    round_trips("round_trip", &many, start, end);
    many.gap = 0;
    told(from);
}

static void hold_command(double seconds) {
    int probes = many.probes, lost = many.lost;
    struct spent from = spent();
    run(&many, from.at + (int64_t)(seconds * 1e9), NULL, 0);
    printf("{\"held\": %d, \"probes\": %d, \"lost\": %d", many.open, many.probes - probes, many.lost - lost);
    told(from);
}

static void die_command(int count, int64_t timeout, double seconds) {
    if (count > many.open || count < 1) fail("more must die than are there");
    many.gap = 2 * SECOND / many.open;
    every(&many, many.gap);
    int lost = many.lost, live_lost = live.lost;
    run(&many, now_nanos() + (int64_t)(seconds * 1e9), NULL, 0);
    many.gap = 0;
    run(&many, now_nanos() + SECOND / 5, NULL, 0);
    struct device **dying = calloc(count, sizeof *dying);
    int chosen = 0;
    for (int i = 0; i < many.count && chosen < count; i++) {
        if (many.devices[i]->state == OPEN) dying[chosen++] = many.devices[i];
    }
    if (chosen < count) fail("some were closed while they beat");
    for (int i = 0; i < count; i++) beat(&many, dying[i], now_nanos());
    int64_t burst = dying[count - 1]->sent - dying[0]->sent, deadline = dying[0]->sent + timeout;
    /* The last answers are read, then nothing but the end of a stream wakes this thread. */
    run(&many, dying[count - 1]->sent + SECOND, NULL, 0);
    for (int i = 0; i < count; i++) {
        struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.ptr = dying[i]};
        dying[i]->silent = 1;
        epoll_ctl(many.poll, EPOLL_CTL_MOD, dying[i]->fd, &event);
    }
    run(&many, deadline - SECOND / 10, NULL, 0);
    struct spent from = spent();
    run(&many, deadline + 120 * SECOND, &many.open, many.open - count);
    int64_t *late = calloc(count, sizeof *late), *of_answer = calloc(count, sizeof *late), last = deadline;
    int closed = 0;
    for (int i = 0; i < count; i++) {
        if (dying[i]->state != ENDED) continue;
        of_answer[closed] = dying[i]->ended - dying[i]->answered - timeout;
        late[closed++] = dying[i]->ended - dying[i]->sent - timeout;
        if (dying[i]->ended > last) last = dying[i]->ended;
    }
    if (last < deadline + SECOND) last = deadline + SECOND;
    after(last);
    for (int i = 0; i < count; i++) {
        receive(&many, dying[i], 0);
        close(dying[i]->fd);
    }
    int kept = 0;
    for (int i = 0; i < many.count; i++) {
        if (many.devices[i]->silent) {
            free(many.devices[i]);
        } else {
            many.devices[kept++] = many.devices[i];
        }
    }
    many.count = kept, many.cursor = 0;
    printf("{\"died\": %d, \"closed\": %d, \"lost\": %d, \"live_lost\": %d, \"burst_ms\": %.3f, \"said_4001\": %d", count, closed, many.lost - lost,
           live.lost - live_lost, burst / 1e6, many.codes[1]);
    many.codes[1] = 0;
    spread("close_ms", late, closed);
    spread("close_after_answer_ms", of_answer, closed);
    round_trips("quiet_ms", &live, deadline - timeout + timeout / 4, deadline - timeout / 4);
    round_trips("live_ms", &live, deadline, last);
    told(from);
    free(dying), free(late), free(of_answer);
}

static void storm_command(int count, int under_way) {
    int first = many.count, live_lost = live.lost;
    run(&many, now_nanos() + 2 * SECOND, NULL, 0);
    struct spent from = spent();
    int missing = gather(&many, count, 0, under_way, under_way);
    struct spent to = spent();
    int64_t last = to.at < from.at + STORM ? from.at + STORM : to.at;
    after(last);
    int64_t *times = calloc(count, sizeof *times);
    int welcome = 0;
    for (int i = first; i < many.count; i++) {
        if (many.devices[i]->state == OPEN) times[welcome++] = many.devices[i]->answered - many.devices[i]->begun;
    }
    printf("{\"stormed\": %d, \"missing\": %d, \"live_lost\": %d, \"all_ms\": %.3f, \"connect_cpu_us\": %.0f", count, missing, live.lost - live_lost,
           (to.at - from.at) / 1e6, to.cpu_micros - from.cpu_micros);
    spread("welcome_ms", times, welcome);
    round_trips("quiet_ms", &live, from.at - 2 * SECOND, from.at);
    round_trips("live_ms", &live, from.at, last);
    told(from);
    free(times);
}

static int command(const char *line) {
    char word[16];
    double a = 0, b = 0, c = 0;
    int words = sscanf(line, "%15s %lf %lf %lf", word, &a, &b, &c);
    if (words < 1) return 0;
    if (strcmp(word, "open") == 0 && words >= 2) {
        open_command(&many, word, (int)a, b);
    } else if (strcmp(word, "live") == 0 && words >= 2 && live.count == 0 && a > 0) {
        open_command(&live, word, (int)a, b);
    } else if (strcmp(word, "hold") == 0 && words == 2) {
        hold_command(a);
    } else if ((strcmp(word, "beat") == 0 || strcmp(word, "data") == 0) && words == 3 && many.open > 0) {
        many.messages = word[0] == 'd';
        beat_command(a, b);
        many.messages = 0;
    } else if (strcmp(word, "die") == 0 && words >= 3) {
        die_command((int)a, (int64_t)(b * MILLI), words == 4 ? c : 4);
    } else if (strcmp(word, "storm") == 0 && words >= 2) {
        storm_command((int)a, words == 3 ? (int)b : INT32_MAX);
    } else if (strcmp(word, "drop") == 0) {
        struct spent from = spent();
        printf("{\"dropped\": %d", many.open);
        drop(&many);
        run(&many, from.at + (int64_t)((words == 2 ? a : 2) * 1e9), NULL, 0);
        told(from);
    } else {
        fprintf(stderr, "client: no such command: %s\n", line);
        return 2;
    }
    return 0;
}

int main(int count, char **words) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int option;
    while ((option = getopt(count, words, "i:p:b:tw")) != -1) {
        if (option == 'i') interval = (uint32_t)atol(optarg);
        else if (option == 'p') server_pid = atoi(optarg);
        else if (option == 'b') live_period = atoi(optarg);
        else if (option == 'w') web_socket = 1;
        else if (option == 't') tls = SSL_CTX_new(TLS_client_method());
        else return 2;
    }
    if (optind >= count) {
        fprintf(stderr, "usage: client PORT [-i INTERVAL_MS] [-p SERVER_PID] [-b LIVE_BEAT_MS] [-t] [-w] COMMAND...\n");
        return 2;
    }
    server = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[optind++]))};
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (struct group *g = &many; g != NULL; g = g == &many ? &live : NULL) {
        g->poll = epoll_create1(0);
        g->samples = malloc(SAMPLES * sizeof *g->samples);
    }
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_TIMERSLACK, 1000);
    if (tls != NULL) SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
    char line[256];
    int status = 0;
    if (optind == count) {
        while (status == 0 && fgets(line, sizeof line, stdin) != NULL) status = command(line);
    }
    while (status == 0 && optind < count) status = command(words[optind++]);
    return status;
}
