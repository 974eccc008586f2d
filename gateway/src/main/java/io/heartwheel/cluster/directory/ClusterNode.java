package io.heartwheel.cluster.directory;

import io.heartwheel.cluster.ClusterCounts;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.cluster.Engine;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.event.EventSink;
import io.heartwheel.session.SessionRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * All that one gateway does in its fleet, turn by turn, without a thread and a clock of its own.
 *
 * <p>{@link #turn}: one thread, about ten times a second; the parts say themselves who may call them.
 */
final class ClusterNode {
    private static final long ANNOUNCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** No command at all: whoever answers is there. */
    private static final byte[] WORD = {};

    final EngineWatch watch;
    final ClusterDirectory directory;
    final Members members;
    final Fleet fleet;
    final OwnNode own;
    private final Sweep sweep;
    private final LostNodes lost;
    private final NodeId node;
    private final SessionRegistry local;
    private final String address;
    private final LongSupplier nanoClock;
    private long announceNanos;
    /** Asked with each word for the connections a second that it takes then. */
    volatile IntSupplier admits = () -> 0;

    private volatile int admitPerSecond;

    /**
     * It takes over what others ask this node and tell all.
     *
     * @param patienceNanos how long a claim waits for the engine
     * @param work runs what asks the engine, in order; any thread
     * @param repairs where the engine is repaired, which may block for some seconds
     * @param calls runs what the API of other gateways asks; any thread
     * @param nanoClock monotonic nanoseconds
     * @param wallMillis milliseconds since 1970
     */
    ClusterNode(
            ClusterSettings settings,
            NodeId node,
            Engine engine,
            SessionRegistry local,
            long patienceNanos,
            Executor work,
            Executor repairs,
            Executor calls,
            EventSink sink,
            LongSupplier nanoClock,
            LongSupplier wallMillis,
            ClusterCounts counts) {
        this.node = node;
        this.local = local;
        address = settings.address();
        this.nanoClock = nanoClock;
        long nowNanos = nanoClock.getAsLong();
        announceNanos = nowNanos;
        watch = new EngineWatch(engine.health(), nowNanos, repairs);
        members = new Members(node, asked -> engine.bus().request(asked, WORD), nowNanos);
        lost = new LostNodes(node, engine.rows(), members, sink, wallMillis, counts, nowNanos);
        directory = new ClusterDirectory(
                local,
                engine,
                node,
                watch,
                settings.onOutage(),
                patienceNanos,
                work,
                nanoClock,
                counts,
                members::isAlive,
                lost::untold);
        sweep = new Sweep(local, directory, settings.sweepRate(), this::looked, nowNanos);
        own = new OwnNode(node, engine.rows(), members, this::lookAgain, nowNanos);
        fleet = new Fleet(
                node,
                engine,
                watch,
                () -> members.there(status()),
                () -> members.holders(status()),
                this::isGone,
                directory,
                calls,
                nanoClock,
                counts);
        engine.membership().hear(members::heard);
    }

    /** Goes on. */
    void turn() {
        boolean back = watch.turn(nanoClock.getAsLong());
        long nowNanos = nanoClock.getAsLong();
        if (directory.turn(nowNanos)) {
            own.confirm(nowNanos);
        }
        if (back) {
            sweep.beginSoon(nowNanos);
            own.begin(nowNanos);
            fleet.isBack();
        }
        boolean reachable = !watch.isDown();
        members.turn(nowNanos, reachable);
        directory.confirmed(reachable && own.isConfirmed());
        if (!reachable) {
            return;
        }
        if (nowNanos - announceNanos >= 0) {
            announceNanos = nowNanos + ANNOUNCE_NANOS;
            admitPerSecond = admits.getAsInt();
            fleet.announce();
        }
        if (own.isConfirmed()) {
            sweep.turn(nowNanos);
        }
        own.turn(nowNanos);
        fleet.knowsNodes(own.hasRead());
        lost.turn(nowNanos);
        fleet.turn(nowNanos);
    }

    /** All own rows were looked at. */
    private void looked() {
        directory.sure(true);
    }

    /** @param wasTaken whether somebody took this node for lost, so that ids of its devices may be given back at this moment */
    private void lookAgain(boolean wasTaken) {
        directory.sure(false);
        sweep.hurry(wasTaken);
    }

    private boolean isGone(NodeId other) {
        if (!members.knows(other)) {
            own.find(other);
        }
        return members.isGone(other);
    }

    NodeStatus status() {
        return new NodeStatus(node, local.size(), admitPerSecond, address);
    }
}
