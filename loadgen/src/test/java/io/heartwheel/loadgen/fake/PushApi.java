package io.heartwheel.loadgen.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * An API over HTTP that pushes to devices, as a server has one, and that can be wrong in chosen ways: at the third push
 * to each device, or the third to all. Devices take the faults in turn, by their numbers.
 *
 * <pre>
 *   POST /push/t-3    to one: 202, 404 not connected
 *   POST /push        to all: 202
 *   PUT /v1/schedules/KEY                          later, and again and again
 *   PUT /v1/groups/g/devices/t-3, POST /v1/groups/g/messages, GET /v1/jobs/5      to a group, by a job
 *   POST /push/t-3?ack=device&timeout=1500ms       200 with JSON when the device has acknowledged, 504 when it has not in time
 *   POST /push/t-3?ack=device&store=1              202 with JSON at once; delivered one after the other, each until it is acknowledged
 * </pre>
 */
public final class PushApi implements AutoCloseable {

    /** The push that faults happen to. */
    private static final int UNLUCKY = 3;

    private static final long LATE_MILLIS = 3_500;
    /** A kept message that is not acknowledged for so long was on a connection that is over. */
    private static final long AGAIN_MILLIS = 350;

    private static final long LOOK_MILLIS = 20;
    private static final long OTHER_ID = 1_000_000;

    /** Those who are connected. */
    public interface Devices {
        /** Whether the device is there; then the message was handed to its socket. */
        CompletableFuture<Boolean> deliver(String id, byte[] message);

        /** The same with an ACK wanted: complete when that has come; false when the device is not there. */
        default CompletableFuture<Boolean> deliver(String id, long messageId, byte[] message) {
            return CompletableFuture.completedFuture(false);
        }

        /** All of them. */
        CompletableFuture<List<String>> ids();
    }

    /** Faults of the API. */
    public enum Fault {
        NONE,
        LOSES,
        DOUBLES,
        REORDERS,
        CHANGES_A_BYTE,
        CUTS_IT_SHORT,
        TO_THE_NEIGHBOUR,
        TO_ALL,
        LATE,
        REFUSES,
        SAYS_ABSENT,
        /** At every push to a device that is not connected. */
        ACCEPTS_ABSENT,
        NEVER_ANSWERS,
        /** Says at once that it has expired. */
        EXPIRES_EARLY,
        /** Says in the end that it has expired. */
        EXPIRES_ALL_THE_SAME,
        /** Delivers it under two ids. */
        RENAMES,
        /** Tells another id than it has. */
        TELLS_ANOTHER_ID,
        /** Takes the same key for a new push. */
        FORGETS_THE_KEY,
        /** Of one to many, tells one device less. */
        MISCOUNTS,
        /** Sends a message of a schedule again, when it is over. */
        ONCE_MORE
    }

    private final Devices devices;
    private final List<Fault> faults;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    private final Map<String, Integer> pushes = new HashMap<>(); // guarded by this
    private final Map<String, byte[]> held = new HashMap<>(); // guarded by this
    private final AtomicInteger planted = new AtomicInteger();
    private final AtomicLong messageIds = new AtomicLong();
    private final Set<String> members = ConcurrentHashMap.newKeySet();
    private final Map<String, Answer> jobs = new ConcurrentHashMap<>();
    private final Map<String, Deque<Kept>> queues = new HashMap<>(); // guarded by this
    /** Whose first message is on its way, or about to be: two at once would send it twice. */
    private final Set<String> delivering = new HashSet<>(); // guarded by this

    private final Map<String, Kept> waits = new HashMap<>(); // guarded by this: behind the next one
    private final Map<String, CompletableFuture<Answer>> answers = new HashMap<>(); // guarded by this

