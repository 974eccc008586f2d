package io.heartwheel.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.Evidence.Limit;
import io.heartwheel.event.Evidence.Path;
import io.heartwheel.event.Evidence.Probes;
import io.heartwheel.event.Evidence.Timing;
import io.heartwheel.event.Evidence.Traffic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One sentence for each way a connection can end or stand. */
class EvidenceTextTest {
    private static final long AT = 1_767_225_690_000L; // 2026-01-01T00:01:30Z
    private static final long NEVER = Evidence.NEVER;
    private static final String LAST = "; last frame PING at 2026-01-01T00:00:00Z";
    private static final String LATE = "; 1.5 ms after the deadline";

    private final Locale before = Locale.getDefault();

    @AfterEach
    void restore() {
        Locale.setDefault(before);
    }

    /** Evidence of a device that beat until 90 s ago, but for what a test changes. */
    private static final class Case {
        private boolean established = true;
        private long openMillis = 120_000;
        private String claimed = "";
        private Evidence.PeerClose said;
        private String via = "";
        private CloseReason reason;
        private String cause = "";
        private Limit limit;
        private Traffic traffic = new Traffic(90_000, 90_000, "PING", 29_900, "PING", 0, 0, List.of());
        private Probes probes = Probes.NONE;
        private Path path;
        private Timing timing = new Timing(90_000_000, 1_500, 0, 0, 9_000, 9_001, false);
        private long successor;
        private String successorNode = "";

        Case closed(CloseReason why, String words) {
            reason = why;
            cause = words;
            return this;
        }

        Case handshake() {
            established = false;
            openMillis = 10_001;
            traffic = new Traffic(NEVER, NEVER, "", NEVER, "", 0, 0, List.of());
            return this;
        }

        Case claiming(String device) {
            claimed = device;
            return this;
        }

        Case saying(int code, byte... text) {
            said = Evidence.PeerClose.of(code, text);
            return this;
        }

        Case via(String balancer) {
            via = balancer;
            return this;
        }

        Case open(long millis) {
            openMillis = millis;
            return this;
        }

        Case limit(DeadlineKind kind, DeadlineOrigin origin, long timeoutMillis, long dueMillis) {
            boolean beat = kind == DeadlineKind.HEARTBEAT;
            limit = new Limit(kind, origin, timeoutMillis, beat ? timeoutMillis * 2 / 3 : 0, beat ? 150 : 0, dueMillis);
            return this;
        }

        Case path(Path seen) {
            path = seen;
            return this;
        }

        Case traffic(Traffic seen) {
            traffic = seen;
            return this;
        }

        Case asked(long millisAgo, Path kernel) {
            probes = new Probes(2, 1, millisAgo, List.of(41_000));
            path = kernel;
            return this;
        }

        Case timing(long latenessMicros, long creditMillis, boolean suspect) {
            timing = new Timing(90_000_000, latenessMicros, creditMillis, 0, 9_000, 9_001, suspect);
            return this;
        }

        Case succeededBy(long session) {
            successor = session;
            return this;
        }

        Case succeededAt(String node, long session) {
            successorNode = node;
            return succeededBy(session);
        }

        String text() {
            return new Evidence(
                            new Identity(established ? "d1" : "", 7, 9),
                            claimed,
                            established ? "heartwheel" : "handshake",
                            "10.0.0.1:5000",
                            via,
                            "",
                            established,
                            AT,
                            openMillis,
                            reason,
                            cause,
                            said,
                            null,
                            limit,
                            traffic,
                            probes,
                            path,
                            timing,
                            successor,
                            successorNode)
                    .text();
        }
    }

    private static void assertText(String text, Case of) {
        assertEquals(text, of.text());
    }

    private static void assertTold(String part, Case of) {
        String text = of.text();
        assertTrue(text.contains(part), text);
    }

    private static Case silent() {
        return new Case()
                .closed(CloseReason.HEARTBEAT_TIMEOUT, "silent for 90.0 s")
                .limit(DeadlineKind.HEARTBEAT, DeadlineOrigin.ASKED, 90_000, -2)
                .asked(29_900, null);
    }

    // ------------------------------------------------------------------ closed by a deadline

    @Test
    void heartbeat_unanswered_tellsRuleLastFrameAndProbe() {
        assertText(
                "closed after 90.0 s of silence: heartbeat 60 s (asked by the device) x 1.5" + LAST
                        + "; probe at 60.1 s unanswered" + LATE,
                silent());
    }

