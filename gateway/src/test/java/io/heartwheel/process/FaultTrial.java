package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gateway with a herd on it: some live, some of these by answers alone, some told to be silent. A test brings the fault. */
final class FaultTrial implements AutoCloseable {
    private static final long BEAT_MILLIS = 1_000;
    /** After a fault the live ones are watched for longer than they may be silent. */
    private static final long AFTERMATH_NANOS = TimeUnit.MILLISECONDS.toNanos(4_000);

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

    /** Short promises: an interval of two seconds, closed after three. */
    static GatewaySetup setup() {
        return GatewayProcess.with("heartbeat.interval", "2s", "heartbeat.grace", "1.5");
    }

    Herd herd() {
        return herd;
    }

    void fallSilent() throws Exception {
        herd.silence(live, silent);
    }

    /** Until every silent one is closed or its latest time is over, and the live ones had time to be killed. @return all books */
    List<Fate> awaitTheEnd(Contract contract) throws Exception {
        long aftermathNanos = System.nanoTime() + AFTERMATH_NANOS;
        long latestNanos = herd.book().stream()
                .filter(Fate::silent)
                .mapToLong(contract::latestNanos)
                .max()
                .orElse(aftermathNanos);
        while (System.nanoTime() - aftermathNanos < 0
                || (System.nanoTime() - latestNanos < 0 && herd.count().silent() > 0)) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return herd.book();
    }

    /** Waits for the end and holds the gateway to the contract. */
    void judge(String what, Contract contract) throws Exception {
        List<Fate> books = awaitTheEnd(contract);
        assertEquals(live + silent, books.size());
        verdict(what, books, contract, live);
    }

    /** False kills and missed kills are nought, and nearly all of the live were fit to be judges. */
    static void verdict(String what, List<Fate> books, Contract contract, int live) {
        Judgement judgement = Judgement.of(books, contract);
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
