package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gateway with a herd: some devices live, some of these only answer probes, some fall silent. A test brings the fault. */
final class FaultTrial implements AutoCloseable {
    private static final long BEAT_MILLIS = 1_000;
    /** After a fault the live ones are watched for longer than they may be silent. */
    private static final long AFTERMATH_NANOS = TimeUnit.MILLISECONDS.toNanos(4_000);

    private static final int LOOPS = 2;

    private final Herd herd;
    private final int live;
    private final int silent;

    /** Connects all of them and lets each beat at least once. */
    FaultTrial(GatewayProcess gateway, int live, int answering, int silent) throws Exception {
        this.live = live;
        this.silent = silent;
        herd = new Herd(Herd.Settings.of(gateway.tcp(), "herd"));
        herd.connect(live + silent);
        herd.answerOnly(live - answering, answering);
        TimeUnit.MILLISECONDS.sleep(BEAT_MILLIS);
    }

    /** Short promises: an interval of two seconds, closed after three. Buffers are sampled only: to watch each would be a fault of its own. */
    static GatewaySetup setup() {
        return GatewayProcess.with("heartbeat.interval", "2s", "heartbeat.grace", "1.5")
                .jvm("-Dio.netty.leakDetection.level=simple");
    }

    Herd herd() {
        return herd;
    }

    void fallSilent() throws Exception {
        herd.silence(live, silent);
    }

    /**
     * Stops the gateway for so long. A loop that goes on first reads all that came meanwhile, and counts that as standing still too: possibly until it
     * welcomes somebody new.
     */
    static Stall freeze(GatewayProcess gateway, Duration length) throws Exception {
        Stall stall = Freeze.of(gateway.pid(), length);
        for (int loop = 0; loop < LOOPS; loop++) {
            // new connections are given to the loops in turn
            WireClient.hello(gateway.tcp(), "observer-" + loop).close();
        }
        return stall.atMostUntil(System.nanoTime());
    }

    /**
     * Until every silent one is closed or its latest time is over, and the live ones had time to be closed.
     *
     * @return all reports
     */
    List<DeviceReport> awaitTheEnd(Contract contract) throws Exception {
        long aftermathNanos = System.nanoTime() + AFTERMATH_NANOS;
        long latestNanos = herd.reports().stream()
                .filter(DeviceReport::silent)
                .mapToLong(contract::latestNanos)
                .max()
                .orElse(aftermathNanos);
        while (System.nanoTime() - aftermathNanos < 0
                || (System.nanoTime() - latestNanos < 0 && herd.count().silent() > 0)) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return herd.reports();
    }

    /** Waits for the end and holds the gateway to the contract. */
    void judge(String what, Contract contract) throws Exception {
        List<DeviceReport> reports = awaitTheEnd(contract);
        assertEquals(live + silent, reports.size());
        verdict(what, reports, contract, live);
    }

    /** False kills and missed kills are nought, and nearly all of the live were fit to be judges. */
    static void verdict(String what, List<DeviceReport> reports, Contract contract, int live) {
        Judgement judgement = Judgement.of(reports, contract);
        System.out.println(what + ": " + judgement);
        assertTrue(judgement.isClean(), () -> what + ": " + judgement);
        assertEquals(live, judgement.live());
        assertTrue(judgement.brokenPromises() * 100 <= live, () -> what + ": " + judgement);
    }

    @Override
    public void close() throws Exception {
        herd.close();
    }
}