    @Test
    void heartbeat_kernelSendsInVain_saysThatNothingIsAcknowledged() {
        assertTold(
                "; probe at 60.1 s unanswered, sent again 3 times by the kernel and not acknowledged; ",
                silent().asked(29_900, kernel(3, 1, 90_000)));
    }

    /** What acknowledges then is the balancer: it says nothing of the device. */
    @Test
    void heartbeat_kernelOfABalancerAnswers_saysWhose() {
        assertTold(
                "unanswered, though the balancer's kernel has acknowledged it; ",
                silent().via("10.9.0.1:41000").asked(29_900, kernel(0, 0, 29_860)));
    }

    @Test
    void heartbeat_kernelOfThePeerAnswers_saysThatOnlyTheProgramIsSilent() {
        assertTold(
                "; probe at 60.1 s unanswered, though the peer's kernel has acknowledged it; ",
                silent().asked(29_900, kernel(0, 0, 29_860)));
    }

    /** The kernel tells its times in steps of 4 or 10 ms: an acknowledgement may seem to be older than what it acknowledges. */
    @Test
    void heartbeat_kernelsClockRunsInSteps_saysTheSameAtEveryStep() {
        String first = silent().asked(29_900, kernel(0, 0, 29_896)).text();
        for (int step = 29_900; step <= 29_912; step += 4) {
            assertText(first, silent().asked(29_900, kernel(0, 0, step)));
        }
    }

    @Test
    void heartbeat_somethingStillOnItsWay_saysNothingOfTheKernel() {
        for (Path path : List.of(kernel(0, 1, 29_860), kernel(0, 0, 4, 29_860))) {
            assertTold("; probe at 60.1 s unanswered; ", silent().asked(29_900, path));
        }
        assertTold(
                "; probe at 60.1 s unanswered; ",
                silent().traffic(new Traffic(90_000, 90_000, "PING", 29_900, "PING", 4, 0, List.of()))
                        .asked(29_900, kernel(0, 0, 29_860)));
    }

    @Test
    void heartbeat_ofAPeerThatNeverSentAFrame_countsFromItsOpening() {
        assertText(
                "closed after 91.2 s of silence: heartbeat 60 s (asked by the device) x 1.5; it never sent a frame; "
                        + "probe at 61.3 s unanswered" + LATE,
                silent().open(91_200).traffic(new Traffic(NEVER, NEVER, "", 29_900, "PING", 0, 0, List.of())));
    }

    @Test
    void readerIdle_default_isPlain() {
        assertText(
                "closed after 90.0 s of silence: reader-idle 90 s (default)" + LAST + LATE,
                new Case()
                        .closed(CloseReason.READ_IDLE, "silent for 90.0 s")
                        .limit(DeadlineKind.READER_IDLE, DeadlineOrigin.DEFAULT, 90_000, -2));
    }

    @Test
    void readProgress_halfAFrame_isToldOnce() {
        assertText(
                "closed with 37 bytes of a frame that did not end, the last of them 8.2 s ago: read-progress 10 s (configured)"
                        + LAST + LATE,
                new Case()
                        .closed(CloseReason.READ_STALLED, "37 bytes of a frame in 10.3 s, then no end")
                        .limit(DeadlineKind.READ_PROGRESS, DeadlineOrigin.CONFIGURED, 10_000, -2)
                        .traffic(new Traffic(8_200, 90_000, "PING", 100, "PONG", 0, 37, List.of())));
    }

    @Test
    void adminClosed_whileTheSinkWasFull_tellsWhyReadingWasPaused() {
        assertTold(
                "; reading was paused, because the sink was full",
                new Case()
                        .closed(CloseReason.ADMIN_CLOSED, "closed by the operator")
                        .traffic(new Traffic(90_000, 90_000, "DATA", 30_000, "PONG", 0, 0, List.of(PauseCause.SINK))));
    }

    @Test
    void writeProgress_pending_tellsThatReadingWasPaused() {
        assertText(
                "closed because the peer took none of 65536 bytes that wait for it: write-progress 30 s (default)"
                        + LAST + "; reading was paused, because it does not drain" + LATE,
                new Case()
                        .closed(CloseReason.WRITE_STALLED, "took none of 65536 pending bytes for 30.0 s")
                        .limit(DeadlineKind.WRITE_PROGRESS, DeadlineOrigin.DEFAULT, 30_000, -2)
                        .traffic(new Traffic(
                                90_000, 90_000, "PING", 30_000, "DATA", 65_536, 0, List.of(PauseCause.SEND_QUEUE))));
    }

