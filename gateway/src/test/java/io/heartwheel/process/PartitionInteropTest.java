package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A network that drops all packets: no end and no reset arrives, as when a cable is cut. The devices beat all the while, into the void; what became of
 * those cut off is told by the gateway's own events.
 */
@Tag("interop")
@Isolated
@ExtendWith(StallWitness.class)
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

    /** Until a tenth of all has died it does not trip; and if they died in one of the two subnets first, until half of that share has in the other. */
    private static final int UNHELD = DEVICES / 10 + DEVICES / 20;

    /** Those that are closed before the breaker trips: deadlines lie within a second, so a loop that is late finds more in one turn. */
    private static double unheld(int held, Departures gone) {
        return held + DEVICES * gone.latestMillis() / 1_000;
    }

    /** An interval, and a beat behind it. */
    private static final Duration KEPT = Duration.ofMillis(3_500);

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

    /**
     * The promise: when most fall silent at once the breaker waits, and who is there again within its patience is not closed. Until it trips, deaths are
     * deaths: here of one in a hundred at the most.
     */
    @Test
    void partition_healedWithinThePatience_closesNobodyOnceItIsSeen() throws Exception {
        try (LabNetwork lab = new LabNetwork();
                GatewayProcess gateway = setup(lab)
                        .set("breaker.patience", "20s", "breaker.share", "0.01", "breaker.least", "1")
                        .start();
                HerdProcess herd = herd(lab, gateway)) {
            lab.cut(0, CUT_SOURCES);
            TimeUnit.NANOSECONDS.sleep(SHORT_CUT.toNanos());
            lab.heal();
            JsonNode incident = Departures.awaitEndOfIncident(gateway);
            Departures gone = Departures.of(gateway);
            System.out.println("partition healed in time: " + incident + ", gone before: " + gone.size());
            assertTrue(gone.size() <= unheld(UNHELD / 10, gone), gone::toString);
            assertEquals(DEVICES - gone.size(), herd.count().live());
            assertEquals(0, incident.get("closed").asInt(), incident::toString);
            assertEquals(
                    incident.get("suspects").asInt(), incident.get("absolved").asInt(), incident::toString);
            // those whose segments came through again before their time were not even suspect
            assertTrue(incident.get("suspects").asInt() > DEVICES / 2, incident::toString);
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
            // a loop that comes late to some closes them beside those whose turn it is then
            double most = CLOSE_RATE * (1.1 + gone.latestMillis() / 1_000);
            assertTrue(gone.mostInASecond() <= most, gone::toString);
            JsonNode incident = Departures.awaitEndOfIncident(gateway);
            System.out.println("partition: " + incident);
            int early = cut.size() - incident.get("suspects").asInt();
            assertTrue(early <= unheld(UNHELD, gone), incident::toString);
            assertEquals(cut.size() - early, incident.get("closed").asInt(), incident::toString);
            assertEquals(0, incident.get("absolved").asInt(), incident::toString);
        }
    }

    private static GatewaySetup setup(LabNetwork lab) {
        return FaultTrial.setup()
                .set("listeners.tcp.bind", lab.gateway() + ":0", "auth.mode", "none", "sink.kind", "console")
                .set("breaker.window", "3s", "breaker.share", "0.1");
    }

    private static HerdProcess herd(LabNetwork lab, GatewayProcess gateway) throws Exception {
        Herd.Settings settings = Herd.Settings.of(gateway.tcp(), "lab").from(lab.device(0), SOURCES);
        HerdProcess herd = new HerdProcess(settings, lab.amongTheDevices());
        herd.connect(DEVICES);
        // the breaker counts who has beaten for an interval
        TimeUnit.NANOSECONDS.sleep(KEPT.toNanos());
        return herd;
    }

    /** Devices cut off at an instant, and what they had written by then. */
    private static final class Cut {
        private final HerdProcess herd;
        private final Map<String, DeviceReport> before = new HashMap<>();
        private final long cutNanos;

        Cut(HerdProcess herd, LabNetwork lab, int sources) throws Exception {
            this.herd = herd;
            List<DeviceReport> reports = herd.reports();
            lab.cut(0, sources);
            cutNanos = System.nanoTime();
            for (int i = 0; i < reports.size(); i++) {
                if (i % SOURCES < sources) {
                    before.put(reports.get(i).id(), reports.get(i));
                }
            }
        }

        int size() {
            return before.size();
        }

        long timeoutNanos() {
            return before.values().iterator().next().timeoutNanos();
        }

        /** All of them gone, neither before the deadline, nor but for {@link #UNHELD} before the patience, nor long after; everybody else alive. */
        Departures judge(String what, GatewayProcess gateway, long patienceNanos, long slackNanos) throws Exception {
            Departures gone = Departures.of(gateway);
            int falseKills = 0;
            int missedKills = 0;
            int unheld = 0;
            for (DeviceReport device : before.values()) {
                Departures.Departure end = gone.of(device.id());
                long dueNanos = device.lastSentNanos() + device.timeoutNanos();
                long latestNanos = cutNanos + device.timeoutNanos() + patienceNanos + slackNanos;
                falseKills += end != null && end.atNanos() - dueNanos < 0 ? 1 : 0;
                unheld += end != null && end.atNanos() - dueNanos < patienceNanos ? 1 : 0;
                missedKills += end == null || end.atNanos() - latestNanos > 0 ? 1 : 0;
            }
            List<DeviceReport> others = new ArrayList<>(herd.reports());
            others.removeIf(device -> before.containsKey(device.id()));
            Judgement neighbours = Judgement.of(others, Contract.with());
            String all = what + ": " + before.size() + " cut off, false kills " + falseKills + ", missed kills "
                    + missedKills + ", " + gone + "; their neighbours: " + neighbours;
            System.out.println(all);
            assertEquals(0, falseKills, all);
            assertEquals(0, missedKills, all);
            assertTrue(unheld <= unheld(UNHELD, gone), all + "; " + unheld + " were not held back");
            assertEquals(before.size(), gone.size(), all);
            assertTrue(neighbours.isClean() && neighbours.brokenPromises() * 100 <= others.size(), all);
            return gone;
        }
    }
}
