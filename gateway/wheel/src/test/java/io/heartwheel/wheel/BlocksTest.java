package io.heartwheel.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BlocksTest {

    private final Blocks blocks = new Blocks();
    private final List<WheelEntry> entries = new ArrayList<>();

    /** The entry of that number, always the same. */
    private WheelEntry entry(int number) {
        while (entries.size() <= number) {
            entries.add(new WheelEntry.For(new Probe(0)));
        }
        return entries.get(number);
    }

    @Test
    void read_aBlockAndMore_staysWithinTheBlock() {
        int top = Blocks.NONE;
        for (int handle = 0; handle < Blocks.CAPACITY + 3; handle++) {
            top = blocks.push(7, top, entry(handle));
        }
        WheelEntry[] into = new WheelEntry[Blocks.CAPACITY];
        assertEquals(2, blocks.read(top, into, 2));
        assertSame(entry(Blocks.CAPACITY + 1), into[0]);
        assertSame(entry(Blocks.CAPACITY + 2), into[1]);
        assertEquals(3, blocks.read(top, into, Blocks.CAPACITY));
        int below = blocks.pop(top, 3);
        assertNull(blocks.entry(top), "nothing is left behind");
        assertEquals(Blocks.CAPACITY, blocks.read(below, into, Integer.MAX_VALUE));
        assertEquals(Blocks.NONE, blocks.pop(below, Blocks.CAPACITY));
    }

    @Test
    void replace_inTheMiddle_leavesTheOthers() {
        int a = blocks.push(1, Blocks.NONE, entry(0));
        int b = blocks.push(1, a, entry(1));
        blocks.replace(a, entry(2));
        assertSame(entry(2), blocks.entry(a));
        assertSame(entry(1), blocks.entry(b));
        assertEquals(a, blocks.below(b));
        assertEquals(Blocks.NONE, blocks.below(a));
    }

    @Test
    void pushAndPop_manyBuckets_keepEachOnesOwnAndUseBlocksAgain() {
        SplittableRandom random = new SplittableRandom(3);
        int[] tops = new int[50];
        Arrays.fill(tops, Blocks.NONE);
        List<Deque<Integer>> model = new ArrayList<>();
        for (int i = 0; i < tops.length; i++) {
            model.add(new ArrayDeque<>());
        }
        for (int i = 0; i < 200_000; i++) {
            int bucket = random.nextInt(tops.length);
            boolean grows = i < 100_000 ? random.nextInt(3) > 0 : random.nextInt(3) == 0;
            if (grows) {
                tops[bucket] = blocks.push(bucket, tops[bucket], entry(i));
                model.get(bucket).push(i);
            } else if (tops[bucket] != Blocks.NONE) {
                assertEquals(bucket, blocks.bucket(tops[bucket]));
                assertSame(entry(model.get(bucket).pop()), blocks.entry(tops[bucket]));
                tops[bucket] = blocks.pop(tops[bucket], 1);
            }
        }
        int needed = model.stream()
                .mapToInt(handles -> (handles.size() + Blocks.CAPACITY - 1) / Blocks.CAPACITY)
                .sum();
        assertEquals(needed, blocks.used());
    }
}
