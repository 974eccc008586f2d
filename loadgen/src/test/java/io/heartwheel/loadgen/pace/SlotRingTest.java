package io.heartwheel.loadgen.pace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class SlotRingTest {

    private static final long STEP = 1_000_000L;

    @Test
    void turn_dueSender_isServedOnceAndAtItsTime() {
        SlotRing ring = new SlotRing(2, STEP, 8);
        ring.file(1, 3 * STEP);
        assertEquals(List.of(), served(ring, 3 * STEP - 1));
        assertEquals(List.of(1), served(ring, 3 * STEP));
        assertEquals(List.of(), served(ring, 20 * STEP));
    }

    @Test
    void turn_dueRoundsAway_waitsForItsRound() {
        SlotRing ring = new SlotRing(1, STEP, 8);
        ring.file(0, 19 * STEP);
        for (long tick = 0; tick < 19; tick++) {
            assertEquals(List.of(), served(ring, tick * STEP));
        }
        assertEquals(List.of(0), served(ring, 19 * STEP));
    }

    @Test
    void turn_afterAStallOfManyRounds_servesAllThatWasMissed() {
        SlotRing ring = new SlotRing(1, STEP, 8);
        ring.file(0, 2 * STEP);
        List<Long> dues = new ArrayList<>();
        SlotRing.Server everyFive = (index, due) -> {
            dues.add(due / STEP);
            return due + 5 * STEP;
        };
        ring.turn(30 * STEP, everyFive);
        for (long tick = 31; tick < 60; tick++) {
            ring.turn(tick * STEP, everyFive);
        }
        assertEquals(List.of(2L, 7L, 12L, 17L, 22L, 27L, 32L, 37L, 42L, 47L, 52L, 57L), dues);
    }

    @Test
    void turn_againstAModel_agrees() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int senders = 200;
        SlotRing ring = new SlotRing(senders, STEP, 64);
        PriorityQueue<Long> model = new PriorityQueue<>();
        for (int i = 0; i < senders; i++) {
            long due = random.nextLong(300) * STEP;
            ring.file(i, due);
            model.add(due);
        }
        long now = 0;
        for (int turn = 0; turn < 2_000; turn++) {
            long reached = now += random.nextLong(3) == 0 ? random.nextLong(100 * STEP) : random.nextLong(3 * STEP);
            List<Long> served = new ArrayList<>();
            ring.turn(now, (index, due) -> {
                assertTrue(due <= reached, "served early, seed " + seed);
                served.add(due);
                return due + (1 + due / STEP % 150) * STEP;
            });
            for (long due : served) {
                assertTrue(model.remove(due), "served twice or never filed, seed " + seed);
                model.add(due + (1 + due / STEP % 150) * STEP);
            }
        }
        long last = now;
        for (int i = 1; i <= 200; i++) {
            ring.turn(last + i * STEP, (index, due) -> {
                model.remove(due);
                return SlotRing.DONE;
            });
        }
        assertTrue(model.isEmpty() || model.peek() > last, "left behind, seed " + seed);
    }

    /** Who is served files and drops whomever it likes, itself too: the arrays must stay chains. */
    @Test
    void file_andDropAgainAndAgain_agreesWithAModel() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20; round++) {
            int senders = 1 + random.nextInt(40);
            SlotRing ring = new SlotRing(senders, STEP, 16);
            long[] model = new long[senders];
            Arrays.fill(model, SlotRing.DONE);
            long[] now = {0};
            for (int turn = 0; turn < 500; turn++) {
                for (int i = random.nextInt(4); i > 0; i--) {
                    meddle(ring, model, random, now[0]);
                }
                now[0] += random.nextLong(5) == 0 ? random.nextLong(60 * STEP) : random.nextLong(2 * STEP);
                String told = "round " + round + " turn " + turn + ", seed " + seed;
                ring.turn(now[0], (index, due) -> {
                    assertEquals(model[index], due, told);
                    assertTrue(due <= now[0], told);
                    model[index] = SlotRing.DONE;
                    for (int i = random.nextInt(3); i > 0; i--) {
                        meddle(ring, model, random, now[0]);
                    }
                    if (random.nextBoolean()) {
                        return SlotRing.DONE;
                    }
                    // behind the time it may be, but not ever further
                    model[index] = Math.max(due + 1, now[0] - 20 * STEP) + random.nextLong(40 * STEP);
                    return model[index];
                });
                for (int i = 0; i < senders; i++) {
                    // what was filed while the ring turned may wait for the next turn, no longer
                    assertTrue(model[i] == SlotRing.DONE || model[i] > now[0] - 61 * STEP, told);
                }
            }
            ring.turn(now[0] += STEP, (index, due) -> SlotRing.DONE);
            for (int i = 0; i < senders; i++) {
                ring.drop(i);
            }
            assertEquals(List.of(), served(ring, now[0] + 200 * STEP), "seed " + seed);
        }
    }

    private static void meddle(SlotRing ring, long[] model, SplittableRandom random, long now) {
        int index = random.nextInt(model.length);
        if (random.nextInt(3) == 0) {
            ring.drop(index);
            model[index] = SlotRing.DONE;
        } else {
            model[index] = now + random.nextLong(40 * STEP);
            ring.file(index, model[index]);
        }
    }

    @Test
    void ring_slotsNotAPowerOfTwo_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> new SlotRing(1, STEP, 12));
    }

    private static List<Integer> served(SlotRing ring, long now) {
        List<Integer> served = new ArrayList<>();
        ring.turn(now, (index, due) -> {
            served.add(index);
            return SlotRing.DONE;
        });
        return served;
    }
}
