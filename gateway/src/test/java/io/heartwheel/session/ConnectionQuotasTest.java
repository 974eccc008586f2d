package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.Grant;
import io.heartwheel.liveness.RateClasses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Limits of groups and of values of attributes. */
class ConnectionQuotasTest {
    private static final Grant ACME = grant(List.of("acme"), Map.of());

    private static Grant grant(List<String> groups, Map<String, String> attributes) {
        return new Grant(0, 0, "", groups, attributes);
    }

    private static ConnectionQuotas quotas(Map<String, Integer> groups, Map<String, Integer> attributes) {
        return new ConnectionQuotas(new ConnectionQuotaSettings(groups, attributes), RateClasses.OFF);
    }

    @Test
    void enter_noGrantOrNoLimit_isAlwaysIn() {
        ConnectionQuotas quotas = quotas(Map.of(), Map.of());
        assertNull(quotas.enter(null, null));
        assertNull(quotas.enter(ACME, null));
        quotas.leave(null, () -> {});
        quotas.leave(ACME, () -> {});
        assertTrue(quotas.isEmpty());
    }

    @Test
    void enter_groupFull_isRefusedByNameAndCounted() {
        ConnectionQuotas quotas = quotas(Map.of("acme", 2), Map.of());
        assertNull(quotas.enter(ACME, null));
        assertNull(quotas.enter(ACME, null));
        assertEquals("the group acme has its 2 connections", quotas.enter(ACME, null));
        assertEquals(1, quotas.groupRefusals());
        assertEquals(Map.of("acme", 2), quotas.groupConnections());
        quotas.leave(ACME, () -> {});
        assertNull(quotas.enter(ACME, null));
    }

    @Test
    void enter_oneOfSeveralFull_countsNone() {
        ConnectionQuotas quotas = quotas(Map.of("a", 5, "b", 1), Map.of());
        Grant both = grant(List.of("a", "b"), Map.of());
        assertNull(quotas.enter(both, null));
        assertNotNull(quotas.enter(both, null));
        assertEquals(Map.of("a", 1, "b", 1), quotas.groupConnections());
    }

    @Test
    void enter_attribute_eachValueHasItsOwnRoom() {
        ConnectionQuotas quotas = quotas(Map.of(), Map.of("site", 1));
        Grant north = grant(List.of(), Map.of("site", "north", "serial", "1"));
        Grant alsoNorth = grant(List.of(), Map.of("site", "north", "serial", "2"));
        Grant south = grant(List.of(), Map.of("site", "south"));
        assertNull(quotas.enter(north, null));
        assertNull(quotas.enter(south, null));
        assertEquals("as many connections with this site as there may be: 1", quotas.enter(alsoNorth, null));
        assertEquals(1, quotas.attributeRefusals());
        assertEquals(0, quotas.groupRefusals());
    }

    /** One that gives its place back while its successor comes: the place is the successor's or another's, not both. */
    @Test
    void enter_replacingOneThatLeaves_seesItInOrGone() {
        ConnectionQuotas quotas = quotas(Map.of("acme", 1), Map.of());
        boolean[] isIn = {true};
        assertNull(quotas.enter(ACME, null));
        quotas.leave(ACME, () -> {
            assertTrue(Thread.holdsLock(quotas));
            isIn[0] = false;
        });
        assertNull(quotas.enter(ACME, null));
        assertNotNull(quotas.enter(ACME, () -> {
            assertTrue(Thread.holdsLock(quotas));
            return isIn[0] ? ACME : null;
        }));
    }

    @Test
    void enter_replacingItsOwn_isInThoughFullWhereThatOneIs() {
        ConnectionQuotas quotas = quotas(Map.of("acme", 1), Map.of());
        assertNull(quotas.enter(ACME, null));
        assertNull(quotas.enter(ACME, () -> ACME));
        assertEquals(Map.of("acme", 2), quotas.groupConnections());
        assertNotNull(quotas.enter(ACME, () -> Grant.NONE));
        Grant south = grant(List.of(), Map.of("site", "south"));
        ConnectionQuotas sites = quotas(Map.of(), Map.of("site", 0));
        assertNull(sites.enter(south, () -> south));
        Grant other = grant(List.of(), Map.of("site", "north", "other", "south"));
        assertNotNull(sites.enter(south, () -> other));
        quotas.leave(ACME, () -> {});
        assertNotNull(quotas.enter(ACME, null));
    }