    @Test
    void writeProgress_ofAKernelThatTells_saysWhatItHadAcknowledged() {
        assertText(
                "closed because the peer took none of 65536 bytes that wait for it: write-progress 90 s (default)"
                        + LAST + "; its kernel had acknowledged 4711 bytes and none since" + LATE,
                new Case()
                        .closed(CloseReason.WRITE_STALLED, "took none of 65536 pending bytes for 90.0 s")
                        .limit(DeadlineKind.WRITE_PROGRESS, DeadlineOrigin.DEFAULT, 90_000, -2)
                        .traffic(new Traffic(90_000, 90_000, "PING", 30_000, "DATA", 65_536, 0, List.of()))
                        .path(kernel(0, 3, 20)));
    }

    @Test
    void handshake_nothingCame_saysSo() {
        assertText(
                "closed after 10.0 s without a HELLO or upgrade: handshake 10 s (default); no frame ever came" + LATE,
                new Case()
                        .handshake()
                        .closed(CloseReason.HANDSHAKE_TIMEOUT, "no HELLO or upgrade in 10.0 s")
                        .limit(DeadlineKind.HANDSHAKE, DeadlineOrigin.DEFAULT, 10_000, -2));
    }

    @Test
    void claim_late_isNotThePeersFault() {
        assertText(
                "closed after 10.0 s because its device id could not be claimed in time: claim 10 s (default); no frame ever came"
                        + LATE,
                new Case()
                        .handshake()
                        .closed(CloseReason.OVERLOADED, "the device id could not be claimed in time")
                        .limit(DeadlineKind.CLAIM, DeadlineOrigin.DEFAULT, 10_000, -2));
    }

    @Test
    void leaving_afterAWeek_speaksInDays() {
        assertText(
                "closed after 7.0 d because of its age: leaving 30 s (set when it was sent away)" + LAST + LATE,
                new Case()
                        .open(604_830_000)
                        .closed(CloseReason.MAX_AGE, "the connection reached its age")
                        .limit(DeadlineKind.LEAVING, DeadlineOrigin.SENT_AWAY, 30_000, -2));
    }

    @Test
    void anyDeadline_credited_tellsByHowMuch() {
        String text = silent().timing(2_500_000, 3_100, false).text();
        assertTrue(
                text.endsWith("; deadline moved by 3.1 s for stalls of the gateway; 2.5 s after the deadline"), text);
    }

    @Test
    void anyDeadline_heldBack_tellsSo() {
        String text = silent().timing(100, 0, true).text();
        assertTrue(text.endsWith("; was held back by the breaker; 0.1 ms after the deadline"), text);
    }

    @Test
    void silence_withPartOfAFrame_tellsThePart() {
        assertTold(
                LAST + "; 1 byte of another frame since; ",
                silent().traffic(new Traffic(100, 90_000, "PING", 29_900, "PING", 0, 1, List.of())));
    }

    // ------------------------------------------------------------------ closed otherwise

    @ParameterizedTest
    @EnumSource(CloseReason.class)
    void anyReason_withoutDeadline_tellsReasonCauseAndAge(CloseReason reason) {
        assertText(
                "closed as " + reason.label() + ": so it was, after 120.0 s" + LAST,
                new Case().closed(reason, "so it was"));
    }

    @Test
    void takenOver_successor_isNamed() {
        assertText(
                "closed as taken_over: a newer connection has this device id, after 120.0 s" + LAST
                        + "; session 8 has its device id now",
                new Case()
                        .closed(CloseReason.TAKEN_OVER, "a newer connection has this device id")
                        .succeededBy(8));
    }

    @Test
    void takenOver_successorOfAnotherNode_isNamedWithIt() {
        assertText(
                "closed as taken_over: a newer connection to node b has this device id, after 120.0 s" + LAST
                        + "; session 8 of node b has its device id now",
                new Case()
                        .closed(CloseReason.TAKEN_OVER, "a newer connection to node b has this device id")
                        .succeededAt("b", 8));
    }

    @Test
    void noCause_isNotToldAsNothing() {
        assertText(
                "closed as bad_magic, after 10.0 s; no frame ever came",
                new Case().handshake().closed(CloseReason.BAD_MAGIC, ""));
    }

