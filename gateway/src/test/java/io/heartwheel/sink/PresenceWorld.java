package io.heartwheel.sink;

import io.heartwheel.event.Events;
import io.heartwheel.event.Snapshot;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.output.LineOutput;
import io.heartwheel.presence.LostDevices;
import io.heartwheel.presence.PresenceSettings;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.store.MemoryStore;
import io.heartwheel.store.RecordBatch;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import io.heartwheel.store.StoreSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Some gateways and their devices under virtual time, whose events go to one consumer: sessions, registry, presence, sink, journal and encoder are the real ones; the
 * store, the outlets and the clocks are simulated.
 *
 * <p>What happens by chance: devices come, go, are taken over, move to another gateway and back; sinks cannot write, queues overflow; outlets find records damaged, are
 * behind, deliver again; gateways crash or end in good order and start again at once, with the journal or a new one; clocks are an hour behind or ahead. What no consumer
 * could know is left out: two gateways that differ about who has a device that remembers no epoch, and a journal, or process without one, that is lost while the clock is
 * behind what it, or an epoch, once was.
 */
final class PresenceWorld {
    private static final int DEVICES = 24;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final SplittableRandom random;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Device> devices = new ArrayList<>();
    private final Consumer<String> consumer;
    private long nowNanos = SECOND_NANOS;
    private long takeoverNanos;

    /** @param consumer is given each line that comes out of any outlet */
    PresenceWorld(SplittableRandom random, Consumer<String> consumer) throws IOException {
        this.random = random;
        this.consumer = consumer;
        int gateways = 1 + random.nextInt(3);
        for (int i = 0; i < gateways; i++) {
            nodes.add(new Node(gateways == 1 ? "" : "g" + i, random.nextInt(4) != 0));
        }
        for (int i = 0; i < DEVICES; i++) {
            devices.add(new Device("d" + i, random.nextBoolean(), nodes.get(random.nextInt(gateways))));
        }
    }

    /** A device. Its latest session decides whether it is connected; an older one at another gateway is a leftover. */
    private static final class Device {
        final String id;
        final boolean remembers;
        Node at;

        @Nullable
        FakeSession session;

        long epoch;

        Device(String id, boolean remembers, Node at) {
            this.id = id;
            this.remembers = remembers;
            this.at = at;
        }

        boolean isConnected() {
            return session != null && session.isEstablished();
        }

        /** Also of a connection that it has given up for another. */
        void remember(FakeSession welcomed) {
            epoch = Math.max(epoch, welcomed.epoch());
        }
    }

    /** A gateway, from start to start. */
    private final class Node {
        final String instance;
        final boolean keepsAJournal;
        /** What came out, or will, in order; and how much of it the consumer has. */
        final List<String> out = new ArrayList<>();

        int delivered;
        /** Whether what the consumer knows is in doubt until a snapshot. */
        boolean doubted;

        private long aheadMillis;
        private long latestMillis;

        // the disk
        private MemoryStore store = new MemoryStore();
        private boolean failing;
        private long read;

        // the process
        private @Nullable Journal journal;
        private SinkCounts counts;
        private QueuedSink sink;
        private SessionRegistry registry;
        private Snapshots snapshots;
        private @Nullable LostDevices lost;
        private SessionContext context;
        private long sessions;
        private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
        private final List<FakeSession> leftovers = new ArrayList<>();

        Node(String instance, boolean keepsAJournal) throws IOException {
            this.instance = instance;
            this.keepsAJournal = keepsAJournal;
            start();
        }

        long wallMillis() {
            long now = Events.AT + TimeUnit.NANOSECONDS.toMillis(nowNanos) + aheadMillis;
            latestMillis = Math.max(latestMillis, now);
            return now;
        }