    @Test
    void change_toAFullGroup_isNeverRefused() {
        ConnectionQuotas quotas = quotas(Map.of("acme", 1, "beta", 1), Map.of());
        Grant beta = grant(List.of("beta"), Map.of());
        quotas.enter(ACME, null);
        quotas.enter(beta, null);
        quotas.change(ACME, beta);
        assertEquals(Map.of("acme", 0, "beta", 2), quotas.groupConnections());
        quotas.change(beta, null);
        quotas.change(null, ACME);
        assertEquals(Map.of("acme", 1, "beta", 1), quotas.groupConnections());
    }

    @Test
    void reconfigure_aLimitComes_countsThoseWhoAreHere() {
        ConnectionQuotas quotas = quotas(Map.of(), Map.of());
        quotas.enter(ACME, null);
        quotas.enter(ACME, null);
        quotas.reconfigure(new ConnectionQuotaSettings(Map.of("acme", 2), Map.of()), RateClasses.OFF);
        assertNotNull(quotas.enter(ACME, null));
        quotas.reconfigure(new ConnectionQuotaSettings(Map.of("acme", 3), Map.of()), RateClasses.OFF);
        assertNull(quotas.enter(ACME, null));
        quotas.reconfigure(ConnectionQuotaSettings.NONE, RateClasses.OFF);
        assertNull(quotas.enter(ACME, null));
        for (int i = 0; i < 4; i++) {
            quotas.leave(ACME, () -> {});
        }
        assertTrue(quotas.isEmpty());
    }

    @Test
    void enter_rateClassThatIsNot_isCounted() {
        ConnectionQuotas quotas = quotas(Map.of(), Map.of());
        Grant gold = new Grant(0, 0, "gold", List.of(), Map.of());
        assertNull(quotas.enter(gold, null));
        assertEquals(1, quotas.unknownRateClasses());
        quotas.leave(gold, () -> {});
        assertTrue(quotas.isEmpty());
    }

    @Test
    void anySteps_asTheModelSays() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        Map<String, Integer> limits = Map.of("a", 3, "b", 5);
        Map<String, Integer> sites = Map.of("site", 4);
        ConnectionQuotas quotas = quotas(limits, sites);
        List<Grant> in = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            Grant grant = random(random);
            if (in.isEmpty() || random.nextInt(5) < 3) {
                boolean fits = grant.groups().stream()
                                .allMatch(group -> countOf(in, group) < limits.getOrDefault(group, Integer.MAX_VALUE))
                        && in.stream()
                                        .filter(each -> each.attributes().equals(grant.attributes()))
                                        .count()
                                < 4;
                assertEquals(fits, quotas.enter(grant, null) == null, "seed " + seed + ", step " + step);
                if (fits) {
                    in.add(grant);
                }
            } else {
                quotas.leave(in.remove(random.nextInt(in.size())), () -> {});
            }
            Map<String, Integer> expected = new HashMap<>();
            limits.keySet().forEach(group -> expected.put(group, countOf(in, group)));
            assertEquals(expected, quotas.groupConnections(), "seed " + seed + ", step " + step);
        }
        in.forEach(grant -> quotas.leave(grant, () -> {}));
        assertTrue(quotas.isEmpty());
    }

    private static int countOf(List<Grant> in, String group) {
        return (int) in.stream().filter(each -> each.groups().contains(group)).count();
    }

    private static Grant random(Random random) {
        List<String> groups = new ArrayList<>(List.of("a", "b", "c"));
        groups.removeIf(group -> random.nextBoolean());
        return grant(groups, Map.of("site", "s" + random.nextInt(4)));
    }

    @Test
    void enter_ofManyThreads_fillsButNeverOverfills() throws Exception {
        ConnectionQuotas quotas = quotas(Map.of("a", 10, "b", 10), Map.of());
        Grant both = grant(List.of("a", "b"), Map.of());
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> done = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            done.add(threads.submit(() -> {
                for (int n = 0; n < 20_000; n++) {
                    int held = 0;
                    for (int k = 0; k < 4; k++) {
                        if (quotas.enter(both, null) == null) {
                            held++;
                            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        }
                    }
                    for (int k = 0; k < held; k++) {
                        inside.decrementAndGet();
                        quotas.leave(both, () -> {});
                    }
                }
            }));
        }
        for (Future<?> each : done) {
            each.get(30, TimeUnit.SECONDS);
        }
        threads.shutdown();
        assertTrue(most.get() <= 10, "at most " + most);
        assertTrue(quotas.isEmpty());
    }
}