    @Test
    void closed_byThePeer_saysWhatItSaid() {
        assertText(
                "closed as peer_closed: the device said CLOSE 4000 \"battery low\", after 120.0 s" + LAST,
                new Case()
                        .saying(4_000, "battery low".getBytes(StandardCharsets.UTF_8))
                        .closed(CloseReason.PEER_CLOSED, "the device said CLOSE 4000"));
        assertText(
                "closed as peer_closed: the device said CLOSE 4000, after 120.0 s" + LAST,
                new Case().saying(4_000).closed(CloseReason.PEER_CLOSED, "the device said CLOSE 4000"));
    }

    @Test
    void closed_claimOfAStranger_isToldAsAClaim() {
        assertText(
                "closed as unauthorized: wrong token, after 10.0 s; it claimed to be d1?; no frame ever came",
                new Case().handshake().claiming("d1\u2028").closed(CloseReason.UNAUTHORIZED, "wrong token"));
    }

    @Test
    void cause_fromOutside_isMadeHarmless() {
        String text = new Case()
                .closed(CloseReason.ADMIN_CLOSED, "a\r\nERROR forged\u0000\u2028\u0085" + "x".repeat(1_000))
                .text();
        assertFalse(text.chars().anyMatch(Character::isISOControl), text);
        assertTrue(text.startsWith("closed as admin_closed: a??ERROR forged???xxx"), text);
        assertTrue(text.contains("xxx..., after"), text);
        assertTrue(text.length() < 400, text);
    }

    // ------------------------------------------------------------------ open

    @Test
    void open_heartbeat_tellsWhatWouldCloseItAndWhen() {
        assertText(
                "open for 120.0 s; would be closed in 12.3 s by heartbeat 60 s (the nearest allowed to what the device asked) x 1.5"
                        + LAST + "; probe at 60.1 s not answered yet",
                new Case()
                        .limit(DeadlineKind.HEARTBEAT, DeadlineOrigin.CLAMPED, 90_000, 12_300)
                        .asked(29_900, null));
    }

    @Test
    void open_nothingRuns_saysSo() {
        assertText("open for 3.5 h; no deadline runs" + LAST, new Case().open(12_600_000));
    }

    @Test
    void open_age_isSentAwayNotClosed() {
        String text = new Case()
                .limit(DeadlineKind.AGE, DeadlineOrigin.CONFIGURED, 604_800_000, 900_000)
                .text();
        assertTrue(text.startsWith("open for 120.0 s; would be sent away in 15.0 min by age 7 d (configured); "), text);
    }

    @Test
    void open_overdueSuspect_isHeldBackAndCredited() {
        assertText(
                "open for 120.0 s; is to be closed since 0.1 s by heartbeat 60 s (default) x 1.5" + LAST
                        + "; deadline moved by 0.4 s for stalls of the gateway; held back by the breaker",
                new Case()
                        .limit(DeadlineKind.HEARTBEAT, DeadlineOrigin.DEFAULT, 90_000, -50)
                        .timing(0, 400, true));
    }

    // ------------------------------------------------------------------ habits

    @Test
    void numbers_inAnyLocale_areWrittenAlike() {
        String here = silent().text();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        assertText(here, silent());
        Locale.setDefault(Locale.GERMANY);
        assertText(here, silent());
    }

    @Test
    void timeout_eachMagnitude_isInTheUnitItWasSetIn() {
        long[] millis = {250, 1_500, 60_000, 90_000, 120_000, 600_000, 5_400_000, 86_400_000, 604_800_000};
        String[] said = {"250 ms", "1.5 s", "60 s", "90 s", "2 min", "10 min", "90 min", "24 h", "7 d"};
        for (int i = 0; i < millis.length; i++) {
            String text = new Case()
                    .limit(DeadlineKind.READER_IDLE, DeadlineOrigin.DEFAULT, millis[i], 0)
                    .text();
            assertTrue(text.contains("by reader-idle " + said[i] + " (default)"), text);
        }
    }

    private static Path kernel(int retransmits, int unacked, long lastAckMillisAgo) {
        return kernel(retransmits, unacked, 0, lastAckMillisAgo);
    }

    private static Path kernel(int retransmits, int unacked, int unsentBytes, long lastAckMillisAgo) {
        return new Path(40_000, 2_000, retransmits, 5, unacked, unsentBytes, 90_000, lastAckMillisAgo, 4_711);
    }
}
