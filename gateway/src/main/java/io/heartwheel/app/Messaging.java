package io.heartwheel.app;

import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.StoredMessages;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.store.Database;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages to devices, with all that belongs to them: pushes, and where they are kept. Opened and closed with the gateway. */
final class Messaging {
    private static final String FILE = "messages.db";

    private final Pushes pushes;

    /**
     * @param parts whoever closes what is opened here
     * @throws IOException if the database cannot be opened
     */
    Messaging(
            OpenParts parts,
            PushSettings settings,
            SessionRegistry registry,
            TimingWheel wheel,
            ThreadSupervisor threads)
            throws IOException {
        Timers timers =
                new Timers(wheel, System::nanoTime, Timers.ON_WHEEL_THREAD, Integer.MAX_VALUE, TimerObserver.NONE);
        Database database = open(parts, settings.stored(), threads);
        StoredMessages stored = database == null ? null : StoredMessages.open(database, timers, Messaging::wallMicros);
        pushes = new Pushes(registry, timers, System::nanoTime, Messaging::wallMicros, settings, stored);
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
                List.of(StoredMessages.TABLES),
                threads.watch("heartwheel-messages"));
        return parts.add("messages", database);
    }

    /** Messages that wait for an acknowledgement. */
    Pushes pushes() {
        return pushes;
    }

    /** Other limits for what comes. */
    void reconfigure(PushSettings fresh) {
        pushes.reconfigure(fresh);
    }

    /** Microseconds since 1970. */
    static long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
