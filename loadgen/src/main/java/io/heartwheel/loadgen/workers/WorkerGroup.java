package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.workers.WorkerRequest.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Group of workers that are asked as one: a request goes to all of them before the first reply is awaited, so an reply of
 * all takes as long as that of the slowest. A worker that fails or does not reply is given up: it is asked no more, the
 * others go on without it, and each later {@link RunReading} and {@link WorkerResult} names it, with its last words.
 *
 * <p>One thread, as for every {@link Worker}; {@link #hurry} may come from any.
 */
public final class WorkerGroup implements Worker {

    private static final int MOST_TOLD = 5;
    private static final int MOST_WORDS = 600;
    private static final int CLOSING_AT_ONCE = 64;

    private final List<RemoteWorker> workers;
    private final List<RemoteWorker> active;
    private final List<String> lost = new ArrayList<>();
    private long lostDevices;

    /** Takes workers over; they are closed with it. At least one. */
    public WorkerGroup(List<RemoteWorker> workers) {
        this.workers = List.copyOf(workers);
        this.active = new ArrayList<>(workers);
        if (workers.isEmpty()) {
            throw new IllegalArgumentException("players = none: need at least one");
        }
    }

    /** How many there are. */
    public int size() {
        return workers.size();
    }

    /** Processes on this machine among them, for reading their memory. */
    public List<Long> pids() {
        return workers.stream()
                .map(RemoteWorker::pid)
                .filter(OptionalLong::isPresent)
                .map(OptionalLong::getAsLong)
                .toList();
    }

    /** From now on all have less time: so much for what they were asked, and so much for each further request. Any thread. */
    public void hurry(Duration asked, Duration further) {
        workers.forEach(worker -> worker.hurry(asked, further));
    }

    @Override
    public void begin() {
        all(WorkerRequest.of(Ask.BEGIN));
    }

    @Override
    public RunReading snapshot() {
        List<RunReading> readings = all(WorkerRequest.of(Ask.LOOK), WorkerReply::reading);
        RunReading sum = WorkerSums.ofReadings(readings);
        return new RunReading(sum.elapsedNanos(), sum.ledger(), sum.usage(), told(sum.lost()));
    }

    @Override
    public void observe() {
        all(WorkerRequest.of(Ask.OBSERVE));
    }

    @Override
    public void act(int step) {
        all(WorkerRequest.of(step));
    }

    @Override
    public void pushed(PushReport report) {
        all(WorkerRequest.of(report));
    }

    @Override
    public WorkerResult finish() {
        WorkerResult sum = WorkerSums.ofParts(all(WorkerRequest.of(Ask.FINISH), WorkerReply::part));
        return sum.lacking(told(List.of()));
    }

    @Override
    public void dismiss() {
        all(WorkerRequest.of(Ask.DISMISS));
    }

    @Override
    public long present() {
        return all(WorkerRequest.of(Ask.PRESENT), WorkerReply::present).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    /** Closes all at the same time. Never throws; idempotent. */
    @Override
    public void close() {
        ExecutorService closing = Executors.newFixedThreadPool(Math.min(workers.size(), CLOSING_AT_ONCE));
        CompletableFuture<?>[] ends = workers.stream()
                .map(worker -> CompletableFuture.runAsync(worker::close, closing))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(ends).join();
        closing.shutdown();
    }

    private void all(WorkerRequest request) {
        all(request, reply -> reply);
    }

    private <T> List<T> all(WorkerRequest request, Function<WorkerReply, @Nullable T> what) {
        Map<RemoteWorker, CompletableFuture<WorkerReply>> pending = new LinkedHashMap<>();
        for (RemoteWorker worker : active) {
            pending.put(worker, worker.ask(request));
        }
        List<T> values = new ArrayList<>(pending.size());
        pending.forEach((worker, reply) -> {
            try {
                T value = what.apply(reply.join());
                if (value == null) {
                    giveUp(worker, worker.name() + ": its answer lacks what was asked for");
                } else {
                    values.add(value);
                }
            } catch (CompletionException e) {
                giveUp(worker, String.valueOf((e.getCause() == null ? e : e.getCause()).getMessage()));
            }
        });
        return values;
    }

    private void giveUp(RemoteWorker worker, String why) {
        active.remove(worker);
        lostDevices += worker.devices();
        lost.add(why.length() > MOST_WORDS ? why.substring(0, MOST_WORDS) + " ..." : why);
    }

    /** What was lost, by those here and by the workers themselves. */
    private List<String> told(List<String> others) {
        List<String> all = new ArrayList<>(lost.subList(0, Math.min(MOST_TOLD, lost.size())));
        if (lost.size() > MOST_TOLD) {
            all.add("and " + (lost.size() - MOST_TOLD) + " more of " + workers.size());
        }
        if (!lost.isEmpty()) {
            all.add(String.format(
                    Locale.ROOT, "%,d devices were given up with them; all below is what the others saw", lostDevices));
        }
        all.addAll(others);
        return all;
    }
}
