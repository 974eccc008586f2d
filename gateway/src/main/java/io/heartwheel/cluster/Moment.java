package io.heartwheel.cluster;

import java.nio.ByteBuffer;

/**
 * A moment in a {@link RowStore}: the latest revision of each of its buckets. Revisions of different buckets say nothing of which was first; this does, for all of
 * them. Immutable; any thread.
 *
 * <pre>
 *   revision of a row   bucket, 8 bits | revision in the bucket, 56
 * </pre>
 */
public final class Moment {
    /** Where {@link #next} says that there is nothing more. */
    public static final long THROUGH = -1;

    private static final int IN_BUCKET = 56;

    private final long[] last;

    /** @param last revision in each bucket, from the first on; 0: nothing is there; nobody changes it */
    Moment(long... last) {
        this.last = last;
    }

    /** Of a row in this bucket. */
    static long revision(int bucket, long inBucket) {
        return (long) bucket << IN_BUCKET | inBucket;
    }

    /** Of a row, 0 being the first. */
    public static int bucket(long revision) {
        return (int) (revision >>> IN_BUCKET);
    }

    /** What the bucket itself says. */
    static long inBucket(long revision) {
        return revision & ((1L << IN_BUCKET) - 1);
    }

    /** Whether a row of this revision had been written. */
    public boolean includes(long revision) {
        int bucket = bucket(revision);
        return bucket < last.length && inBucket(revision) <= last[bucket];
    }

    /**
     * Behind which revision reading goes on, for all rows that had been written: this one, or the beginning of a later bucket.
     *
     * @param after up to where has been read; 0: nothing
     * @return {@link #THROUGH} if all were read
     */
    public long next(long after) {
        for (int bucket = bucket(after); bucket < last.length; bucket++) {
            long from = Math.max(after, revision(bucket, 0));
            if (inBucket(from) < last[bucket]) {
                return from;
            }
        }
        return THROUGH;
    }

    /** All buckets but the first, 8 bytes each; nothing if there is no other. */
    byte[] others() {
        ByteBuffer bytes = ByteBuffer.allocate((last.length - 1) * Long.BYTES);
        bytes.asLongBuffer().put(last, 1, last.length - 1);
        return bytes.array();
    }

    /** From that and the first; of a bucket that is not in it nothing had been written. */
    static Moment of(long first, byte[] others) {
        long[] last = new long[1 + others.length / Long.BYTES];
        last[0] = first;
        ByteBuffer.wrap(others).asLongBuffer().get(last, 1, last.length - 1);
        return new Moment(last);
    }
}
