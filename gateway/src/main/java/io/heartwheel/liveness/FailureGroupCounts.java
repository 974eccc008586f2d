package io.heartwheel.liveness;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The connections of one scope, and those found dead within a window, told apart by subnet.
 *
 * <pre>
 *   established   now, by subnet
 *   slots         deaths, a tenth of the window each, by subnet; made when the first falls into it
 *   dead          their sum
 *   present       of the dead, those of the batch that is being counted: they are established still
 * </pre>
 *
 * The base that deaths are a share of is of one instant: who is established now, and who was found dead within the window. So there are never more dead
 * than connections.
 *
 * <p>{@link #entered}, {@link #left} and {@link #isOpen}: any thread. The rest under the breaker's lock.
 */
final class FailureGroupCounts {
    static final int SLOTS = 10;
    /** How many are told apart. */
    static final int SUBNETS = 1_024;

    private final String name;
    private final AtomicIntegerArray established = new AtomicIntegerArray(SUBNETS);
    private final AtomicInteger allEstablished = new AtomicInteger();
    private volatile boolean open;

    private final int[][] slots = new int[SLOTS][];
    private final int[] dead = new int[SUBNETS];
    private final int[] present = new int[SUBNETS];
    private int allDead;
    private int allPresent;
    private long openUntilNanos;

    private static final int[] NONE = {};

    /** @param name for people */
    FailureGroupCounts(String name) {
        this.name = name;
        Arrays.fill(slots, NONE);
    }

    // ------------------------------------------------------------------ any thread

    void entered(int subnet) {
        established.incrementAndGet(subnet);
        allEstablished.incrementAndGet();
    }

    void left(int subnet) {
        established.decrementAndGet(subnet);
        allEstablished.decrementAndGet();
    }

    int established() {
        return allEstablished.get();
    }

    boolean isOpen() {
        return open;
    }

    // ------------------------------------------------------------------ under the lock

    String name() {
        return name;
    }

    /** One of this subnet was found dead, and is established still. */
    void died(int slot, int subnet) {
        if (slots[slot].length == 0) {
            slots[slot] = new int[SUBNETS];
        }
        slots[slot][subnet]++;
        dead[subnet]++;
        present[subnet]++;
        allDead++;
        allPresent++;
    }

    /** It goes its way: the batch was counted. */
    void counted(int subnet) {
        present[subnet]--;
        allPresent--;
    }

    /** The window has moved on past this slot. */
    void forget(int slot) {
        int[] old = slots[slot];
        for (int subnet = 0; subnet < old.length; subnet++) {
            dead[subnet] -= old[subnet];
            allDead -= old[subnet];
        }
        slots[slot] = NONE;
    }

    /** Whether the batch has one of these. */
    boolean isStruck(int subnet) {
        return present[subnet] > 0;
    }

    boolean isStruck() {
        return allPresent > 0;
    }

    int dead(int subnet) {
        return dead[subnet];
    }

    int base(int subnet) {
        return Math.max(0, established.get(subnet) - present[subnet]) + dead[subnet];
    }

    int dead() {
        return allDead;
    }

    int base() {
        return Math.max(0, allEstablished.get() - allPresent) + allDead;
    }

    /**
     * Holds back until then.
     *
     * @return whether it did not before
     */
    boolean open(long untilNanos) {
        boolean opened = !open;
        open = true;
        openUntilNanos = untilNanos;
        return opened;
    }

    /** @return whether it holds back nobody any more */
    boolean closeBy(long nowNanos) {
        if (open && nowNanos - openUntilNanos >= 0) {
            open = false;
        }
        return !open;
    }
}
