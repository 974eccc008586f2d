package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.measure.Latencies;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.OwnHealth;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Result of a run: all that was seen, and the verdict. A plain value: the table for people, the JSON for machines, the HTML report
 * and a comparison are all made from it. Names of counts and timings are the labels of {@link
 * io.heartwheel.loadgen.measure.Count} and {@link io.heartwheel.loadgen.measure.Timing}.
 *
 * @param format {@link #FORMAT}
 * @param version of the generator
 * @param scenario its name
 * @param seed decides what every device does
 * @param startedAt wall clock, ISO 8601
 * @param rampSeconds until the last device was welcomed, or given up
 * @param observedSeconds from then on
 * @param clientsByTarget devices by protocol and address
 * @param clientsByBehaviour devices by behaviour
 * @param grantedLeastMillis smallest interval granted, 0 when nobody was welcomed
 * @param counts those that are not 0
 * @param timings those that have values
 * @param histograms the same in HdrHistogram's compressed encoding and Base64, nanoseconds
 * @param tables rows that were counted: {@code refusals}, and {@code closes of ...} by code
 * @param expectedCloses for each {@code closes of ...} the codes or ends that are right; absent in older files
 * @param latenessLimitNanos largest allowed p99 of detection lateness
 * @param costs memory and CPU of all sides, if they were measured
 * @param series about one sample a second
 * @param marks what the timeline did, for the plots
 */
public record Result(
        String format,
        String version,
        String scenario,
        long seed,
        String startedAt,
        double rampSeconds,
        double observedSeconds,
        RunVerdict verdict,
        List<Finding> findings,
        long clients,
        Map<String, Long> clientsByTarget,
        Map<String, Long> clientsByBehaviour,
        long grantedLeastMillis,
        long grantedMostMillis,
        Map<String, Long> counts,
        Map<String, Latencies.Summary> timings,
        Map<String, String> histograms,
        Map<String, Map<String, Long>> tables,
        @Nullable Map<String, String> expectedCloses,
        long latenessLimitNanos,
        List<GatewayFault> evidence,
        List<Recovery> recoveries,
        OwnHealth health,
        boolean generatorWasBottleneck,
        @Nullable Costs costs,
        List<Sample> series,
        List<Mark> marks) {

    /** Names this record's JSON; another number means another shape. */
    public static final String FORMAT = "heartwheel-loadgen-result/1";

    /** Table of refusals. */
    public static final String REFUSALS = "refusals";
    /** Table of the refusals of wrong credentials. */
    public static final String AUTH_REFUSALS = "auth refusals";
    /** Table of why connections failed on the generator's own machine. */
    public static final String OWN_FAILURES = "own failures";
    /** Prefix of the tables of closes, by the expected outcome of the connection. */
    public static final String CLOSES = "closes of ";
    /** Table of the server's responses to pushes that it did not accept. */
    public static final String PUSH_ANSWERS = "push answers";

    /** Table of messages that came to another device: the sender's id and the message's number. Not in a result. */
    public static final String MISDELIVERED_MESSAGES = Ledger.MESSAGES + "misdelivered";
    /** Prefix of the tables of messages that did not come, by the count that counts them. Not in a result. */
    public static final String ABSENT_MESSAGES = Ledger.MESSAGES + "absent ";

    /** Of all tables those of closes, by the expected outcome. */
    public static Map<String, Map<String, Long>> closes(Map<String, Map<String, Long>> tables) {
        Map<String, Map<String, Long>> closes = new TreeMap<>();
        tables.forEach((name, rows) -> {
            if (name.startsWith(CLOSES)) {
                closes.put(name.substring(CLOSES.length()), rows);
            }
        });
        return closes;
    }

    /**
     * Something the timeline did.
     *
     * @param atSeconds since the run began
     * @param text in words, short
     */
    public record Mark(double atSeconds, String text) {}
}
