package io.heartwheel.push.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.VirtualGateway;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        return target.deliver(spec(kind, name, ack, false), ID, new byte[] {'x'})
                .toCompletableFuture();
    }

    private static ScheduleSpec spec(ScheduleSpec.Kind kind, String name, Push.Ack ack, boolean store) {
        return new ScheduleSpec(
                new ScheduleSpec.To(kind, name),
                ScheduleSpec.Start.AFTER,
                0,
                ScheduleSpec.Repeat.ONCE,
                0,
                1,
                ScheduleSpec.Missed.ONCE,
                ack,
                1_000,
                store,
                true);
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

    /** As when the gateway that has the device stands still: whether it keeps the message is not known. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deliver_nobodyKnowsWhatBecameOfIt_isTriedAgainIfItIsToBeKept(boolean store) {
        CompletableFuture<RunResult> run = ScheduleTarget.of(
                        push -> CompletableFuture.completedFuture(
                                PushResult.refused(Outcome.UNKNOWN, push.id(), "no answer in time")),
                        target,
                        () -> false)
                .deliver(spec(ScheduleSpec.Kind.DEVICE, "d", Push.Ack.DEVICE, store), ID, new byte[0])
                .toCompletableFuture();
        if (store) {
            assertTrue(ScheduleTarget.isRefusal(assertThrows(CompletionException.class, run::join)));
        } else {
            assertEquals(RunResult.EXPIRED, run.join());
        }
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
