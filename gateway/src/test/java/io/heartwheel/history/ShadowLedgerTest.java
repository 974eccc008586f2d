package io.heartwheel.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.event.DeadlineKind;
import io.heartwheel.history.ShadowLedger.Count;
import io.heartwheel.history.ShadowLedger.Spoke;
import io.heartwheel.liveness.LivenessObserver.ShadowOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShadowLedgerTest {
    private static final long SECOND = 1_000_000_000L;

    private final ShadowLedger ledger = new ShadowLedger(() -> 77);

    private void settle(DeadlineKind kind, ShadowOutcome outcome, Duration after, String device) {
        ledger.shadowed(kind);
        ledger.shadowSettled(kind, outcome, after.toNanos(), device);
    }

    @Test
    void of_eachOutcome_isCountedUnderItsDeadline() {
        settle(DeadlineKind.HEARTBEAT, ShadowOutcome.CLOSED, Duration.ofSeconds(10), "a");
        settle(DeadlineKind.HEARTBEAT, ShadowOutcome.CLOSED, Duration.ofSeconds(20), "b");
        settle(DeadlineKind.HEARTBEAT, ShadowOutcome.LEFT, Duration.ofSeconds(1), "c");
        settle(DeadlineKind.READ_PROGRESS, ShadowOutcome.SPOKE, Duration.ofSeconds(2), "d");
        ledger.shadowed(DeadlineKind.READ_PROGRESS);

        Count beat = ledger.of(DeadlineKind.HEARTBEAT);
        assertEquals(new Count(3, 0, 2, 1, 30 * SECOND), beat);
        assertEquals(15_000, beat.meanSoonerMillis());
        assertEquals(0, beat.waiting());
        assertEquals(1, ledger.of(DeadlineKind.READ_PROGRESS).waiting());
        assertEquals(new Count(5, 1, 2, 1, 30 * SECOND), ledger.all());
        assertEquals(0, ledger.of(DeadlineKind.HANDSHAKE).meanSoonerMillis());
    }

    @Test
    void latest_manyThatSpoke_areTheNewestTwenty() {
        for (int i = 0; i < 50; i++) {
            settle(DeadlineKind.HEARTBEAT, ShadowOutcome.SPOKE, Duration.ofSeconds(50 - i), "d" + i);
        }
        List<Spoke> latest = ledger.latest();
        assertEquals(ShadowLedger.KEPT, latest.size());
        assertEquals(new Spoke("d49", DeadlineKind.HEARTBEAT, SECOND, 77), latest.get(0));
        assertEquals("d30", latest.get(19).deviceId());
        assertEquals(50 * SECOND, ledger.longestNanosAfter());
    }
}
