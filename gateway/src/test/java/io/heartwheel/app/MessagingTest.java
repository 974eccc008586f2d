package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult.Outcome;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.schedule.PutResult;
import io.heartwheel.push.schedule.ScheduleSettings;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.wheel.TimingWheel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Schedules, jobs and kept messages with one database, over a restart. */
@Timeout(60)
class MessagingTest {
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final PushSettings DEFAULTS = PushSettings.DEFAULTS;

    @TempDir
    private Path directory;

    private final TimingWheel wheel = new TimingWheel(1_000_000, 512, 1 << 12, System.nanoTime());

    private Messaging open(OpenParts parts, long storedBytes) throws Exception {
        StoredSettings stored =
                new StoredSettings(directory.resolve("messages"), false, Duration.ofDays(7), storedBytes);
        return new Messaging(
                parts,
                new PushSettings(
                        DEFAULTS.perDevice(),
                        DEFAULTS.bytesPerDevice(),
                        DEFAULTS.totalBytes(),
                        DEFAULTS.keepKeys(),
                        DEFAULTS.keysMaxBytes(),
                        stored),
                JobSettings.DEFAULTS,
                new ScheduleSettings(10),
                new VirtualGateway(0, LivenessSettings.defaults()).registry,
                null,
                wheel,
                new ThreadSupervisor((thread, problem) -> {}, () -> {}));
    }

    private static PutResult put(Messaging messaging, String key, ScheduleSpec.To to, long afterMillis, int bytes) {
        ScheduleSpec spec = new ScheduleSpec(
                to,
                ScheduleSpec.Start.AFTER,
                afterMillis,
                ScheduleSpec.Repeat.ONCE,
                0,
                1,
                ScheduleSpec.Missed.ONCE,
                Push.Ack.DEVICE,
                DAY_MILLIS,
                true,
                false);
        return messaging.schedules().put(key, spec, new byte[bytes]).join();
    }

    private void turnUntilOneIsLeft(Messaging messaging) {
        while (messaging.schedules().size() > 1) {
            wheel.advance(System.nanoTime(), 1_000);
            Thread.onSpinWait();
        }
    }

    @Test
    void schedule_toAGroupAndKept_isOnTheDiskForEachMemberAfterARestartToo() throws Exception {
        ScheduleSpec.To group = new ScheduleSpec.To(ScheduleSpec.Kind.GROUP, "g");
        long messageId;
        try (OpenParts parts = new OpenParts()) {
            Messaging messaging = open(parts, 1 << 20);
            messaging.members().add("g", "a").join();
            messaging.members().add("g", "b").join();
            messaging.members().add("h", "c").join();
            put(messaging, "later", new ScheduleSpec.To(ScheduleSpec.Kind.ALL, ""), DAY_MILLIS, 100);
            put(messaging, "now", group, 0, 10);
            turnUntilOneIsLeft(messaging);
            JobProgress job = messaging.jobs().list(null, 9).get(0);
            assertEquals(JobProgress.State.DONE, job.state());
            assertEquals(Map.of(Outcome.QUEUED, 2), job.outcomes());
            messageId = job.broadcast().messageId();
            assertTrue(messageId < 0, "the highest bit");
            assertEquals(2 * 522 + 100, messaging.pushes().storedBytes().get());
        }
        try (OpenParts parts = new OpenParts()) {
            Messaging messaging = open(parts, 2 * 522 + 100);
            assertEquals(List.of(), messaging.jobs().list(null, 9));
            assertEquals(1, messaging.schedules().size());
            assertEquals(2 * 522 + 100, messaging.pushes().storedBytes().get());
            assertEquals(
                    PutResult.Cause.FULL,
                    assertInstanceOf(PutResult.Refused.class, put(messaging, "new", group, DAY_MILLIS, 1))
                            .cause());
            assertTrue(messaging
                    .pushes()
                    .cancel("a", messageId, true)
                    .toCompletableFuture()
                    .join());
            assertEquals(1, messaging.pushes().stored());
            assertInstanceOf(PutResult.Stored.class, put(messaging, "new", group, DAY_MILLIS, 1));
        }
    }
}
