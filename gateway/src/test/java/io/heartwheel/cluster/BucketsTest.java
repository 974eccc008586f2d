package io.heartwheel.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BucketsTest {
    private static byte[] id(String device) {
        return device.getBytes(StandardCharsets.UTF_8);
    }

    /** Rows stand where an earlier start has put them: upper bits of CRC-32, as zlib has it. */
    @Test
    void share_ofAnId_isTheSameForEver() {
        assertEquals(1, Buckets.share(id("sensor-1"), 4));
        assertEquals(21, Buckets.share(id("sensor-1"), 64));
        assertEquals(0, Buckets.share(id("gerät"), 3));
        assertEquals(0, Buckets.share(id("d/1 ü"), 1));
    }

    @Test
    void share_ofManyIds_isEven() {
        int[] counts = new int[64];
        IntStream.range(0, 64_000).forEach(i -> counts[Buckets.share(id("sensor-" + i), 64)]++);
        IntStream.of(counts).forEach(count -> assertTrue(count > 850 && count < 1_150, "of 1,000: " + count));
    }

    @Test
    void moment_ofThreeBuckets_leadsThroughAll() {
        Moment moment = new Moment(5, 0, 7);
        assertEquals(0, moment.next(0));
        assertEquals(4, moment.next(4));
        long third = Moment.revision(2, 0);
        assertEquals(third, moment.next(5));
        assertEquals(third, moment.next(Moment.revision(1, 9)), "what has come since is not included");
        assertEquals(third + 6, moment.next(third + 6));
        assertEquals(Moment.THROUGH, moment.next(third + 7));
        assertTrue(moment.includes(5) && moment.includes(third + 7));
        assertFalse(moment.includes(6) || moment.includes(Moment.revision(1, 1)) || moment.includes(third + 8));
        assertFalse(moment.includes(Moment.revision(3, 1)));
        Moment kept = Moment.of(5, moment.others());
        assertArrayEquals(moment.others(), kept.others());
        assertTrue(kept.includes(third + 7) && !kept.includes(6));
        assertEquals(0, new Moment(5).others().length, "a row of one bucket is as it was");
    }
}
