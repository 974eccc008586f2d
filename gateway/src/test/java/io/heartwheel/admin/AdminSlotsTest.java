package io.heartwheel.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.metrics.GatewayMetrics;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Places at the admin listener when there are fewer than callers. Time starts before zero and crosses it. */
class AdminSlotsTest {
    private static final int MOST = 3;

    private long nowNanos = -AdminSlots.FAIR_NANOS / 2;
    private final GatewayMetrics metrics = new GatewayMetrics("0", "epoll");
    private final AdminSlots slots = new AdminSlots(metrics.admin(), () -> nowNanos);
    private final List<EmbeddedChannel> channels = new ArrayList<>();

    /** A caller that has come, with a place or not. */
    private final class Caller {
        final EmbeddedChannel channel = new EmbeddedChannel();
        final ConnectionClock clock = new ConnectionClock(slots, channel);
        final boolean placed = slots.enter(clock, MOST);

        Caller() {
            channels.add(channel);
            if (placed) {
                channel.pipeline().addLast(clock);
            }
        }

        boolean isThere() {
            channel.runPendingTasks();
            return channel.isOpen();
        }
    }

    @AfterEach
    void finish() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    private static Caller answered(Caller caller) {
        caller.clock.answering();
        return caller;
    }

    @Test
    void enter_allTakenByUnfinished_theOldestGoes() {
        Caller first = new Caller();
        Caller second = new Caller();
        Caller third = new Caller();
        Caller fourth = new Caller();
        assertTrue(fourth.placed);
        assertFalse(first.isThere());
        assertTrue(second.isThere() && third.isThere() && fourth.isThere());
    }

    @Test
    void enter_oneUnfinishedAmongIdle_theUnfinishedGoes() {
        Caller idle = answered(new Caller());
        idle.clock.awaiting();
        Caller busy = answered(new Caller());
        Caller unfinished = new Caller();
        new Caller();
        assertFalse(unfinished.isThere());
        assertTrue(idle.isThere() && busy.isThere());
    }

    @Test
    void enter_noneUnfinished_theLongestIdleGoes() {
        Caller later = answered(new Caller());
        Caller idle = answered(new Caller());
        idle.clock.awaiting();
        later.clock.awaiting();
        answered(new Caller());
        answered(new Caller());
        assertFalse(idle.isThere());
        assertTrue(later.isThere());
    }

    @Test
    void enter_allBeingAnswered_isTurnedAwayForASecond() {
        Caller first = answered(new Caller());
        answered(new Caller());
        answered(new Caller());
        nowNanos += AdminSlots.FAIR_NANOS - 1;
        assertFalse(new Caller().placed);
        assertTrue(first.isThere());
        nowNanos++;
        assertTrue(new Caller().placed);
        assertFalse(first.isThere());
    }

    /** Its whole request came between the loss of its place and its loop's turn: it gets its answer, not a silent end. */
    @Test
    void enter_theUnfinishedHasJustAsked_isAnsweredBeforeItGoes() {
        Caller first = new Caller();
        new Caller();
        new Caller();
        new Caller();
        answered(first);
        assertTrue(first.isThere());
        first.clock.awaiting();
        assertFalse(first.isThere());
    }

    @Test
    void leave_givenUpAndClosed_countsOnce() {
        Caller first = new Caller();
        List<Caller> more = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            more.add(new Caller());
        }
        slots.leave(first.clock);
        assertEquals(MOST, more.stream().filter(Caller::isThere).count());
        assertMetric(MOST, "heartwheel_admin_connections");
        more.forEach(caller -> slots.leave(caller.clock));
        assertMetric(0, "heartwheel_admin_connections");
        assertMetric(8, "heartwheel_admin_refusals_total");
    }

    private void assertMetric(int expected, String name) {
        String page = new String(metrics.render(null).body(), StandardCharsets.UTF_8);
        assertTrue(page.contains("\n" + name + " " + expected + ".0\n"), page);
    }
}
