package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Messages of schedules, to one device and to many. */
class ScheduleTargetTest {
    private static final long ID = Long.MIN_VALUE | 7;

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final CompletableFuture<RunResult> job = new CompletableFuture<>();
    private ScheduleSpec toMany;
    private boolean shutForGood;
    private final ScheduleTarget target = ScheduleTarget.of(
            gateway.pushes::send,
            (spec, id, payload) -> {
                toMany = spec;
                return job;
            },
            () -> shutForGood);

    private CompletableFuture<RunResult> deliver(ScheduleSpec.Kind kind, String name, Push.Ack ack) {
        ScheduleSpec spec = new ScheduleSpec(
                new ScheduleSpec.To(kind, name),
                ScheduleSpec.Start.AFTER,
                0,
                ScheduleSpec.Repeat.ONCE,
                0,
                1,
                ScheduleSpec.Missed.ONCE,
                ack,
                1_000,
                false,
                true);
        return target.deliver(spec, ID, new byte[] {'x'}).toCompletableFuture();
    }

    @Test
    void deliver_toADevice_isAPush() {
        assertEquals(
                RunResult.OFFLINE,
                deliver(ScheduleSpec.Kind.DEVICE, "d", Push.Ack.SENT).join());
        FakeSession device = new FakeSession(gateway.sessionContext).accept(1).hello("d", "");
        CompletableFuture<RunResult> run = deliver(ScheduleSpec.Kind.DEVICE, "d", Push.Ack.DEVICE);
        assertFalse(run.isDone());
        FakeSession.Data data = device.data.get(0);
        assertEquals(ID, data.messageId());
        assertArrayEquals(new byte[] {'x'}, data.payload());
        device.ack(ID, true);
        assertEquals(RunResult.DELIVERED, run.join());
    }

    @Test
    void deliver_toADeviceThatWasSentAway_isTriedAgain() {
        shutForGood = true;
        CompletableFuture<RunResult> run = deliver(ScheduleSpec.Kind.DEVICE, "d", Push.Ack.SENT);
        assertTrue(ScheduleTarget.isRefusal(assertThrows(CompletionException.class, run::join)));
        new FakeSession(gateway.sessionContext).accept(1).hello("d", "");
        assertEquals(
                RunResult.SENT,
                deliver(ScheduleSpec.Kind.DEVICE, "d", Push.Ack.SENT).join());
    }

    @Test
    void deliver_toMany_isOverWhenTheySaySo() {
        CompletableFuture<RunResult> run = deliver(ScheduleSpec.Kind.GROUP, "g", Push.Ack.SENT);
        assertEquals("g", toMany.to().name());
        assertFalse(run.isDone());
        job.complete(RunResult.STARTED);
        assertEquals(RunResult.STARTED, run.join());
    }

    @Test
    void result_messageIsStoredUnderItsIdAlready_isQueued() {
        assertEquals(RunResult.QUEUED, RunResult.of(Outcome.ID_IN_USE, true));
        assertEquals(RunResult.REFUSED, RunResult.of(Outcome.ID_IN_USE, false));
    }
}