    /** Listens on a free loopback port. */
    public PushApi(Devices devices, List<Fault> faults) throws IOException {
        this.devices = devices;
        this.faults = faults;
        this.http = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 64);
        http.setExecutor(threads);
        http.createContext("/push", this::push);
        http.createContext("/v1/schedules/", this::schedule);
        http.createContext("/v1/groups/g/devices/", this::member);
        http.createContext("/v1/groups/g/messages", this::toGroup);
        http.createContext(
                "/v1/jobs/",
                exchange -> answer(exchange, jobs.get(exchange.getRequestURI().getPath())));
        http.start();
    }

    /** Where it listens. */
    public String address() {
        return "127.0.0.1:" + http.getAddress().getPort();
    }

    /** How often it was wrong. */
    public int planted() {
        return planted.get();
    }

    private void push(HttpExchange exchange) throws IOException {
        byte[] message = exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        String id = path.length() > 6 ? path.substring(6) : "";
        String query = exchange.getRequestURI().getQuery();
        if (query != null) {
            acknowledged(exchange, id, query, message);
            return;
        }
        int number;
        synchronized (this) {
            number = pushes.merge(id, 1, Integer::sum);
        }
        int status = number == UNLUCKY ? wrong(id, message) : right(id, message);
        if (status > 0) {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        }
    }

    private Fault fault(String id) {
        return FakeServer.turn(faults, id.isEmpty() ? 0 : Integer.parseInt(id.substring(id.lastIndexOf('-') + 1)));
    }

    private int right(String id, byte[] message) {
        if (id.isEmpty()) {
            devices.ids().join().forEach(each -> devices.deliver(each, message).join());
            return 202;
        }
        boolean there = devices.deliver(id, message).join();
        byte[] before;
        synchronized (this) {
            before = held.remove(id);
        }
        if (before != null) {
            devices.deliver(id, before).join();
        }
        if (!there && fault(id) == Fault.ACCEPTS_ABSENT) {
            planted.incrementAndGet();
            return 202;
        }
        return there ? 202 : 404;
    }

    /** The status, or 0 when nothing is to be answered. */
    private int wrong(String id, byte[] message) {
        Fault fault = fault(id);
        boolean decided = fault != Fault.NONE && fault != Fault.ACCEPTS_ABSENT;
        if (!decided) {
            return right(id, message);
        }
        planted.incrementAndGet();
        switch (fault) {
            case LOSES -> {
                if (id.isEmpty()) {
                    List<String> all = devices.ids().join();
                    all.stream().sorted().skip(1).forEach(each -> devices.deliver(each, message)
                            .join());
                }
            }
            case DOUBLES -> {
                right(id, message);
                right(id, message);
            }
            case REORDERS -> {
                synchronized (this) {
                    held.put(id, message);
                }
            }
            case CHANGES_A_BYTE -> right(id, changed(message));
            case CUTS_IT_SHORT -> right(id, java.util.Arrays.copyOf(message, message.length - 5));
            case TO_THE_NEIGHBOUR -> right(neighbour(id), message);
            case TO_ALL -> right("", message);
            case LATE -> later.schedule(() -> right(id, message), LATE_MILLIS, TimeUnit.MILLISECONDS);
            case REFUSES -> {
                return 503;
            }
            case SAYS_ABSENT -> {
                return 404;
            }
            default -> {
                return 0;
            }
        }
        return 202;
    }

    // ---- pushes with ids

    private record Kept(long messageId, byte[] message) {}

    private CompletableFuture<Boolean> handed(String id, Kept kept) {
        return devices.deliver(id, kept.messageId(), kept.message());
    }

    /** What befalls the push that comes now. */
    private synchronized Fault next(String id) {
        Fault fault = pushes.merge(id, 1, Integer::sum) == UNLUCKY ? fault(id) : Fault.NONE;
        planted.addAndGet(fault == Fault.NONE || fault == Fault.FORGETS_THE_KEY ? 0 : 1);
        return fault;
    }

    /** What is delivered for it. */
    private static List<Kept> delivered(Kept right, Fault fault) {
        return switch (fault) {
            case LOSES -> List.of();
            case DOUBLES -> List.of(right, right);
            case RENAMES -> List.of(right, new Kept(right.messageId() + OTHER_ID, right.message()));
            case CHANGES_A_BYTE -> List.of(new Kept(right.messageId(), changed(right.message())));
            default -> List.of(right);
        };
    }

    private static byte[] changed(byte[] message) {
        byte[] changed = message.clone();
        changed[changed.length - 1] ^= 4;
        return changed;
    }

    private String neighbour(String id) {
        List<String> all = devices.ids().join().stream().sorted().toList();
        return all.get((all.indexOf(id) + 1) % all.size());
    }

    // ---- pushes that are waited for

    private record Answer(int status, String body) {
        static Answer of(int status, String outcome, long messageId) {
            return new Answer(status, "{\"outcome\":\"" + outcome + "\",\"id\":" + messageId + "}");
        }
    }

    private void acknowledged(HttpExchange exchange, String id, String query, byte[] message) {
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        CompletableFuture<Answer> answer;
        synchronized (this) {
            answer = answers.get(key);
            if (answer == null || forgets(key)) {
                answer = query.endsWith("store=1")
                        ? kept(id, message)
                        : acknowledged(id, Long.parseLong(query.replaceAll(".*=|ms", "")), message);
                answers.put(key, answer);
            }
        }
        answer.thenAcceptAsync(told -> answer(exchange, told), threads);
    }

    private static void answer(HttpExchange exchange, Answer told) {
        try (exchange) {
            byte[] body = told.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(told.status(), body.length);
            exchange.getResponseBody().write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of a key that ends in the device's number and that of the push. */
    private boolean forgets(String key) {
        String[] parts = key.split("-", -1);
        boolean forgets = fault("t-" + parts[1]) == Fault.FORGETS_THE_KEY && parts[2].equals("" + UNLUCKY);
        planted.addAndGet(forgets ? 1 : 0);
        return forgets;
    }

    private CompletableFuture<Answer> acknowledged(String id, long timeoutMillis, byte[] message) {
        long messageId = messageIds.incrementAndGet();
        Answer right = Answer.of(200, "acknowledged", messageId);
        Answer expired = Answer.of(504, "expired", messageId);
        Fault fault = next(id);
        CompletableFuture<Answer> waits =
                new CompletableFuture<Answer>().completeOnTimeout(expired, timeoutMillis, TimeUnit.MILLISECONDS);
        switch (fault) {
            case LOSES -> waits.complete(right);
            case REFUSES -> waits.complete(Answer.of(503, "busy", 0));
            case SAYS_ABSENT -> waits.complete(Answer.of(404, "offline", 0));
            case EXPIRES_EARLY -> {
                devices.deliver(id, messageId, message);
                waits.complete(expired);
            }
            case EXPIRES_ALL_THE_SAME -> devices.deliver(id, messageId, message);
            case TO_THE_NEIGHBOUR ->
                devices.deliver(neighbour(id), messageId, message).thenAccept(there -> waits.complete(right));
            case NEVER_ANSWERS -> {
                return new CompletableFuture<>();
            }
            default -> {
                List<Kept> all = delivered(new Kept(messageId, message), fault);
                long told = fault == Fault.TELLS_ANOTHER_ID ? messageId + OTHER_ID : messageId;
                handed(id, all.get(0))
                        .thenCompose(there -> all.size() > 1 ? handed(id, all.get(1)) : completed(there))
                        .thenAccept(there -> waits.complete(
                                there ? Answer.of(200, "acknowledged", told) : Answer.of(404, "offline", 0)));
            }
        }
        return waits;
    }

    // ---- pushes by a schedule

    /** Faults happen to the second run. */
    private void schedule(HttpExchange exchange) throws IOException {
        JsonNode asked = new ObjectMapper().readTree(exchange.getRequestBody());
        String id = asked.path("to").path("device").asText();
        byte[] message = asked.path("text").asText().getBytes(StandardCharsets.UTF_8);
        int times = asked.path("times").asInt();
        Fault fault = next(id);
        for (int run = 1; run <= times && fault != Fault.REFUSES; run++) {
            long at = millis(asked, "after") + (run - 1) * millis(asked, "every");
            run(id, message, at, run == 2 ? fault : Fault.NONE);
            if (run == times && fault == Fault.ONCE_MORE) {
                run(id, message, at + 100, Fault.NONE);
            }
        }
        if (fault != Fault.NEVER_ANSWERS) {
            answer(exchange, new Answer(fault == Fault.REFUSES ? 429 : 201, "{}"));
        }
    }

    private static long millis(JsonNode asked, String name) {
        return Long.parseLong(asked.path(name).asText().replace("ms", ""));
    }

    private void run(String id, byte[] message, long atMillis, Fault fault) {
        List<Kept> some = delivered(new Kept(messageIds.incrementAndGet(), message), fault);
        long shift = fault == Fault.EXPIRES_EARLY ? -200 : fault == Fault.LATE ? LATE_MILLIS : 0;
        String to = fault == Fault.TO_THE_NEIGHBOUR ? neighbour(id) : id;
        later.schedule(() -> deliver(to, some), atMillis + shift, TimeUnit.MILLISECONDS);
    }

    // ---- pushes to a group

    private void member(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        members.add(path.substring(path.lastIndexOf('/') + 1));
        answer(exchange, new Answer(200, "{}"));
    }

    /** The first member has the faults. */
    private void toGroup(HttpExchange exchange) throws IOException {
        byte[] message = exchange.getRequestBody().readAllBytes();
        Fault fault = next("");
        String first = members.stream().sorted().findFirst().orElseThrow();
        List<String> reached =
                new ArrayList<>(fault == Fault.TO_ALL ? devices.ids().join() : members);
        if (fault == Fault.LOSES || fault == Fault.SAYS_ABSENT) {
            reached.remove(first);
        } else if (fault == Fault.DOUBLES) {
            reached.add(first);
        }
        List<String> absent = new ArrayList<>(fault == Fault.SAYS_ABSENT ? List.of(first) : List.of());
        for (String each : reached) {
            if (!devices.deliver(each, message).join() && members.contains(each)) {
                absent.add(each);
            }
        }
        long id = messageIds.incrementAndGet();
        int sent = members.size() - absent.size() - (fault == Fault.MISCOUNTS ? 1 : 0);
        jobs.put(
                "/v1/jobs/" + id,
                new Answer(
                        200,
                        "{\"state\":\"done\",\"devices\":" + members.size() + ",\"outcomes\":{\"sent\":" + sent
                                + ",\"offline\":" + absent.size() + "},\"not_reached\":["
                                + absent.stream()
                                        .map(each -> "{\"device\":\"" + each + "\",\"outcome\":\"offline\"}")
                                        .collect(Collectors.joining(","))
                                + "]}"));
        answer(exchange, new Answer(202, "{\"id\":" + id + ",\"state\":\"running\"}"));
    }

    // ---- pushes that are kept

    private CompletableFuture<Answer> kept(String id, byte[] message) {
        Kept right = new Kept(messageIds.incrementAndGet(), message);
        Fault fault = next(id);
        Kept before = waits.remove(id);
        switch (fault) {
            case REFUSES, SAYS_ABSENT, NEVER_ANSWERS -> {}
            case REORDERS -> waits.put(id, right);
            case LATE -> later.schedule(() -> deliver(id, List.of(right)), LATE_MILLIS, TimeUnit.MILLISECONDS);
            case TO_THE_NEIGHBOUR -> deliver(neighbour(id), List.of(right));
            default -> deliver(id, delivered(right, fault));
        }
        if (before != null) {
            deliver(id, List.of(before));
        }
        long told = right.messageId() + (fault == Fault.TELLS_ANOTHER_ID ? OTHER_ID : 0);
        return switch (fault) {
            case REFUSES -> completed(Answer.of(503, "not_stored", 0));
            case SAYS_ABSENT -> completed(Answer.of(404, "offline", 0));
            case NEVER_ANSWERS -> new CompletableFuture<>();
            default -> completed(Answer.of(202, "queued", told));
        };
    }

    private synchronized void deliver(String id, List<Kept> some) {
        Deque<Kept> queue = queues.computeIfAbsent(id, device -> new ArrayDeque<>());
        queue.addAll(some);
        if (delivering.add(id)) {
            deliverFirst(id, queue);
        }
    }

    /** Not on the devices' event loop: whoever holds the lock may be waiting for that. */
    private synchronized void deliverFirst(String id, Deque<Kept> queue) {
        Kept first = queue.peek();
        if (first == null) {
            delivering.remove(id);
        } else {
            handed(id, first)
                    .completeOnTimeout(false, AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                    .thenAcceptAsync(
                            acknowledged -> {
                                synchronized (this) {
                                    if (acknowledged) {
                                        queue.remove();
                                    }
                                }
                                later.schedule(
                                        () -> deliverFirst(id, queue),
                                        acknowledged ? 0 : LOOK_MILLIS,
                                        TimeUnit.MILLISECONDS);
                            },
                            later);
        }
    }

    private static <T> CompletableFuture<T> completed(T value) {
        return CompletableFuture.completedFuture(value);
    }

    @Override
    public void close() {
        later.shutdownNow();
        http.stop(0);
        threads.shutdownNow();
    }
}
