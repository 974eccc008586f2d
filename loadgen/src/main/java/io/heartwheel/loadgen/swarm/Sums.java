package io.heartwheel.loadgen.swarm;

import io.heartwheel.loadgen.fleet.Evidence;
import io.heartwheel.loadgen.fleet.Part;
import io.heartwheel.loadgen.fleet.Reading;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What many players say as what one would. Pure functions. */
final class Sums {

    /** Pieces of evidence of a kind that are kept of all players together: those seen first. */
    static final int MOST_OF_A_KIND = 20;

    private Sums() {}

    /** Looks of one instant; of none, nothing. */
    static Reading ofReadings(List<Reading> readings) {
        return new Reading(
                readings.stream().mapToLong(Reading::elapsedNanos).max().orElse(0),
                ofPages(readings.stream().map(Reading::ledger).toList()),
                ofUsages(readings.stream().map(Reading::usage).toList()),
                readings.stream().flatMap(reading -> reading.lost().stream()).toList());
    }

    /** All that each saw; of none, nothing. */
    static Part ofParts(List<Part> parts) {
        return new Part(
                ofPages(parts.stream().map(Part::ledger).toList()),
                evidence(parts),
                parts.stream().mapToLong(Part::grantedLeastMillis).min().orElse(Long.MAX_VALUE),
                parts.stream().mapToLong(Part::grantedMostMillis).max().orElse(0),
                ofUsages(parts.stream().map(Part::atObserve).toList()),
                ofUsages(parts.stream().map(Part::atEnd).toList()),
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

    private static List<Evidence> evidence(List<Part> parts) {
        Map<Evidence.Kind, Integer> kept = new EnumMap<>(Evidence.Kind.class);
        List<Evidence> all = new ArrayList<>();
        parts.stream()
                .flatMap(part -> part.evidence().stream())
                .sorted(Comparator.comparingDouble(Evidence::atSeconds))
                .filter(evidence -> kept.merge(evidence.kind(), 1, Integer::sum) <= MOST_OF_A_KIND)
                .forEach(all::add);
        return all;
    }
}
