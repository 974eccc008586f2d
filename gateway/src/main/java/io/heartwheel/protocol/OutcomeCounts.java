package io.heartwheel.protocol;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/**
 * Counts of what came of connections or requests, one for each outcome of a closed list. Any thread.
 *
 * @param <E> the outcomes; their names in lower case are the labels in metrics
 */
public final class OutcomeCounts<E extends Enum<E>> {
    private final E[] outcomes;
    private final LongAdder[] counts;

    /** All at zero. */
    public OutcomeCounts(Class<E> outcomes) {
        this.outcomes = outcomes.getEnumConstants();
        counts = new LongAdder[this.outcomes.length];
        Arrays.setAll(counts, index -> new LongAdder());
    }

    /** One more of these. */
    public void add(E outcome) {
        counts[outcome.ordinal()].increment();
    }

    /** How many there were of these. */
    public long count(E outcome) {
        return counts[outcome.ordinal()].sum();
    }

    /** Each label with its count, in order of declaration. */
    public void forEach(ObjLongConsumer<String> to) {
        for (E outcome : outcomes) {
            to.accept(outcome.name().toLowerCase(Locale.ROOT), count(outcome));
        }
    }
}
