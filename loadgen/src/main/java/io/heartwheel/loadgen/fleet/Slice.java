package io.heartwheel.loadgen.fleet;

/**
 * The part of a scenario's devices that one worker runs: the global indices from {@code first} on.
 *
 * @param first lowest index, 0 or more
 * @param count devices, at least 1
 * @param total devices of all workers
 * @param worker number of the worker, from 0
 * @param workers how many workers share the work
 */
public record Slice(int first, int count, int total, int worker, int workers) {

    /** Checks the ranges. */
    public Slice {
        if (first < 0 || count < 1 || total - first < count || worker < 0 || worker >= workers) {
            throw new IllegalArgumentException("slice = " + first + "+" + count + " of " + total + ", worker " + worker
                    + " of " + workers + ": need a part of the whole");
        }
    }

    /** All of it. */
    public static Slice whole(int total) {
        return new Slice(0, total, total, 0, 1);
    }
}
