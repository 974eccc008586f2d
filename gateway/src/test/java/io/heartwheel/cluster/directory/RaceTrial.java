package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.Row;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Nodes whose clocks are hours apart, and devices that connect to any of them, again and again, and leave; some kicks are lost. In the end, after one sweep,
 * each device has one connection at most, its row names it, no epoch was given twice, and who was closed as taken over has a successor.
 *
 * <p>One thread at a time: what is done to sessions and directories goes through {@link Place#run}.
 */
final class RaceTrial implements AutoCloseable {
    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Where a trial takes place: the engine of a node, time, and the thread of everything. */
    interface Place extends AutoCloseable {
        Engine join(NodeId node) throws Exception;

        /** Runs it on the one thread, soon. */
        void run(Runnable task);

        /** Lets what is under way go on; all of it if {@code fully}. */
        void settle(boolean fully) throws Exception;

        long nanoTime();

        /** What it is about, once it is complete. */
        default void watch(RaceTrial trial) {}

        <T> T get(CompletionStage<T> answer) throws Exception;

        @Override
        void close();
    }

    private final class Node {
        final Engine engine;
        final SessionRegistry local;
        final EngineWatch watch;
        final ClusterDirectory directory;
        final SessionContext context;
        private long lastLook;

        Node(NodeId id, Engine engine, long clockMicros, OnOutage onOutage) {
            this.engine = engine;
            local = FakeSession.registry(this::minuteLater, () -> clockMicros + place.nanoTime() / 1_000);
            watch = new EngineWatch(engine.health(), place.nanoTime(), Runnable::run);
            watch.turn(place.nanoTime());
            directory = new ClusterDirectory(
                    local,
                    engine,
                    id,
                    watch,
                    onOutage,
                    PATIENCE_NANOS,
                    place::run,
                    place::nanoTime,
                    counts,
                    there -> true,
                    (device, row) -> {});
            new Fleet(
                    id,
                    engine,
                    watch,
                    List::of,
                    List::of,
                    gone -> false,
                    directory,
                    place::run,
                    place::nanoTime,
                    counts); // obeys kicks
            context = FakeSession.claimingFrom(
                    directory,
                    FakeSession.publishingTo(
                            new Closes(), FakeSession.watchedBy(SessionObserver.NONE, gateway.sessionContext)));
        }

        /** No takeover follows another too soon, unless they are to. */
        private long minuteLater() {
            lastLook += TimeUnit.MINUTES.toNanos(1);
            return rivals ? place.nanoTime() : lastLook;
        }
    }

    private final class Closes implements EventSink {
        @Override
        public void publish(Fact fact) {
            if (fact instanceof ConnectionEvent.Connected connected) {
                opened(connected.identity());
            } else if (fact instanceof ConnectionEvent.TakenOver taken) {
                takenOver.add(taken.evidence().identity());
            }
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            reply.accepted();
        }

        @Override
        public void close() {}
    }

    private final Place place;
    private final Random random;
    private final int devices;
    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Long, FakeSession> live = new HashMap<>();
    private final Map<String, FakeSession> latest = new HashMap<>();
    private final Map<String, Long> greatest = new HashMap<>();
    private final Map<String, Set<Long>> epochs = new HashMap<>();
    private final List<ConnectionEvent.Identity> takenOver = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    /** Devices whose latest connection left before its claim had ended, which closes the one before all the same. */
    private final Set<String> leftClaiming = new HashSet<>();

    private final AtomicInteger kicksLost = new AtomicInteger();
    private long sessions;
    /** Whether connections have to wait for each other. */
    boolean rivals;
    /** Whether a device hangs up before it comes again. */
    boolean alone;

    private long left;
    final ClusterCounts counts = new ClusterCounts();

    /** @param lost share of the kicks */
    RaceTrial(Place place, int nodeCount, int devices, double lost, long seed) throws Exception {
        this(place, nodeCount, devices, lost, seed, engine -> engine);
    }

    /** @param fault what is wrong with each engine */
    RaceTrial(Place place, int nodeCount, int devices, double lost, long seed, UnaryOperator<Engine> fault)
            throws Exception {
        this.place = place;
        this.devices = devices;
        random = new Random(seed);
        Random losing = new Random(seed + 1);
        for (int i = 0; i < nodeCount; i++) {
            NodeId id = new NodeId("n" + i, 1_000 + i);
            Engine there = place.join(id);
            Engine engine = fault.apply(new Engine(
                    there.rows(),
                    there.members(),
                    there.schedules(),
                    new Lossy(there.bus(), losing, lost),
                    there.membership(),
                    there.health(),
                    there::close));
            nodes.add(new Node(id, engine, START_MICROS + (i - nodeCount / 2) * HOUR_MICROS, OnOutage.LOCAL));
        }
        place.watch(this);
    }

    /** Claims and releases that have not ended, all nodes together. Any thread. */
    long underWay() {
        return nodes.stream()
                .mapToLong(node -> node.directory.pending() + node.directory.releasing())
                .sum();
    }

    private void opened(ConnectionEvent.Identity who) {
        if (!epochs.computeIfAbsent(who.deviceId(), id -> new HashSet<>()).add(who.epoch())) {
            violations.add("an epoch was given twice: " + who);
        }
        greatest.merge(who.deviceId(), who.epoch(), Math::max);
    }

    /** So many connections, and all that follows from them. */
    void run(int claims) throws Exception {
        for (int done = 0; done < claims; done++) {
            place.run(this::step);
            if (done % 8 == 0) {
                place.settle(false);
            }
            if (done % 1_000 == 0) {
                place.run(this::tidy);
            }
        }
        finish();
    }

    /** What failed is tried again. */
    private void finish() throws Exception {
        for (int turns = 0; turns < 5; turns++) {
            place.settle(true);
            place.run(this::turn);
        }
        place.settle(true);
    }

    /** As the thread of each gateway does ten times a second. On the one thread. */
    void turn() {
        for (Node node : nodes) {
            if (node.directory.turn(place.nanoTime())) {
                node.directory.confirmed(true); // nobody takes nodes for lost here
            }
        }
    }

    /** Each node looks at each of its devices once. */
    void sweep() throws Exception {
        finish();
        for (Node node : nodes) {
            place.run(() -> node.local.forEach(session -> node.directory.look(session, false, known -> {})));
            place.settle(true);
        }
    }

    private void step() {
        String device = "device-" + random.nextInt(devices);
        Node node = nodes.get(random.nextInt(nodes.size()));
        FakeSession session = new FakeSession(node.context, "heartwheel", "192.0.2.1:1", place::run).accept(++sessions);
        live.put(session.sessionId(), session);
        leftClaiming.remove(device);
        FakeSession before = latest.put(device, session);
        if (alone && before != null) {
            before.hangUp();
        }
        session.hello(device, "");
        if (random.nextInt(5) == 0) {
            // of the last ones: most of those before have been taken over
            FakeSession leaver = live.get(sessions - random.nextInt((int) Math.min(sessions, 2L * devices)));
            if (leaver != null && leaver.state() != ConnectionState.CLOSED) {
                left++;
                if (leaver.state() == ConnectionState.CLAIMING) {
                    leftClaiming.add(leaver.deviceId());
                }
                leaver.hangUp();
            }
        }
        turn();
    }

    /** The wheel takes back entries of those that have ended. */
    private void tidy() {
        live.values().removeIf(session -> session.state() == ConnectionState.CLOSED);
        gateway.pass(Duration.ofMillis(20));
    }

    /** What is wrong now. */
    List<String> violations() throws Exception {
        judge();
        return violations;
    }

    private void judge() throws Exception {
        for (int i = 0; i < devices; i++) {
            String device = "device-" + i;
            List<FakeSession> holders = live.values().stream()
                    .filter(session ->
                            session.isEstablished() && session.deviceId().equals(device))
                    .toList();
            if (holders.size() > 1) {
                violations.add(device + ": stale sockets, "
                        + holders.stream().map(FakeSession::identity).toList());
            }
            Row row = place.get(nodes.get(0).engine.rows().read(device.getBytes(StandardCharsets.UTF_8)));
            if (row.held() == holders.isEmpty()) {
                violations.add(device + ": wrong row " + row + " of " + holders.size() + " holders");
            } else if (row.held()
                    && (row.sessionId() != holders.get(0).sessionId()
                            || row.epoch() != holders.get(0).epoch())) {
                violations.add(device + ": wrong row " + row + ", it is "
                        + holders.get(0).identity());
            }
        }
        for (ConnectionEvent.Identity closed : takenOver) {
            if (closed.epoch() >= greatest.getOrDefault(closed.deviceId(), 0L)
                    && !leftClaiming.contains(closed.deviceId())) {
                violations.add("taken over by nobody: " + closed);
            }
        }
        live.values().stream()
                .filter(session -> session.state() == ConnectionState.CLAIMING && !rivals)
                .forEach(session -> violations.add("never answered: " + session.deviceId()));
    }

    /** How it was, in a line. */
    String summary() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d claims of %d devices at %d gateways: %,d taken over, %,d left, %,d kicks lost; ",
                sessions,
                devices,
                nodes.size(),
                takenOver.size(),
                left,
                kicksLost.get()));
        for (ClusterCounts.What what : ClusterCounts.What.values()) {
            if (counts.get(what) > 0) {
                text.append(what).append('=').append(counts.get(what)).append(' ');
            }
        }
        return text.toString();
    }

    /** Connections that were closed for another of their device. */
    int takenOver() {
        return takenOver.size();
    }

    int kicksLost() {
        return kicksLost.get();
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.engine.close());
        place.close();
    }

    /** Loses requests. */
    private final class Lossy implements NodeBus {
        private final NodeBus there;
        private final Random losing;
        private final double lost;

        Lossy(NodeBus there, Random losing, double lost) {
            this.there = there;
            this.losing = losing;
            this.lost = lost;
        }

        @Override
        public synchronized CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            if (losing.nextDouble() < lost) {
                kicksLost.incrementAndGet();
                return CompletableFuture.failedFuture(
                        new EngineException(EngineException.Kind.UNREACHABLE, "no answer in time"));
            }
            return there.request(to, message, patienceNanos);
        }

        @Override
        public void serve(Function<byte[], CompletionStage<byte[]>> answers) {
            there.serve(answers);
        }

        @Override
        public long maxMessageBytes() {
            return there.maxMessageBytes();
        }
    }
}
