package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.Slice;
import io.heartwheel.loadgen.fleet.UplinkReport;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.measure.Usage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A worker without devices, whose figures tell which slice it has. */
final class TestWorker implements Worker {

    final List<String> calls = new CopyOnWriteArrayList<>();
    private final Slice slice;
    private final CountDownLatch stuck = new CountDownLatch(1);

    private Waiting beginning = () -> {};

    TestWorker(Slice slice) {
        this.slice = slice;
    }

    /** Calls that may be waited for. */
    interface Waiting {
        void await() throws Exception;
    }

    /** Waits in the middle of its beginning. */
    TestWorker beginning(Waiting what) {
        beginning = what;
        return this;
    }

    /** The worker of an assignment; the scenario is a word that tells what goes wrong. */
    static TestWorker of(Assignment assignment) {
        switch (assignment.scenario()) {
            case "unreadable" -> throw new IllegalArgumentException("interval = 3ms: need 100ms..24h");
            case "deadly" -> {
                System.err.println("worker " + assignment.share().slice().worker() + " has had enough");
                Runtime.getRuntime().halt(9);
            }
            default -> {}
        }
        return new TestWorker(assignment.share().slice());
    }

    private Ledger.Page page() {
        Ledger ledger = new Ledger();
        ledger.count(Count.OPENED, slice.count());
        ledger.time(Timing.ROUND_TRIP, 1_000_000L * (slice.worker() + 1));
        ledger.row("closes", "4001", slice.first() + 1);
        return ledger.page();
    }

    private Usage usage(long at) {
        return new Usage(at, 100, 10 + slice.worker());
    }

    @Override
    public void begin() {
        calls.add("begin");
        try {
            beginning.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public RunReading snapshot() {
        calls.add("look");
        return new RunReading(1_000L + slice.worker(), page(), usage(7), List.of());
    }

    @Override
    public void observe() {
        calls.add("observe");
    }

    @Override
    public void act(int step) {
        calls.add("act " + step);
        if (step == 13) {
            throw new IllegalStateException("no step 13");
        }
        if (step == 99) {
            Runtime.getRuntime().halt(9);
        }
        if (step == 77) {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                calls.add("interrupted");
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    @Override
    public void pushed(PushReport report) {
        calls.add("pushed " + report.outcomes().size());
    }

    @Override
    public void cameOut(UplinkReport report) {
        calls.add("came out " + report.events().size());
    }

    @Override
    public WorkerResult finish() {
        calls.add("finish");
        GatewayFault evidence = new GatewayFault(
                GatewayFault.Kind.LIVE_CLOSED, "d" + slice.first(), 10.0 - slice.worker(), 4001, 0, "", "", 1, 2, 3);
        return new WorkerResult(
                page(),
                List.of(evidence),
                1_000 + slice.worker(),
                2_000 + slice.worker(),
                usage(1),
                usage(2),
                List.of());
    }

    @Override
    public void dismiss() {
        calls.add("dismiss");
    }

    @Override
    public long present() {
        calls.add("present");
        return slice.count();
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
