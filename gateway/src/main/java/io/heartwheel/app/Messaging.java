package io.heartwheel.app;

import io.heartwheel.admin.FleetApi;
import io.heartwheel.admin.FleetJobs;
import io.heartwheel.admin.FleetMembers;
import io.heartwheel.admin.FleetPushes;
import io.heartwheel.admin.FleetRows;
import io.heartwheel.admin.FleetSchedules;
import io.heartwheel.admin.GroupPorts;
import io.heartwheel.cluster.directory.Cluster;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.liveness.ThreadProgress;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.StoredMessages;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.push.group.Broadcast;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobProgress;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.push.schedule.DatabaseRows;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.ScheduleRows;
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
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Messages to devices, with all that belongs to them: pushes, and where they are kept. Opened and closed with the gateway. */
final class Messaging {
    private static final String FILE = "messages.db";
    /** Members are looked for in the fleet every 10 s. */
    private static final int SWEEPS_A_REFRESH = 10;

    private final Pushes pushes;
    private final GroupMembers members;
    private final Jobs jobs;
    /** Null: this gateway is alone. */
    private final @Nullable FleetJobs fleetJobs;

    private int sweeps;

    private final Schedules schedules;
    /** Null: this gateway is alone. */
    private final @Nullable FleetSchedules fleetSchedules;

    private volatile BooleanSupplier shutForGood = () -> false;

    /**
     * @param parts whoever closes what is opened here
     * @param cluster null: this gateway is alone
     * @throws IOException if the database cannot be opened
     */
    Messaging(
            OpenParts parts,
            PushSettings settings,
            JobSettings limits,
            ScheduleSettings later,
            SessionRegistry registry,
            @Nullable Cluster cluster,
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
                parts.add("thread of jobs", new TaskThread(new ThreadProgress("heartwheel-jobs"))),
                System::nanoTime,
                System::currentTimeMillis,
                limits);
        Fleet fleet = cluster == null ? null : cluster.fleet();
        FleetPushes anywhere = fleet == null ? null : FleetApi.pushes(fleet, registry, pushes, System::nanoTime);
        fleetJobs = fleet == null || anywhere == null
                ? null
                : new FleetJobs(fleet, jobs, anywhere, new FleetMembers(fleet, members));
        TaskThread thread = parts.add("thread of schedules", new TaskThread(threads.watch("heartwheel-schedules")));
        ScheduleRows alone = database == null ? new MemoryRows() : new DatabaseRows(database);
        FleetRows rows = fleet == null ? null : new FleetRows(fleet, thread, ScheduleLimits.of(later, settings));
        schedules = parts.add(
                "schedules",
                new Schedules(
                        wheel,
                        System::nanoTime,
                        System::currentTimeMillis,
                        rows == null ? alone : rows,
                        ScheduleTarget.of(
                                anywhere == null ? pushes::send : anywhere::send, this::toMany, this::isShutForGood),
                        thread,
                        rows == null ? pushes.storedBytes() : new AtomicLong(), // those of a fleet are not on this disk
                        ScheduleLimits.of(later, settings)));
        fleetSchedules =
                fleet == null || rows == null ? null : new FleetSchedules(fleet, rows, schedules, thread, alone);
        try {
            schedules.start().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException unread ? unread : new IOException(e.getMessage(), e);
        }
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

    /** How the job goes, the job tells; with {@code store} the run is over when all is on the disk. */
    private CompletionStage<RunResult> toMany(ScheduleSpec spec, long messageId, byte[] payload) {
        Broadcast broadcast = new Broadcast(
                messageId,
                spec.to().kind() == ScheduleSpec.Kind.ALL ? null : spec.to().name(),
                spec.text(),
                payload,
                spec.ack(),
                TimeUnit.MILLISECONDS.toNanos(spec.timeoutMillis()),
                spec.store(),
                0);
        CompletableFuture<RunResult> started = new CompletableFuture<>();
        try {
            Consumer<JobProgress> whenOver = over -> started.complete(RunResult.STARTED);
            if (fleetJobs == null) {
                jobs.start(broadcast, whenOver);
            } else {
                fleetJobs.start(broadcast, whenOver);
            }
        } catch (RejectedExecutionException tooMany) {
            return CompletableFuture.failedFuture(tooMany);
        }
        return spec.store() ? started : CompletableFuture.completedFuture(RunResult.STARTED);
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
                List.of(StoredMessages.TABLES + ";" + GroupMembers.TABLES + ";" + DatabaseRows.TABLES),
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

    /**
     * All of these, for the API.
     *
     * @param maxAge how long a message is kept on the disk at most
     */
    GroupPorts groups(Supplier<Duration> maxAge) {
        return new GroupPorts(members, jobs, maxAge, fleetJobs);
    }

    /** Messages that are sent later, or again and again. */
    Schedules schedules() {
        return schedules;
    }

    private boolean isShutForGood() {
        return shutForGood.getAsBoolean();
    }

    /** Tells when the process ends and takes no device any more: a run that does not find its device is due later then. Before the wheel turns; any thread asks. */
    void endsWhen(BooleanSupplier isShutForGood) {
        shutForGood = isShutForGood;
    }

    /** No schedule begins a run any more: what is due from now on, is due after the next start, or at another gateway. */
    void endSchedules() {
        schedules.close();
        if (fleetSchedules != null) {
            fleetSchedules.close();
        }
    }

    /** To be called about once a second. One thread. */
    void sweep() {
        pushes.sweep();
        jobs.sweep();
        if (fleetJobs != null && sweeps++ % SWEEPS_A_REFRESH == 0) {
            fleetJobs.members().refresh();
        }
        if (fleetSchedules != null) {
            fleetSchedules.turn();
        }
    }

    /** Other limits for what comes. */
    void reconfigure(PushSettings fresh, JobSettings limits, ScheduleSettings later) {
        pushes.reconfigure(fresh);
        jobs.reconfigure(limits);
        ScheduleLimits now = ScheduleLimits.of(later, fresh);
        schedules.reconfigure(now);
        if (fleetSchedules != null) {
            fleetSchedules.reconfigure(now);
        }
    }

    /** Microseconds since 1970. */
    static long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
