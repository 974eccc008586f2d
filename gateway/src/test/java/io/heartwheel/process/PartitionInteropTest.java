package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A network that swallows packets: no end and no reset arrives, as when a cable is cut. The devices beat all the while, into the void; what became of
 * those cut off is told by the gateway's own events.
 */
@Tag("interop")
class PartitionInteropTest {
    private static final int DEVICES = 1_000;
    /** Two devices share an address. */
    private static final int SOURCES = 500;

    /** Few enough that no breaker looks at them. */
    private static final int HALF_OPEN_SOURCES = 25;

    private static final int CUT_SOURCES = 450;
    private static final int CLOSE_RATE = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    /** Longer than any silence may be, shorter than the breaker's patience with it; TCP sends again within twice this time. */
    private static final Duration SHORT_CUT = Duration.ofSeconds(4);

    private static final long SLACK_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** The promise: a peer that is gone without a word is closed on time, and those beside it live. */
    @Test
    void halfOpen_fewOfMany_areClosedOnTimeAndNobodyElse() throws Exception {
        try (LabNetwork lab = new LabNetwork();
                GatewayProcess gateway = setup(lab).start();
                HerdProcess herd = herd(lab, gateway)) {
            Cut cut = new Cut(herd, lab, HALF_OPEN_SOURCES);
            TimeUnit.NANOSECONDS.sleep(cut.timeoutNanos() + SLACK_NANOS);
            cut.judge("half-open", gateway, 0, SLACK_NANOS);
        }
    }

    /** The promise: when most fall silent at once the breaker waits, and who is there again in its patience was never killed. */
    @Test
    void partition_healedWithinThePatience_killsNobody() throws Exception {
        try (LabNetwork lab = new LabNetwork();
                GatewayProcess gateway =
                        setup(lab).set("breaker.patience", "10s").start();
                HerdProcess herd = herd(lab, gateway)) {
            lab.cut(0, CUT_SOURCES);
            TimeUnit.NANOSECONDS.sleep(SHORT_CUT.toNanos());
            lab.heal();
            // long enough that patience is over for whoever was not absolved
            TimeUnit.SECONDS.sleep(14);
            Departures gone = Departures.of(gateway);
            assertEquals(0, gone.size(), gone::toString);
            assertEquals(DEVICES, herd.count().live());
            Judgement judgement = Judgement.of(herd.book(), Contract.with());
            System.out.println("partition healed in time: " + judgement);
            assertTrue(judgement.isClean(), judgement::toString);
        }
    }

    /** The promise: when they do not come back they are closed, after the patience, so many a second and no more; who was there all the time stays. */
    @Test
    void partition_outlastingThePatience_isClosedAtABoundedRate() throws Exception {
        try (LabNetwork lab = new LabNetwork();
                GatewayProcess gateway = setup(lab)
                        .set("breaker.patience", PATIENCE.toSeconds() + "s", "breaker.close-rate", "" + CLOSE_RATE)
                        .start();
                HerdProcess herd = herd(lab, gateway)) {
            Cut cut = new Cut(herd, lab, CUT_SOURCES);
            long closingNanos = TimeUnit.SECONDS.toNanos(cut.size()) / CLOSE_RATE;
            TimeUnit.NANOSECONDS.sleep(cut.timeoutNanos() + PATIENCE.toNanos() + closingNanos + SLACK_NANOS);
            Departures gone = cut.judge("partition", gateway, PATIENCE.toNanos(), closingNanos + SLACK_NANOS);
            assertTrue(gone.mostInASecond() <= CLOSE_RATE * 11 / 10, gone::toString);
            lab.heal();
        }
    }

    private static GatewaySetup setup(LabNetwork lab) {
        return FaultTrial.setup().set("listeners.tcp.bind", lab.gateway() + ":0", "sink.kind", "console");
    }

    private static HerdProcess herd(LabNetwork lab, GatewayProcess gateway) throws Exception {
        Herd.Settings settings = Herd.Settings.of(gateway.tcp(), "lab").from(lab.device(0), SOURCES);
        HerdProcess herd = new HerdProcess(settings, lab.amongTheDevices());
        herd.connect(DEVICES);
        TimeUnit.SECONDS.sleep(1);
        return herd;
    }

    /** Devices cut off at an instant, and what they had written by then. */
    private static final class Cut {
        private final HerdProcess herd;
        private final Map<String, Fate> before = new HashMap<>();
        private final long cutNanos;

        Cut(HerdProcess herd, LabNetwork lab, int sources) throws Exception {
            this.herd = herd;
            List<Fate> book = herd.book();
            lab.cut(0, sources);
            cutNanos = System.nanoTime();
            for (int i = 0; i < book.size(); i++) {
                if (i % SOURCES < sources) {
                    before.put(book.get(i).id(), book.get(i));
                }
            }
        }

        int size() {
            return before.size();
        }

        long timeoutNanos() {
            return before.values().iterator().next().timeoutNanos();
        }

        /** All of them gone, for silence, neither before the deadline and patience nor long after; everybody else alive. */
        Departures judge(String what, GatewayProcess gateway, long patienceNanos, long slackNanos) throws Exception {
            Departures gone = Departures.of(gateway);
            int falseKills = 0;
            int missedKills = 0;
            for (Fate device : before.values()) {
                Departures.Departure end = gone.of(device.id());
                long earliestNanos = device.lastSentNanos() + device.timeoutNanos() + patienceNanos;
                long latestNanos = cutNanos + device.timeoutNanos() + patienceNanos + slackNanos;
                boolean early = end != null && end.atNanos() - earliestNanos < 0;
                falseKills += early ? 1 : 0;
                missedKills += end == null || end.atNanos() - latestNanos > 0 ? 1 : 0;
            }
            List<Fate> others = new ArrayList<>(herd.book());
            others.removeIf(device -> before.containsKey(device.id()));
            Judgement neighbours = Judgement.of(others, Contract.with());
            String all = what + ": " + before.size() + " cut off, false kills " + falseKills + ", missed kills "
                    + missedKills + ", " + gone + "; their neighbours: " + neighbours;
            System.out.println(all);
            assertEquals(0, falseKills, all);
            assertEquals(0, missedKills, all);
            assertEquals(before.size(), gone.size(), all);
            assertTrue(neighbours.isClean() && neighbours.brokenPromises() == 0, all);
            return gone;
        }
    }
}