        void start() throws IOException {
            nowNanos += 2 * SECOND_NANOS;
            counts = new SinkCounts();
            EventQueue queue = new EventQueue(32 + random.nextInt(64), 1 << 20);
            EventWriter writer = keepsAJournal ? journalWriter() : lineWriter();
            sink = SteppedSink.over(writer, queue, counts, () -> nowNanos);
            // no two takeovers are near each other: who has to wait for its id is told elsewhere
            registry = new SessionRegistry(
                    () -> takeoverNanos += 600 * SECOND_NANOS,
                    () -> wallMillis() * 1_000,
                    journal == null ? 0 : journal.greatestEpoch());
            VirtualGateway inside = new VirtualGateway(nowNanos, LivenessSettings.defaults());
            context = FakeSession.claimingFrom(registry, FakeSession.publishingTo(sink, inside.sessionContext));
            PresenceSettings pace = new PresenceSettings(Duration.ofSeconds(20), 50);
            snapshots = new Snapshots(registry, sink, pace, () -> nowNanos, this::wallMillis);
            sink.onGap(snapshots::eventsLost);
            if (journal != null) {
                lost = new LostDevices(
                        store.reader(),
                        registry,
                        sink,
                        store::forget,
                        journal.store().start(),
                        pace,
                        nowNanos,
                        this::wallMillis);
            }
            sessions = 0;
        }

        private EventWriter lineWriter() {
            return new LineWriter(
                    new Lines(), new EventEncoder(instance, TimeUnit.MILLISECONDS.toSeconds(wallMillis())));
        }

        private EventWriter journalWriter() throws IOException {
            StoreSettings unused =
                    new StoreSettings(Path.of("unused"), StoreSettings.Sync.NEVER, 1 << 30, Duration.ofHours(1));
            JournalSettings settings =
                    new JournalSettings(unused, JournalSettings.WhenFull.REFUSE, new DedupeSettings(false, 1));
            store.startAt(wallMillis());
            journal = new Journal(settings, store);
            return new JournalWriter(journal, instance, counts, () -> nowNanos, this::wallMillis).begin("0.1.0");
        }

        /** Without a journal: the file that the sink writes. */
        private final class Lines implements LineOutput {
            @Override
            public void write(ByteBuffer lines) throws IOException {
                if (failing) {
                    throw new IOException("no room");
                }
                out.addAll(
                        StandardCharsets.UTF_8.decode(lines).toString().lines().toList());
            }

            @Override
            public void close() {}
        }

        void fail(boolean on) {
            failing = on;
            doubted |= on;
            store.failWith(on ? new StoreException(StoreException.Cause.DISK_FULL, "no room") : null);
        }

        /** Ends without a word, or in good order; starts again, perhaps elsewhere. */
        void startAgain(boolean orderly) throws IOException {
            fail(false);
            if (orderly) {
                devices.stream()
                        .filter(each -> each.session != null && each.at == this)
                        .forEach(each -> each.session.hangUp());
                leftovers.forEach(FakeSession::hangUp);
                drain();
                sink.close();
                if (journal != null) {
                    journal.close();
                }
            }
            read();
            doubted |= counts.dropped.get() > 0;
            for (Device each : devices) {
                if (each.at == this) {
                    each.session = null;
                }
            }
            leftovers.clear();
            loop.clear();
            aheadMillis = (random.nextInt(3) - 1) * HOUR_MILLIS;
            long behindMillis = latestMillis - wallMillis();
            if (!keepsAJournal) {
                aheadMillis += Math.max(0, behindMillis);
                doubted |= !orderly;
            } else if (behindMillis <= 0 && store.greatestEpoch() < wallMillis() * 1_000 && random.nextInt(3) == 0) {
                store = new MemoryStore();
                read = 0;
            }
            start();
            if (doubted && !keepsAJournal) {
                snapshots.ask(Snapshot.Cause.ASKED);
            }
        }

        void connect(Device device) {
            if (device.session != null && device.at != this) {
                device.at.drain();
                device.at.leftovers.add(device.session);
            }
            Executor now = random.nextBoolean() ? Runnable::run : loop::add;
            FakeSession session = new FakeSession(context, "heartwheel", "192.0.2.1:40000", now);
            device.at = this;
            device.session = session.accept(++sessions).hello(device.id, "", device.remembers ? device.epoch : 0);
            device.remember(session);
            loop.add(() -> device.remember(session));
        }

        void drain() {
            while (!loop.isEmpty()) {
                loop.remove().run();
            }
        }

        /** Everything queued is written, and read by the outlet. */
        void write() throws IOException {
            drain();
            while (sink.writeBatch()) {}
            read();
        }

