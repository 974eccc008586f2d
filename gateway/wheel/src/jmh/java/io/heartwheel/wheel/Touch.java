package io.heartwheel.wheel;

/** Order in which connections are touched, which no prefetcher guesses: Marsaglia's xorshift, seeded alike in every fork. */
final class Touch {

    private static final long SEED = 0x5DEECE66DL;

    private final int from;
    private final int count;
    private long random;

    /** One of so many. */
    Touch(int count) {
        this(0, count);
    }

    /** One of so many from the given one on. */
    Touch(int from, int count) {
        this.from = from;
        this.count = count;
        random = SEED + from;
        for (int i = 0; i < 64; i++) {
            next();
        }
    }

    private long next() {
        long x = random;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        random = x;
        return x;
    }

    /** The next connection. */
    int any() {
        return from + (int) (((next() >>> 32) * count) >>> 32);
    }

    /** A delay of 60 s to 94 s, from the number that chose the connection. */
    long delayNanos() {
        return 60_000_000_000L + (random & (1L << 35) - 1);
    }

    /** A number that is none of the compiler's constants. */
    long value() {
        return random;
    }

    /** A number of 0 to a limit, which is not reached; it may be up to 2^42. */
    long below(long limit) {
        return (long) ((next() >>> 11) * 0x1p-53 * limit);
    }

    /** The numbers up to a count in random order. */
    static int[] shuffled(int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        Touch touch = new Touch(count);
        for (int i = count - 1; i > 0; i--) {
            int j = (int) touch.below(i + 1L);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }
}
