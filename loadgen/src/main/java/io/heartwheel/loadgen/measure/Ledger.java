package io.heartwheel.loadgen.measure;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts, histograms and small tables of one owner; added up over loops, processes and machines. One thread at a time;
 * counting costs an array access and allocates nothing.
 */
public final class Ledger implements Figures {

    /** Rows of a table beyond which further names are counted under {@link #OTHERS}. */
    public static final int MOST_ROWS = 32;
    /** The same of a table whose name begins with {@link #MESSAGES}: of each message there is one row. */
    public static final int MOST_MESSAGES = 10_000;

    /** Begins the names of tables of messages. */
    public static final String MESSAGES = "messages ";
    /** The row of what found no row. */
    public static final String OTHERS = "others";

    private static final Count[] COUNTS = Count.values();
    private static final Timing[] TIMINGS = Timing.values();

    private final long[] counts = new long[COUNTS.length];
    private final Latencies[] timings = new Latencies[TIMINGS.length];
    private final Map<String, Map<String, Long>> tables = new TreeMap<>();

    /** An empty ledger, some 100 KiB once it is used. */
    public Ledger() {
        for (Timing timing : TIMINGS) {
            timings[timing.ordinal()] = timing.latencies();
        }
    }

    /** Counts one. */
    public void count(Count what) {
        counts[what.ordinal()]++;
    }

    /** Counts several. */
    public void count(Count what, long many) {
        counts[what.ordinal()] += many;
    }

    /** How many so far. */
    @Override
    public long of(Count what) {
        return counts[what.ordinal()];
    }

    /** Notes a duration, nanoseconds. */
    public void time(Timing what, long nanos) {
        timings[what.ordinal()].record(nanos);
    }

    /** The histogram itself. */
    public Latencies of(Timing what) {
        return timings[what.ordinal()];
    }

    /** Counts one in a row of a table; for what is rare. */
    public void row(String table, String name, long many) {
        Map<String, Long> rows = tables.computeIfAbsent(table, key -> new TreeMap<>());
        int most = table.startsWith(MESSAGES) ? MOST_MESSAGES : MOST_ROWS;
        rows.merge(rows.size() < most || rows.containsKey(name) ? name : OTHERS, many, Long::sum);
    }

    /** Counts one, with a row of a table, when it is so; answers whether. For what is rare. */
    public boolean countIf(boolean when, Count what, String table, String name) {
        if (when) {
            count(what);
            row(table, name, 1);
        }
        return when;
    }

    @Override
    public Latencies.Summary summary(Timing what) {
        return of(what).summary();
    }

    /** A table's rows by name; empty when nothing was counted. */
    public Map<String, Long> table(String table) {
        return tables.getOrDefault(table, Map.of());
    }

    /** All tables. */
    public Map<String, Map<String, Long>> tables() {
        return tables;
    }

    /** Adds all that another owner has. */
    public void add(Ledger other) {
        addCounts(other);
        addTimings(other);
    }

    /** Adds the histograms alone. */
    public void addTimings(Ledger other) {
        for (int i = 0; i < timings.length; i++) {
            timings[i].add(other.timings[i]);
        }
    }

    /** Adds the counts and tables alone. */
    public void addCounts(Ledger other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        other.tables.forEach((table, rows) -> rows.forEach((name, many) -> row(table, name, many)));
    }

    /** Forgets the histograms, not the counts: for what is asked by the second. */
    public void resetTimings() {
        for (Latencies latencies : timings) {
            latencies.reset();
        }
    }

    /** As a value that can be written as JSON and read back. */
    public Page page() {
        Map<String, Long> numbers = new TreeMap<>();
        for (Count what : COUNTS) {
            if (of(what) != 0) {
                numbers.put(what.label(), of(what));
            }
        }
        Map<String, String> histograms = new TreeMap<>();
        for (Timing what : TIMINGS) {
            if (of(what).count() > 0) {
                histograms.put(what.label(), of(what).encoded());
            }
        }
        Map<String, Map<String, Long>> copies = new TreeMap<>();
        tables.forEach((table, rows) -> copies.put(table, new TreeMap<>(rows)));
        return new Page(numbers, histograms, copies);
    }

    /**
     * A ledger as plain values.
     *
     * @param counts by {@link Count#label}, those that are not 0
     * @param timings HdrHistogram's compressed encoding in Base64, by {@link Timing#label}
     * @param tables as {@link Ledger#tables}
     */
    public record Page(Map<String, Long> counts, Map<String, String> timings, Map<String, Map<String, Long>> tables) {

        /**
         * Adds it to a ledger; names this version does not know are left out.
         *
         * @throws IllegalArgumentException when a histogram is none
         */
        public void addTo(Ledger sum) {
            for (Count what : COUNTS) {
                sum.count(what, counts.getOrDefault(what.label(), 0L));
            }
            for (Timing what : TIMINGS) {
                String histogram = timings.get(what.label());
                if (histogram != null) {
                    sum.of(what).addEncoded(histogram);
                }
            }
            tables.forEach((table, rows) -> rows.forEach((name, many) -> sum.row(table, name, many)));
        }
    }
}
