package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The directory against a {@link HashMap}, and what it promises about epochs and pages. */
class SessionRegistryTest {
    private static final long START_MICROS = 1_700_000_000_000_000L;

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private final AtomicLong nowNanos = new AtomicLong();
    private final SessionRegistry registry = new SessionRegistry(this::minuteLater, () -> START_MICROS, 0);

    /** Answer to a claim. */
    private record Granted(long epoch, @Nullable Session predecessor) {}

    private static Granted claim(SessionRegistry registry, Session session, long remembered) {
        List<Granted> answers = new ArrayList<>();
        registry.claim(session, remembered, new Directory.Claimant<>() {
            @Override
            public void granted(long epoch, @Nullable Session predecessor) {
                answers.add(new Granted(epoch, predecessor));
            }

            @Override
            public void refused(CloseReason reason) {
                throw new AssertionError(reason);
            }

            @Override
            public void later(Directory.Wait wait, long lastEpoch, Session holder) {
                throw new AssertionError(wait);
            }
        });
        assertEquals(1, answers.size());
        return answers.get(0);
    }

    /** A minute later at each look: no takeover follows another too soon. */
    private long minuteLater() {
        return nowNanos.addAndGet(60_000_000_000L);
    }

    /** A session that knows its id; the gateway's own registry gave it the id, and is not the one under test. */
    private Session session(String device) {
        return new FakeSession(gateway.sessionContext).accept(1).hello(device, "");
    }

    @Test
    void operations_seeded_agreeWithAMap() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        Map<String, Session> model = new HashMap<>();
        List<Session> former = new ArrayList<>();
        long lastEpoch = 0;
        // many ids a stripe while it is full, few when it is not: tables grow and shrink, and long runs get holes
        int ids = 20_000;
        for (int step = 0; step < 120_000; step++) {
            String id = "device-" + random.nextInt(ids);
            boolean growing = step / 20_000 % 2 == 0;
            if (random.nextInt(10) < (growing ? 7 : 2)) {
                Session next = session(id);
                Granted granted = claim(registry, next, 0);
                assertSame(model.put(id, next), granted.predecessor, () -> "seed " + seed);
                assertTrue(granted.epoch > lastEpoch, () -> "seed " + seed);
                lastEpoch = granted.epoch;
                if (granted.predecessor != null) {
                    former.add(granted.predecessor);
                }
            } else if (random.nextInt(4) == 0 && !former.isEmpty()) {
                // no longer the holder: must change nothing
                registry.release(former.remove(random.nextInt(former.size())));
            } else {
                Session held = model.remove(id);
                if (held != null) {
                    registry.release(held);
                    registry.release(held);
                }
            }
            String other = "device-" + random.nextInt(ids);
            assertSame(model.get(other), registry.find(other), () -> "seed " + seed + ", " + other);
        }
        assertEquals(model.size(), registry.size(), () -> "seed " + seed);
        model.forEach((id, held) -> assertSame(held, registry.find(id), () -> "seed " + seed + ", " + id));
        Map<String, Session> listed = new HashMap<>();
        registry.forEach(each -> assertNull(listed.put(each.deviceId(), each)));
        assertEquals(model, listed, () -> "seed " + seed);
    }

    @Test
    void claim_bySessionThatHoldsIt_hasNoPredecessor() {
        Session session = session("d");
        claim(registry, session, 0);
        assertNull(claim(registry, session, 0).predecessor);
        assertEquals(1, registry.size());
    }

    @Test
    void page_whileOthersComeAndGo_showsWhoStaysExactlyOnce() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        Map<String, Session> passing = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            claim(registry, session("stays-" + i), 0);
        }
        Map<String, Integer> seen = new HashMap<>();
        Long cursor = null;
        int pages = 0;
        do {
            SessionRegistry.Page page = registry.page(
                    cursor, 1 + random.nextInt(200), 1 + random.nextInt(400), SessionRegistryTest::isWanted);
            page.sessions().forEach(each -> seen.merge(each.deviceId(), 1, Integer::sum));
            cursor = page.next();
            pages++;
            for (int i = 0; i < 300; i++) {
                String id = "passes-" + random.nextInt(3_000);
                Session here = passing.remove(id);
                if (here == null) {
                    Session come = session(id);
                    passing.put(id, come);
                    claim(registry, come, 0);
                } else {
                    registry.release(here);
                }
            }
        } while (cursor != null);
        for (int i = 0; i < 5_000; i++) {
            int times = i % 10 == 9 ? 0 : 1;
            assertEquals(times, seen.getOrDefault("stays-" + i, 0), "seed " + seed + ", stays-" + i);
        }
        assertTrue(pages > 25, "pages: " + pages);
    }

    private static boolean isWanted(Session session) {
        return !session.deviceId().endsWith("9");
    }

    @Test
    void page_ofNobody_isTheLast() {
        SessionRegistry.Page page = registry.page(null, 10, 10, session -> true);
        assertTrue(page.sessions().isEmpty());
        assertNull(page.next());
    }

    /** Two claims at once: while one of them waits for the clock the other goes through. Who holds the id in the end has the later epoch. */
    @Test
    void claims_ofRivals_leaveTheLaterEpoch() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch otherIsThrough = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        SessionRegistry slow = new SessionRegistry(
                this::minuteLater,
                () -> {
                    if (first.getAndSet(false)) {
                        reading.countDown();
                        awaitQuietly(otherIsThrough);
                    }
                    return START_MICROS;
                },
                0);
        Session one = session("contested");
        Session two = session("contested");
        Granted[] grantedOne = new Granted[1];
        Thread rival = new Thread(() -> grantedOne[0] = claim(slow, one, 0));
        rival.start();
        assertTrue(reading.await(20, TimeUnit.SECONDS));
        Granted grantedTwo = claim(slow, two, 0);
        otherIsThrough.countDown();
        rival.join(Duration.ofSeconds(20).toMillis());

        Session holder = slow.find("contested");
        assertNotNull(holder);
        boolean oneIsLater = grantedOne[0].epoch - grantedTwo.epoch > 0;
        assertSame(oneIsLater ? one : two, holder);
        assertSame(oneIsLater ? two : one, oneIsLater ? grantedOne[0].predecessor : grantedTwo.predecessor);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertTrue(latch.await(20, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
