package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.fleet.RunReading;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.WorkerResult;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Sums over workers. Pure functions. */
final class WorkerSums {

    /** Pieces of evidence of a kind that are kept of all workers together: those seen first. */
    static final int MOST_OF_A_KIND = 20;

    private WorkerSums() {}

    /** Looks of one instant; of none, nothing. */
    static RunReading ofReadings(List<RunReading> readings) {
        return new RunReading(
                readings.stream().mapToLong(RunReading::elapsedNanos).max().orElse(0),
                ofPages(readings.stream().map(RunReading::ledger).toList()),
                ofUsages(readings.stream().map(RunReading::usage).toList()),
                readings.stream().flatMap(reading -> reading.lost().stream()).toList());
    }

    /** All that each saw; of none, nothing. */
    static WorkerResult ofParts(List<WorkerResult> parts) {
        return new WorkerResult(
                ofPages(parts.stream().map(WorkerResult::ledger).toList()),
                evidence(parts),
                parts.stream().mapToLong(WorkerResult::grantedLeastMillis).min().orElse(Long.MAX_VALUE),
                parts.stream().mapToLong(WorkerResult::grantedMostMillis).max().orElse(0),
                ofUsages(parts.stream().map(WorkerResult::atObserve).toList()),
                ofUsages(parts.stream().map(WorkerResult::atEnd).toList()),
                parts.stream().flatMap(part -> part.lost().stream()).toList());
    }

    private static Ledger.Page ofPages(List<Ledger.Page> pages) {
        if (pages.size() == 1) {
            return pages.get(0);
        }
        Ledger sum = new Ledger();
        pages.forEach(page -> page.addTo(sum));
        return sum.page();
    }

    /**
     * CPU and memory add up. Time spent collecting does not: it matters as a share of the time in which a process stood
     * still, and 50 processes that each stand still for 1 % of it are no worse than one. The worst process counts.
     */
    static Usage ofUsages(List<Usage> usages) {
        return new Usage(
                usages.stream().mapToLong(Usage::atNanos).max().orElse(0),
                usages.stream().mapToLong(Usage::cpuNanos).sum(),
                usages.stream().mapToLong(Usage::collectorNanos).max().orElse(0),
                usages.stream().mapToLong(Usage::residentBytes).sum(),
                usages.stream().mapToLong(Usage::heapBytes).sum());
    }

    private static List<GatewayFault> evidence(List<WorkerResult> parts) {
        Map<GatewayFault.Kind, Integer> kept = new EnumMap<>(GatewayFault.Kind.class);
        List<GatewayFault> all = new ArrayList<>();
        parts.stream()
                .flatMap(part -> part.evidence().stream())
                .sorted(Comparator.comparingDouble(GatewayFault::atSeconds))
                .filter(evidence -> kept.merge(evidence.kind(), 1, Integer::sum) <= MOST_OF_A_KIND)
                .forEach(all::add);
        return all;
    }
}
