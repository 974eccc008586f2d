package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import io.heartwheel.drain.DrainSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** The gateways that take what a drain sends away. */
class OtherGatewaysTest {
    private final List<NodeStatus> words = new ArrayList<>();
    private final OtherGateways others = new OtherGateways(() -> words);

    static DrainSettings settings(int readmitRate, String alternateHost) {
        return new DrainSettings(
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                10_000,
                readmitRate,
                Duration.ZERO,
                alternateHost,
                0);
    }

    static NodeStatus word(String name, long devices, int admitPerSecond) {
        return new NodeStatus(new NodeId(name, 1), devices, admitPerSecond, name + ":7070");
    }

    private void assertRate(int perSecond, int announcing, DrainSettings configured) {
        DrainSettings complete = others.complete(configured);
        assertEquals(perSecond, complete.order(false).admitPerSecond());
        assertEquals(announcing, complete.order(false).announcing());
        assertEquals(complete.ownRate(), complete.order(false).admitPerSecond());
        assertEquals(configured.alternateHost(), complete.alternateHost());
    }

    // ------------------------------------------------------------------ how many

    @Test
    void rate_leftToTheFleet_isWhatTheOthersTakeTogether() {
        words.addAll(List.of(word("b", 5, 800), word("c", 7, 1_500)));
        assertRate(2_300, 2, settings(DrainSettings.BY_FLEET, ""));
    }

    @Test
    void rate_configured_isNobodyElsesMatter() {
        words.add(word("b", 5, 800));
        assertRate(70, 0, settings(70, ""));
    }

    @Test
    void rate_nobodySaysAnything_isTheDefault() {
        assertRate(1_000, 0, settings(DrainSettings.BY_FLEET, ""));
        words.add(new NodeStatus(new NodeId("earlier", 1), 9));
        words.add(word("draining", 9, 0));
        assertRate(1_000, 0, settings(DrainSettings.BY_FLEET, ""));
    }

    @Test
    void rate_ofMany_isNoMoreThanARateMayBe() {
        for (int i = 0; i < 3_000; i++) {
            words.add(word("n" + i, 1, DrainSettings.MAX_RATE));
        }
        assertRate(DrainSettings.MAX_RATE, 3_000, settings(DrainSettings.BY_FLEET, ""));
    }

    @Test
    void rate_toTheLeastLoaded_isWhatEachOfThoseWithAnAddressTakes() {
        words.addAll(
                List.of(word("b", 5, 800), word("c", 7, 300), new NodeStatus(new NodeId("nowhere", 1), 0, 10, "")));
        assertRate(300, 2, settings(DrainSettings.BY_FLEET, DrainSettings.LEAST_LOADED));
    }

    // ------------------------------------------------------------------ where to

    @Test
    void leastLoaded_countsThoseThatAreOnTheirWay() {
        words.addAll(List.of(word("b", 100, 10), word("c", 130, 10)));
        IntFunction<String> where = others.leastLoaded();
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            sent.add(where.apply(20));
        }
        assertEquals(List.of("b:7070", "b:7070", "c:7070", "b:7070", "c:7070", "b:7070"), sent);
    }

    @Test
    void leastLoaded_whoeverHasGrownMeanwhile_isPassedOver() {
        words.addAll(List.of(word("b", 100, 10), word("c", 130, 10)));
        IntFunction<String> where = others.leastLoaded();
        assertEquals("b:7070", where.apply(5));
        words.set(0, word("b", 400, 10));
        assertEquals("c:7070", where.apply(5));
    }

    @Test
    void leastLoaded_whoeverDrainsOrSaysNoAddress_isNotNamed() {
        words.addAll(Arrays.asList(
                word("draining", 1, 0), new NodeStatus(new NodeId("nowhere", 1), 2, 10, ""), word("c", 130, 10)));
        IntFunction<String> where = others.leastLoaded();
        assertEquals("c:7070", where.apply(1));
        words.remove(2);
        assertEquals("", where.apply(1), "the same address");
    }
}
