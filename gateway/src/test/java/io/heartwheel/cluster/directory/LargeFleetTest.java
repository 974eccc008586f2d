package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.Membership;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeBus;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.cluster.RowsAround;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Fact;
import io.heartwheel.event.NodeDown;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A hundred gateways in virtual time: what they ask of NATS and of each other, in calm, when devices come, and when one of them dies. From these counts are the
 * figures of cluster.md for a large fleet; more devices with {@code -Dheartwheel.devices=100000}.
 */
final class LargeFleetTest {
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final int NODES = 100;
    private static final int DEVICES = Integer.getInteger("heartwheel.devices", 5_000);

    /** What was asked of the engine by all gateways. */
    private final class Counted extends RowsAround {
        Counted(RowStore there) {
            super(there);
        }

        @Override
        public CompletionStage<Row> read(byte[] key) {
            reads++;
            return there.read(key);
        }

        @Override
        public CompletionStage<Row> readLatest(byte[] key) {
            reads++;
            return there.readLatest(key);
        }

        @Override
        public CompletionStage<Boolean> write(byte[] key, Row row, long revision) {
            writes++;
            return there.write(key, row, revision);
        }

        @Override
        public CompletionStage<List<Entry>> page(boolean nodesAlone, long after, int most) {
            return there.page(nodesAlone, after, most).thenApply(page -> {
                paged += nodesAlone ? 0 : page.size();
                return page;
            });
        }
    }

    private record Bus(NodeBus there, Runnable asked) implements NodeBus {
        @Override
        public CompletionStage<byte[]> request(NodeId to, byte[] message, long patienceNanos) {
            asked.run();
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

    private record Words(Membership there, Runnable heard) implements Membership {
        @Override
        public void announce(NodeStatus status) {
            there.announce(status);
        }

        @Override
        public void hear(Consumer<NodeStatus> listener) {
            there.hear(status -> {
                heard.run();
                listener.accept(status);
            });
        }
    }

    private final class Told implements EventSink {
        @Override
        public void publish(Fact fact) {
            if (fact instanceof NodeDown) {
                nodesDown++;
            } else if (fact instanceof ConnectionEvent.NodeLost gone) {
                lost.add(gone.identity().deviceId());
                lostTold++;
            }
        }

        @Override
        public void publish(ConnectionEvent.Message message, Reply reply) {
            reply.accepted();
        }

        @Override
        public void close() {}
    }

    private final MemoryFleet memory = new MemoryFleet(1);
    private final List<MemoryGateway> gateways = new ArrayList<>();
    private final List<SessionContext> contexts = new ArrayList<>();
    private long sessionIds;
    private long lastLook;
    private long reads;
    private long writes;
    private long paged;
    private long asked;
    private long words;
    private int nodesDown;
    private int lostTold;
    private final Set<String> lost = new TreeSet<>();

    private Engine counted(Engine there) {
        return new Engine(
                new Counted(there.rows()),
                there.members(),
                there.schedules(),
                new Bus(there.bus(), () -> asked++),
                new Words(there.membership(), () -> words++),
                there.health(),
                there::close);
    }

    private void join(int number) {
        SessionRegistry local = FakeSession.registry(
                () -> lastLook += TimeUnit.MINUTES.toNanos(1), () -> START_MICROS + memory.now() / 1_000);
        MemoryGateway joined =
                new MemoryGateway(memory, "gw-" + number, local, OnOutage.LOCAL, new Told(), this::counted);
        gateways.add(joined);
        contexts.add(FakeSession.claimingFrom(
                joined.directory,
                FakeSession.publishingTo(
                        new Told(),
                        FakeSession.watchedBy(
                                SessionObserver.NONE,
                                new VirtualGateway(0, LivenessSettings.defaults()).sessionContext))));
    }

    private FakeSession comes(int device, int gateway) {
        FakeSession session = new FakeSession(contexts.get(gateway)).accept(++sessionIds);
        session.hello("device-" + device, "");
        return session;
    }

    /** Lets time pass, and counts what is asked within it. */
    private void pass(int seconds) {
        reads = writes = paged = asked = words = 0;
        for (int i = 0; i < 10 * seconds; i++) {
            memory.pass(TURN_NANOS);
            gateways.forEach(MemoryGateway::turn);
        }
    }

    private void print(String when) {
        System.out.println(when + ": " + reads + " rows read, " + writes + " written, " + paged + " in pages, " + asked
                + " requests, " + words + " words heard");
    }

    @Test
    void hundredGateways_calmAndWhenOneDies_askWhatIsOnPaper() {
        for (int i = 0; i < NODES; i++) {
            join(i);
            memory.pass(TURN_NANOS / NODES); // so that their rounds are not at once
        }
        pass(10);
        reads = writes = 0;
        List<FakeSession> all = new ArrayList<>();
        for (int i = 0; i < DEVICES; i++) {
            all.add(comes(i, i % NODES));
        }
        memory.pass(TURN_NANOS);
        assertTrue(all.stream().allMatch(FakeSession::isEstablished));
        assertEquals(
                List.of((long) DEVICES, (long) DEVICES), List.of(reads, writes), "a row read and written for each");

        pass(10);
        pass(10); // a whole round of the sweep
        print("10 s of calm");
        assertEquals(10L * NODES * NODES, words);
        assertEquals(List.of(0L, 0L, 0L), List.of(writes, paged, asked));
        assertEquals(10 * NODES / 2 + DEVICES, reads, 0.05 * DEVICES);

        memory.kill(gateways.remove(0).id);
        for (int i = 0; i < DEVICES / 2; i += NODES) { // half of its devices come back elsewhere
            comes(i, 1 + i / NODES % (NODES - 1));
        }
        pass(24);
        print("24 s with a death");
        assertEquals(1, nodesDown);
        assertEquals(DEVICES / NODES / 2, lost.size());
        assertEquals(lost.size(), lostTold, "each once");
        assertTrue(lost.stream().noneMatch(id -> Integer.parseInt(id.substring(7)) < DEVICES / 2));
        assertTrue(
                paged >= DEVICES && paged <= DEVICES + 2 * DEVICES / NODES + 3 * NODES,
                "one gateway alone goes through the rows, once");
        int kicks = DEVICES / NODES / 2;
        assertTrue(asked <= 2 * NODES + kicks, "each asks the lost one once or twice");
        assertTrue(writes <= DEVICES / NODES + 2 * NODES, "a row for each device, and few of the lost gateway's own");
    }
}