        /** Some of what the journal has comes to the outlet; now and then a piece of it is damaged. */
        void read() throws IOException {
            if (!keepsAJournal || failing) {
                return;
            }
            try (StoreReader reader = store.reader()) {
                RecordBatch batch = reader.next(read);
                while (batch != null) {
                    for (RecordBatch.Entry entry : batch) {
                        out.add(StandardCharsets.UTF_8.decode(entry.payload()).toString());
                    }
                    read = batch.lastNumber();
                    batch = reader.next(read);
                }
            }
        }

        /** The outlet finds that some of what it has not delivered cannot be read any more. */
        void damage() {
            int waiting = out.size() - delivered;
            if (!keepsAJournal || waiting == 0) {
                return;
            }
            int first = delivered + random.nextInt(waiting);
            List<String> missing = out.subList(first, first + 1 + random.nextInt(Math.min(20, out.size() - first)));
            missing.clear();
            missing.add("{\"event\":\"gap\",\"at\":\"2026-01-01T00:00:00.000Z\",\"lost\":{\"unknown\":1}"
                    + (instance.isEmpty() ? "" : ",\"instance\":\"" + instance + "\"") + "}");
            doubted = true;
            snapshots.ask(Snapshot.Cause.GAP);
        }

        void deliver(int most) {
            int end = delivered + Math.min(out.size() - delivered, most);
            out.subList(delivered, end).forEach(consumer);
            delivered = end;
        }

        /** Gives presence its time; how long it has nothing to do. */
        long step() {
            long pauseNanos = snapshots.step(nowNanos);
            return lost == null ? pauseNanos : Math.min(pauseNanos, lost.step(nowNanos));
        }
    }

    /** One thing happens. */
    void move() throws IOException {
        Node node = nodes.get(random.nextInt(nodes.size()));
        Device device = devices.get(random.nextInt(DEVICES));
        FakeSession session = device.session;
        switch (random.nextInt(100)) {
            case 0 -> node.startAgain(false);
            case 1 -> node.startAgain(random.nextBoolean());
            case 2, 3, 4 -> node.fail(!node.failing);
            case 5 -> node.damage();
            case 6, 7 -> node.delivered = random.nextInt(node.delivered + 1);
            case 8 -> node.snapshots.ask(Snapshot.Cause.ASKED);
            case 9 -> node.aheadMillis = node.keepsAJournal ? (random.nextInt(3) - 1) * HOUR_MILLIS : node.aheadMillis;
            default -> live(node, device, session);
        }
    }

    private void live(Node node, Device device, @Nullable FakeSession session) throws IOException {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> (device.remembers ? node : device.at).connect(device);
            case 3 -> {
                if (session != null) {
                    session.onLoop(session::hangUp);
                }
            }
            case 4 -> {
                if (session != null && session.isEstablished()) {
                    device.at.sink.publish(session.message(1), new RecordingReply());
                }
            }
            case 5 -> node.write();
            case 6 -> node.deliver(random.nextInt(200));
            case 7 -> node.drain();
            default -> pass(random.nextLong(5 * SECOND_NANOS));
        }
    }

    private void pass(long nanos) {
        nowNanos += nanos;
        nodes.forEach(Node::step);
    }

    /** Faults end, and all comes out. Where the consumer's knowledge was in doubt, the gateways' own snapshots come too. */
    void settle() throws IOException {
        for (Node node : nodes) {
            node.fail(false);
            node.drain();
            node.leftovers.forEach(FakeSession::hangUp);
            node.leftovers.clear();
            node.write();
            node.doubted |= node.counts.dropped.get() > 0;
        }
        boolean waits = nodes.stream().anyMatch(node -> node.doubted);
        for (int second = 0; second < 600 && waits; second++) {
            waits = false;
            for (Node node : nodes) {
                node.write();
                node.step();
                node.write();
                Snapshots.Progress progress = node.snapshots.progress();
                waits |= progress.running() != 0 || progress.waiting() != 0 || second < 3;
            }
            nowNanos += SECOND_NANOS;
        }
        for (Node node : nodes) {
            node.write();
            node.deliver(Integer.MAX_VALUE);
            node.doubted = false;
        }
    }

    /** Who is connected. */
    Set<String> connected() {
        return devices.stream()
                .filter(Device::isConnected)
                .map(device -> device.id)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
