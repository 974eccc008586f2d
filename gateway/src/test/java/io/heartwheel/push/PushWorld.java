package io.heartwheel.push;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Devices on several event loops without threads: the test says which loop comes to its next task, and when time passes. */
final class PushWorld {
    static final String DEVICE = "dev-1";

    final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    final Pushes pushes;
    final @Nullable TestDatabase database;
    private final long bornMicros;
    final List<Loop> loops = new ArrayList<>();
    private @Nullable Loop running;
    private long lastSession;
    private long sweptNanos;

    PushWorld(int loopCount) {
        database = null;
        bornMicros = 0;
        pushes = gateway.pushes;
        addLoops(loopCount);
    }

    /** Over what another one has left in this database. */
    PushWorld(int loopCount, TestDatabase database, long nowMicros) {
        this.database = database;
        bornMicros = nowMicros - gateway.now() / 1_000;
        database.atOnce = true;
        pushes = new Pushes(
                gateway.registry,
                gateway.timers,
                gateway::now,
                this::nowMicros,
                PushSettings.DEFAULTS,
                database.open(gateway.timers, this::nowMicros));
        database.atOnce = false;
        addLoops(loopCount);
    }

    long nowMicros() {
        return bornMicros + gateway.now() / 1_000;
    }

    private void addLoops(int loopCount) {
        for (int i = 0; i < loopCount; i++) {
            loops.add(new Loop());
        }
    }

    final class Loop {
        final Queue<Runnable> tasks = new ArrayDeque<>();
        private final SessionContext context = FakeSession.sendingBy(pushes.on(tasks::add), gateway.sessionContext);

        /** As a connection does it: at once where it is on its loop. */
        void onLoop(Runnable task) {
            if (running == this) {
                task.run();
            } else {
                tasks.add(task);
            }
        }

        /** The next task; whether there was one. */
        boolean step() {
            Runnable task = tasks.poll();
            if (task == null) {
                return false;
            }
            Loop before = running;
            running = this;
            try {
                task.run();
            } finally {
                running = before;
            }
            return true;
        }

        FakeSession accept(String protocol) {
            lastSession++;
            return new FakeSession(context, protocol, "192.0.2.1:" + lastSession, this::onLoop).accept(lastSession);
        }
    }

    /** Every loop comes to an end. */
    void settle() {
        boolean any = true;
        while (any) {
            any = false;
            for (Loop loop : loops) {
                any |= loop.step();
            }
            if (database != null) {
                any |= database.step(3);
            }
            gateway.runTasks();
        }
    }

    /** A device on this loop. */
    FakeSession connect(int loop) {
        return connect(loop, "heartwheel");
    }

    FakeSession connect(int loop, String protocol) {
        FakeSession session = loops.get(loop).accept(protocol);
        loops.get(loop).tasks.add(() -> session.hello(DEVICE, ""));
        settle();
        return session;
    }

    /** Something happens on the loop of this connection, and what follows from it everywhere. */
    void on(FakeSession session, Runnable what) {
        session.onLoop(what);
        settle();
    }

    void pass(Duration time) {
        long until = gateway.now() + time.toNanos();
        while (until - gateway.now() > 0) {
            gateway.moveTo(Math.min(until, gateway.now() + VirtualGateway.TICK_NANOS));
            if (gateway.now() - sweptNanos >= 1_000_000_000L) {
                sweptNanos = gateway.now();
                pushes.sweep();
            }
            settle();
        }
    }

    CompletableFuture<PushResult> push(Push.Ack ack, long id) {
        return push(new Push(
                DEVICE,
                id,
                true,
                text("m" + id),
                ack,
                false,
                Duration.ofSeconds(10).toNanos(),
                false));
    }

    CompletableFuture<PushResult> store(Push.Ack ack, long id) {
        return push(stored(ack, id, Duration.ofHours(1)));
    }

    static Push stored(Push.Ack ack, long id, Duration timeout) {
        return new Push(DEVICE, id, true, text("m" + id), ack, false, timeout.toNanos(), true);
    }

    CompletableFuture<PushResult> push(Push push) {
        CompletableFuture<PushResult> result = pushes.send(push).toCompletableFuture();
        settle();
        return result;
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static List<Long> ids(FakeSession session) {
        return session.data.stream().map(FakeSession.Data::messageId).toList();
    }

    /** No message, byte, queue or timer is left. */
    void assertNothingLeft() {
        assertEquals(0, pushes.waiting(), "messages");
        assertEquals(0, pushes.waitingBytes(), "bytes");
        assertEquals(0, pushes.queues(), "queues");
        assertEquals(0, gateway.timers.pending(), "timers");
        if (database != null) {
            StoredMessages stored = pushes.rows();
            assertEquals(0, stored.room.count(), "messages on the disk");
            assertEquals(0, stored.room.bytes().get(), "bytes on the disk");
            assertEquals(0, stored.room.devices(), "devices");
            assertEquals(0, stored.claimed(), "claims");
            assertEquals(0, database.ask("SELECT count(*) FROM message"), "rows");
        }
    }
}
