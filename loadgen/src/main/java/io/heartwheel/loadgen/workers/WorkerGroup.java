package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.PushReport;
import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.fleet.UplinkReport;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import io.heartwheel.loadgen.workers.WorkerRequest.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Group of workers that are asked as one: a request goes to all of them before the first reply is awaited, so a reply of
 * all takes as long as that of the slowest. A worker that fails or does not reply is given up: it is asked no more, the
 * others go on without it, and each later {@link RunReading} and {@link WorkerResult} names it, with its last words.
 *
 * <p>One thread, as for every {@link Worker}; {@link #hurry} may come from any.
 */
public final class WorkerGroup implements Worker {

    /** Pieces of evidence of a kind that are kept of all workers together: those seen first. */
    static final int MOST_OF_A_KIND = 20;

    private static final int MOST_TOLD = 5;
    private static final int MOST_WORDS = 600;

    private final List<RemoteWorker> workers;
    private final List<RemoteWorker> active;
    private final List<String> lost = new ArrayList<>();
    private long lostDevices;

    /** Takes workers over, at least one; they are closed with it. */
    WorkerGroup(List<RemoteWorker> workers) {
        this.workers = List.copyOf(workers);
        this.active = new ArrayList<>(workers);
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
        return sumOfReadings(all(WorkerRequest.of(Ask.LOOK), WorkerReply::reading));
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
    public void cameOut(UplinkReport report) {
        all(WorkerRequest.of(report));
    }

    @Override
    public WorkerResult finish() {
        return sumOfParts(all(WorkerRequest.of(Ask.FINISH), WorkerReply::part)).lacking(told(List.of()));
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
        ChildEnd.all(workers.stream().<Runnable>map(worker -> worker::close).toList());
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
                values.add(worker.answered(reply, what));
            } catch (IllegalStateException e) {
                giveUp(worker, String.valueOf(e.getMessage()));
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

    /** Snapshots of one instant; of none, nothing. */
    private RunReading sumOfReadings(List<RunReading> readings) {
        return new RunReading(
                readings.stream().mapToLong(RunReading::elapsedNanos).max().orElse(0),
                sumOfPages(readings.stream().map(RunReading::ledger).toList()),
                sumOfUsages(readings.stream().map(RunReading::usage).toList()),
                told(readings.stream()
                        .flatMap(reading -> reading.lost().stream())
                        .toList()));
    }

    /** All that each saw; of none, nothing. */
    static WorkerResult sumOfParts(List<WorkerResult> parts) {
        return new WorkerResult(
                sumOfPages(parts.stream().map(WorkerResult::ledger).toList()),
                evidence(parts),
                parts.stream().mapToLong(WorkerResult::grantedLeastMillis).min().orElse(Long.MAX_VALUE),
                parts.stream().mapToLong(WorkerResult::grantedMostMillis).max().orElse(0),
                sumOfUsages(parts.stream().map(WorkerResult::atObserve).toList()),
                sumOfUsages(parts.stream().map(WorkerResult::atEnd).toList()),
                parts.stream().flatMap(part -> part.lost().stream()).toList());
    }

    private static Ledger.Page sumOfPages(List<Ledger.Page> pages) {
        Ledger sum = new Ledger();
        pages.forEach(page -> page.addTo(sum));
        return sum.page();
    }

    /**
     * CPU adds up. Time spent collecting does not: it matters as a share of the time in which a process stood
     * still, and 50 processes that each stand still for 1 % of it are no worse than one. The worst process counts.
     */
    private static Usage sumOfUsages(List<Usage> usages) {
        return new Usage(
                usages.stream().mapToLong(Usage::atNanos).max().orElse(0),
                usages.stream().mapToLong(Usage::cpuNanos).sum(),
                usages.stream().mapToLong(Usage::collectorNanos).max().orElse(0));
    }

    private static List<GatewayFault> evidence(List<WorkerResult> parts) {
        Map<GatewayFault.Kind, Integer> kept = new EnumMap<>(GatewayFault.Kind.class);
        return parts.stream()
                .flatMap(part -> part.evidence().stream())
                .sorted(Comparator.comparingDouble(GatewayFault::atSeconds))
                .filter(evidence -> kept.merge(evidence.kind(), 1, Integer::sum) <= MOST_OF_A_KIND)
                .toList();
    }
}
