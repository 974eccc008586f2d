package io.heartwheel.loadgen.judge;

import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Usage;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Result of one worker: all that it saw.
 *
 * @param ledger counts since the beginning, timings since {@link Worker#observe}
 * @param evidence what speaks against the gateway, piece by piece, the first few of each kind
 * @param grantedLeastMillis smallest interval granted, {@link Long#MAX_VALUE} when nobody was welcomed
 * @param grantedMostMillis largest
 * @param atObserve usage of the worker's process when observation began
 * @param atEnd and now
 * @param lost what is missing, in words: workers that were given up, whatever else made the run less than was wished for
 */
public record WorkerResult(
        Ledger.Page ledger,
        List<GatewayFault> evidence,
        long grantedLeastMillis,
        long grantedMostMillis,
        Usage atObserve,
        Usage atEnd,
        List<String> lost) {

    /** What nobody has seen. */
    public static final WorkerResult NOTHING = new WorkerResult(
            new Ledger().page(), List.of(), Long.MAX_VALUE, 0, Usage.NOTHING, Usage.NOTHING, List.of());

    /** Checks that it is whole: it may come from another process, which leaves out what it has nothing of. */
    public WorkerResult {
        Objects.requireNonNull(ledger, "ledger");
        Objects.requireNonNull(atObserve, "atObserve");
        Objects.requireNonNull(atEnd, "atEnd");
        evidence = List.copyOf(evidence);
        lost = lost == null ? List.of() : List.copyOf(lost);
    }

    /** The same with more that is missing. */
    public WorkerResult lacking(List<String> more) {
        return withLost(Stream.concat(more.stream(), lost.stream().filter(text -> !more.contains(text)))
                .toList());
    }

    /** The same with other things missing. */
    public WorkerResult withLost(List<String> texts) {
        return new WorkerResult(ledger, evidence, grantedLeastMillis, grantedMostMillis, atObserve, atEnd, texts);
    }
}
