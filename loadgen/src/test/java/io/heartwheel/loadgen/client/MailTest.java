package io.heartwheel.loadgen.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.client.Mail.Fact;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class MailTest {

    private final Mail mail = new Mail();

    private void send(int many) {
        for (int i = 0; i < many; i++) {
            mail.send(1_000 + i, 1_010 + i, true);
        }
    }

    @Test
    void acknowledge_inOrder_settlesEach() {
        send(3);
        for (long id = 1; id <= 3; id++) {
            assertEquals(Fact.ACCEPTED, mail.acknowledge(id, true));
            assertEquals(1_000 + id - 1, mail.dueNanos());
            assertEquals(1_010 + id - 1, mail.sentNanos());
            assertEquals(id == 3, mail.wasNewest());
        }
        assertEquals(0, mail.overdue(Long.MAX_VALUE));
    }

    @Test
    void acknowledge_outOfOrderTwiceOrUnasked_isTold() {
        send(3);
        assertEquals(Fact.ACCEPTED, mail.acknowledge(2, true));
        assertEquals(Fact.OVERTAKEN, mail.acknowledge(1, true));
        assertEquals(Fact.DOUBLED, mail.acknowledge(1, true));
        assertEquals(Fact.DOUBLED, mail.acknowledge(2, false));
        assertEquals(Fact.UNASKED, mail.acknowledge(4, true));
        assertEquals(Fact.UNASKED, mail.acknowledge(0, true));
        assertEquals(Fact.REFUSED, mail.acknowledge(3, false));
        assertEquals(2, mail.missing());
    }

    @Test
    void echo_inOrderLateTwiceOrUnasked_isTold() {
        send(4);
        assertEquals(Fact.ECHOED, mail.echo(1));
        assertEquals(Fact.ECHOED, mail.echo(3));
        assertEquals(Fact.DISORDERED, mail.echo(2));
        assertEquals(Fact.DOUBLED, mail.echo(2));
        assertEquals(Fact.DOUBLED, mail.echo(3));
        assertEquals(Fact.UNASKED, mail.echo(5));
        assertEquals(Fact.ECHOED, mail.echo(4));
    }

    @Test
    void isFull_sixtyFourUnderWay_holdsBackUntilTheOldestIsSettled() {
        send(64);
        assertTrue(mail.isFull());
        mail.acknowledge(2, true);
        assertTrue(mail.isFull());
        mail.acknowledge(1, true);
        assertFalse(mail.isFull());
        assertEquals(62, mail.overdue(Long.MAX_VALUE));
        assertEquals(8, mail.overdue(1_009));
    }

    @Test
    void send_withoutAcknowledgement_isSettledAtOnce() {
        for (int i = 0; i < 200; i++) {
            mail.send(i, i, false);
        }
        assertFalse(mail.isFull());
        assertEquals(0, mail.overdue(Long.MAX_VALUE));
        assertEquals(0, mail.missing());
    }

    @Test
    void missing_echoOfAnotherNotYetAcknowledged_hidesNothing() {
        send(3);
        mail.acknowledge(1, true);
        mail.echo(2);
        mail.echo(3);
        assertEquals(1, mail.missing(), "the first was accepted and did not come back");
        mail.acknowledge(2, true);
        assertEquals(1, mail.missing());
        mail.acknowledge(3, false);
        assertEquals(1, mail.missing());
        mail.echo(1);
        assertEquals(0, mail.missing());
    }

    /** A gateway that loses, doubles and swaps what a book of its own says, over ids far beyond 64. */
    @Test
    void facts_manyMessages_agreeWithTheBook() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        long lost = 0;
        long doubled = 0;
        long refused = 0;
        long disordered = 0;
        Map<Fact, Long> seen = new EnumMap<>(Fact.class);
        ArrayDeque<Long> underWay = new ArrayDeque<>();
        for (int round = 0; round < 5_000; round++) {
            for (int i = random.nextInt(8); i > 0 && !mail.isFull(); i--) {
                underWay.add(mail.send(round, round, true));
            }
            List<Long> batch = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0 && !underWay.isEmpty(); i--) {
                batch.add(underWay.poll());
            }
            for (int i = 0; i < batch.size(); i++) {
                boolean swapped = i + 1 < batch.size() && random.nextInt(20) == 0;
                if (swapped) {
                    long id = batch.get(i);
                    batch.set(i, batch.get(i + 1));
                    batch.set(i + 1, id);
                    disordered++;
                    deliver(batch.get(i), seen);
                    deliver(batch.get(i + 1), seen);
                    i++;
                    continue;
                }
                long id = batch.get(i);
                int luck = random.nextInt(20);
                if (luck == 0) {
                    lost++;
                    seen.merge(mail.acknowledge(id, true), 1L, Long::sum);
                } else if (luck == 1) {
                    doubled++;
                    deliver(id, seen);
                    seen.merge(mail.echo(id), 1L, Long::sum);
                } else if (luck == 2) {
                    refused++;
                    seen.merge(mail.acknowledge(id, false), 1L, Long::sum);
                } else {
                    deliver(id, seen);
                }
            }
        }
        String told = "seed " + seed;
        assertEquals(lost, mail.missing(), told);
        assertEquals(doubled, seen.getOrDefault(Fact.DOUBLED, 0L), told);
        assertEquals(refused, seen.getOrDefault(Fact.REFUSED, 0L), told);
        assertEquals(disordered, seen.getOrDefault(Fact.DISORDERED, 0L), told);
        assertEquals(disordered, seen.getOrDefault(Fact.OVERTAKEN, 0L), told);
        assertEquals(0, seen.getOrDefault(Fact.UNASKED, 0L), told);
        assertEquals(underWay.size(), mail.overdue(Long.MAX_VALUE), told);
    }

    private void deliver(long id, Map<Fact, Long> seen) {
        seen.merge(mail.echo(id), 1L, Long::sum);
        seen.merge(mail.acknowledge(id, true), 1L, Long::sum);
    }
}
