package io.heartwheel.log;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limit of how many lines of one kind are written. Time goes in steps of a second; in each the first few of a kind pass, and how many were left out is
 * told when the step is over. However many kinds there are, at most {@value #MOST_KINDS} are kept apart; the others share one count.
 *
 * <p>Any thread; all fields are guarded by this.
 *
 * @param <T> a line
 */
final class RepeatLimiter<T> {
    static final int MOST_KINDS = 1_024;
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Kind OTHERS = new Kind("", "");

    /**
     * @param logger who logs
     * @param message before its values are put in
     */
    record Kind(String logger, String message) {}

    /**
     * Lines of a kind that were left out.
     *
     * @param last the latest line that was
     */
    record LeftOut<T>(T last, long lines) {}

    private static final class Count<T> {
        private long seen;
        private long leftOut;
        private T last;

        Count(T first) {
            last = first;
        }
    }

    private final Map<Kind, Count<T>> counts = new LinkedHashMap<>();
    private int most;
    private long beganNanos;

    /** @param most lines of one kind in a step, 1 or more */
    RepeatLimiter(int most, long nowNanos) {
        this.most = most;
        beganNanos = nowNanos;
    }

    /** From now on so many. */
    synchronized void most(int lines) {
        most = lines;
    }

    /**
     * Begins the next step if it is time.
     *
     * @return what was left out in the last one; nothing while it lasts
     */
    synchronized List<LeftOut<T>> turn(long nowNanos) {
        if (nowNanos - beganNanos < STEP_NANOS) {
            return List.of();
        }
        List<LeftOut<T>> leftOut = new ArrayList<>();
        for (Count<T> count : counts.values()) {
            if (count.leftOut > 0) {
                leftOut.add(new LeftOut<>(count.last, count.leftOut));
            }
        }
        counts.clear();
        beganNanos = nowNanos;
        return leftOut;
    }

    /**
     * Counts a line.
     *
     * @return whether it may be written
     */
    synchronized boolean take(Kind kind, T line) {
        Count<T> count = counts.get(kind);
        if (count == null) {
            count = counts.computeIfAbsent(counts.size() < MOST_KINDS ? kind : OTHERS, none -> new Count<>(line));
        }
        count.seen++;
        if (count.seen <= most) {
            return true;
        }
        count.leftOut++;
        count.last = line;
        return false;
    }
}
