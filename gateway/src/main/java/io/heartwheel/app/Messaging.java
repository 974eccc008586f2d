package io.heartwheel.app;

import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.StoredMessages;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.push.schedule.DatabaseRows;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleSettings;
import io.heartwheel.push.schedule.ScheduleSpec;
import io.heartwheel.push.schedule.ScheduleTarget;
import io.heartwheel.push.schedule.Schedules;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.store.Database;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Messages to devices, with all that belongs to them: pushes, and where they are kept. Opened and closed with the gateway. */
final class Messaging {
    private static final String FILE = "messages.db";

    private final Pushes pushes;
    private final Schedules schedules;

    /**
     * @param parts whoever closes what is opened here
     * @throws IOException if the database cannot be opened
     */
    Messaging(
            OpenParts parts,
            PushSettings settings,
            ScheduleSettings limits,
            SessionRegistry registry,
            TimingWheel wheel,
            ThreadSupervisor threads)
            throws IOException {
        Database database = open(parts, settings.stored(), threads);
        Timers timers =
                new Timers(wheel, System::nanoTime, Timers.ON_WHEEL_THREAD, Integer.MAX_VALUE, TimerObserver.NONE);
        pushes = new Pushes(registry, timers, System::nanoTime, Messaging::wallMicros, settings);
        TaskThread thread = parts.add("thread of schedules", new TaskThread(threads.watch("heartwheel-schedules")));
        schedules = parts.add(
                "schedules",
                new Schedules(
                        wheel,
                        System::nanoTime,
                        System::currentTimeMillis,
                        database == null ? new MemoryRows() : new DatabaseRows(database),
                        ScheduleTarget.of(pushes, Messaging::toMany),
                        thread,
                        ScheduleLimits.of(limits, settings)));
        try {
            schedules.start().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException unread ? unread : new IOException(e.getMessage(), e);
        }
    }

    /** There is nobody yet who sends one message to many. */
    private static CompletionStage<RunResult> toMany(ScheduleSpec spec, long messageId, byte[] payload) {
        return CompletableFuture.completedFuture(RunResult.REFUSED);
    }

    private static @Nullable Database open(OpenParts parts, StoredSettings stored, ThreadSupervisor threads)
            throws IOException {
        if (!stored.isUsed()) {
            return null;
        }
        Database database = Database.open(
                stored.directory(),
                FILE,
                stored.forced(),
                List.of(StoredMessages.TABLES + ";" + DatabaseRows.TABLES),
                threads.watch("heartwheel-messages"));
        return parts.add("messages", database);
    }

    /** Messages that wait for an acknowledgement. */
    Pushes pushes() {
        return pushes;
    }

    /** Messages that are sent later, or again and again. */
    Schedules schedules() {
        return schedules;
    }

    /** Other limits for what comes. */
    void reconfigure(PushSettings fresh, ScheduleSettings limits) {
        pushes.reconfigure(fresh);
        schedules.reconfigure(ScheduleLimits.of(limits, fresh));
    }

    /** Microseconds since 1970. */
    static long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
