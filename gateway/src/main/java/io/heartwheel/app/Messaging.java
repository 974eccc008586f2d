package io.heartwheel.app;

import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.StoredMessages;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.store.Database;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Messages to devices, with all that belongs to them: pushes, and where they are kept. Opened and closed with the gateway. */
final class Messaging {
    private static final String FILE = "messages.db";
    private static final long JOBS_IDLE_SECONDS = 10;

    private final Pushes pushes;
    private final GroupMembers members;
    private final Jobs jobs;

    /**
     * @param parts whoever closes what is opened here
     * @throws IOException if the database cannot be opened
     */
    Messaging(
            OpenParts parts,
            PushSettings settings,
            JobSettings limits,
            SessionRegistry registry,
            TimingWheel wheel,
            ThreadSupervisor threads)
            throws IOException {
        Timers timers =
                new Timers(wheel, System::nanoTime, Timers.ON_WHEEL_THREAD, Integer.MAX_VALUE, TimerObserver.NONE);
        Database database = open(parts, settings.stored(), threads);
        StoredMessages stored = database == null ? null : StoredMessages.open(database, timers, Messaging::wallMicros);
        pushes = new Pushes(registry, timers, System::nanoTime, Messaging::wallMicros, settings, stored);
        members = openMembers(registry, database, limits);
        jobs = new Jobs(
                members,
                registry,
                pushes,
                timers,
                jobsThread(parts),
                System::nanoTime,
                System::currentTimeMillis,
                limits);
    }

    private static GroupMembers openMembers(SessionRegistry registry, @Nullable Database database, JobSettings limits)
            throws IOException {
        try {
            return new GroupMembers(registry, database, limits.members());
        } catch (CompletionException failure) {
            if (failure.getCause() instanceof IOException unread) {
                throw unread;
            }
            throw failure;
        }
    }

    /** It ends while there is nothing to do. */
    private static Executor jobsThread(OpenParts parts) {
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, JOBS_IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "heartwheel-jobs");
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        parts.atTheEnd("jobs", one::shutdownNow);
        return one;
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
                List.of(StoredMessages.TABLES + ";" + GroupMembers.TABLES),
                threads.watch("heartwheel-messages"));
        return parts.add("messages", database);
    }

    /** Messages that wait for an acknowledgement. */
    Pushes pushes() {
        return pushes;
    }

    /** Members of groups. */
    GroupMembers members() {
        return members;
    }

    /** Messages to many devices. */
    Jobs jobs() {
        return jobs;
    }

    /** Other limits for what comes. */
    void reconfigure(PushSettings fresh, JobSettings limits) {
        pushes.reconfigure(fresh);
        jobs.reconfigure(limits);
    }

    /** Microseconds since 1970. */
    static long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
