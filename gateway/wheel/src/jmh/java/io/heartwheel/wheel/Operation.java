package io.heartwheel.wheel;

import io.heartwheel.wheel.Measured.Row;
import io.heartwheel.wheel.Measured.Score;
import java.util.List;
import java.util.Optional;

/** Operations that are compared, each with the benchmark and the figure that measure it. */
enum Operation {
    ACTIVITY(
            "activity",
            "A heartbeat",
            "ns",
            "What activity of a random connection costs. Heartwheel and every lazy user of a timer store a time; the others take the timeout back and arm it anew, which is the"
                    + " benchmark `rearm`.",
            "TouchBenchmark.activity"),
    REARM(
            "rearm",
            "Disarm and arm one of the pending",
            "ns",
            "The timeout of a random connection is taken back and armed anew. *Marks taken*: with the turning thread's part, after every 1,024 pairs.",
            "TouchBenchmark.rearm"),
    EXTRA(
            "extra",
            "Arm and disarm one beside the pending",
            "ns",
            "A timeout beside the pending ones, armed and taken back at once.",
            "TouchBenchmark.extra"),
    PRODUCERS(
            "producers",
            "Disarm and arm, two threads",
            "ns",
            "As *disarm and arm one of the pending*, by two threads at once, each with half of the connections; time of an operation as each thread sees it. *Turning*: beside them the"
                    + " wheel's own thread, on real time.",
            "TouchBenchmark.rearm"),
    TICK(
            "tick",
            "A tick in which nothing is due, real time",
            "ns",
            "CPU time of the expiring thread in 10 ms of real time, all being due in 60 s to 120 s. Zero: it slept throughout the three seconds; for ratios it counts as 1 ns.",
            "LiveTurnBenchmark.tickNotDue"),
    TICK_VIRTUAL(
            "tick-virtual",
            "A tick in which nothing is due, virtual time",
            "ns",
            "Turning by 10 ms, 4,000 times, all being due in 60 s to 120 s. Time handed in, no clock, no sleep.",
            "VirtualTurnBenchmark.tickNotDue"),
    EXPIRY(
            "expiry",
            "An expiry, real time",
            "ns",
            "CPU time an entry of the threads that find and run what is due; all fall due within a second, in random order. Heartwheel calls the connection; Netty runs one task that serves all, Agrona tells an id that nobody looks up. The"
                    + " variants beside them find the connection, as a use must.",
            "LiveTurnBenchmark.expiry"),
    EXPIRY_COLLECTED(
            "expiry-collected",
            "An expiry, real time, after a full collection",
            "ns",
            "The same with full collections between arming and the first expiry, as a timeout of a minute lives through: the collector moves what is linked next to each other.",
            "LiveTurnBenchmark.expiryCollected"),
    EXPIRY_VIRTUAL(
            "expiry-virtual",
            "An expiry, virtual time",
            "ns",
            "The same a tick at a time, time handed in.",
            "VirtualTurnBenchmark.expiry"),
    EXPIRY_VIRTUAL_COLLECTED(
            "expiry-virtual-collected",
            "An expiry, virtual time, after a full collection",
            "ns",
            "The same with full collections between arming and the first expiry.",
            "VirtualTurnBenchmark.expiryCollected"),
    SECOND(
            "second",
            "A second of connections that beat every 10 s",
            "us",
            "CPU time of the process for a tenth of the connections being active and 100 ticks; timeouts of 30 s, nobody dies. Not counted for Netty's wheel (eager) and Kafka: their"
                    + " ticks. For Netty's wheel (lazy) expiries are brought about by timeouts without delay.",
            "SecondBenchmark.simulatedSecond"),
    HEAP(
            "heap",
            "Live heap of a pending entry",
            "bytes",
            "After full collections; without the connection, its field that remembers the timeout, and a task that serves all.",
            "HeapBenchmark.bytes");

    /** Keys and names of all who are measured, in the order of the tables. */
    static final List<String[]> PEERS = List.of(
            new String[] {"floor-slot", "floor: random store, array"},
            new String[] {"floor-object", "floor: random store, object"},
            new String[] {"heartwheel", "Heartwheel"},
            new String[] {"heartwheel-shared", "Heartwheel, one entry for all"},
            new String[] {"heartwheel-taken", "Heartwheel, marks taken"},
            new String[] {"heartwheel-live", "Heartwheel, turning"},
            new String[] {"agrona", "Agrona DeadlineTimerWheel"},
            new String[] {"agrona-own", "Agrona, connection found by id"},
            new String[] {"agrona-lazy", "Agrona, lazy"},
            new String[] {"dropin", "Heartwheel WheelTimer"},
            new String[] {"dropin-own", "Heartwheel WheelTimer, task of its own"},
            new String[] {"netty", "Netty HashedWheelTimer"},
            new String[] {"netty-own", "Netty HashedWheelTimer, task of its own"},
            new String[] {"netty-lazy", "Netty HashedWheelTimer, lazy"},
            new String[] {"loop", "Netty event loop's heap"},
            new String[] {"loop-lazy", "Netty event loop's heap, lazy"},
            new String[] {"kafka", "Kafka SystemTimer"},
            new String[] {"timer", "java.util.Timer"},
            new String[] {"pool", "ScheduledThreadPoolExecutor"},
            new String[] {"delayqueue", "DelayQueue"});

    final String key;
    final String title;
    final String unit;
    final String meaning;
    private final String benchmark;

    Operation(String key, String title, String unit, String meaning, String benchmark) {
        this.key = key;
        this.title = title;
        this.unit = unit;
        this.meaning = meaning;
        this.benchmark = benchmark;
    }

    /** What was measured for that peer, if it was. */
    Optional<Row> row(Measured measured, String peer, int pending) {
        Optional<Row> row = measured.find(benchmark, peer, pending, this == PRODUCERS ? 2 : 1);
        return row.isEmpty() && this == ACTIVITY && !peer.startsWith("heartwheel")
                ? REARM.row(measured, peer, pending)
                : row;
    }

    /** The figure that counts. */
    Score score(Measured measured, String peer, int pending) {
        return row(measured, peer, pending)
                .map(row -> switch (this) {
                    case ACTIVITY, REARM, EXTRA, PRODUCERS -> row.time();
                    case SECOND -> row.cpu().times(1e-3);
                    default -> row.figure();
                })
                .orElse(Score.NONE);
    }

    double value(Measured measured, String peer, int pending) {
        return score(measured, peer, pending).value();
    }

    /** Whether the figure is of one operation that allocates or does not. */
    boolean tellsAllocation() {
        return this == ACTIVITY || this == REARM || this == EXTRA || this == PRODUCERS || this == SECOND;
    }
}
