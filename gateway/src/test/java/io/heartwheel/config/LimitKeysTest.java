package io.heartwheel.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.RateClasses;
import io.heartwheel.liveness.RateLimits;
import io.heartwheel.session.ConnectionQuotaSettings;
import io.heartwheel.transport.AcceptLimitSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits whose keys the operator names, and the rate of accepts. */
class LimitKeysTest {
    @TempDir
    Path directory;

    private GatewaySettings load(String text) throws Exception {
        return Loading.block(directory, "heartwheel", text).settings();
    }

    private List<String> problems(String text) {
        return Loading.problems(() -> load(text));
    }

    @Test
    void classes_someKeys_haveTheRestOfTheOrdinaryLimits() throws Exception {
        RateClasses limits =
                load("limits { burst = 3s, classes { camera { bytes-per-second = 32MiB }, \"a.b:1\" { frames-per-second = 10, enabled = false } } }")
                        .protocol()
                        .limits();
        RateLimits ordinary = new RateLimits(true, 1_000, 4 << 20, Duration.ofSeconds(3), Duration.ofSeconds(60));
        assertEquals(ordinary, limits.ordinary());
        assertEquals(
                new RateLimits(true, 1_000, 32 << 20, Duration.ofSeconds(3), Duration.ofSeconds(60)),
                limits.of("camera"));
        assertEquals(
                new RateLimits(false, 10, 4 << 20, Duration.ofSeconds(3), Duration.ofSeconds(60)), limits.of("a.b:1"));
        assertSame(limits.ordinary(), limits.of("other"));
        assertSame(limits.ordinary(), limits.of(""));
        assertTrue(limits.knows("camera") && limits.knows(""));
        assertFalse(limits.knows("other"));
    }

    @Test
    void connectionLimits_namesWithDots_areRead() throws Exception {
        assertEquals(
                new ConnectionQuotaSettings(Map.of("acme", 5, "a.b", 7), Map.of("site", 9)),
                load("connection-limits { groups { acme = 5, a.b = 7 }, attributes { site = 9 } }")
                        .admission()
                        .quotas());
    }

    @Test
    void acceptLimit_offAndOn_isReadOnlyIfOn() throws Exception {
        assertNull(load("accept-limit { per-second = 5 }").admission().accepts());
        assertEquals(
                new AcceptLimitSettings(5, 2_000, Duration.ofSeconds(1), Duration.ofMinutes(10)),
                load("accept-limit { enabled = true, per-second = 5, retry-max = 10m }")
                        .admission()
                        .accepts());
    }

    @Test
    void mistakes_areAllTold() {
        String need =
                "need NAME { ... } with one or more of enabled, frames-per-second, bytes-per-second, burst, close-after,"
                        + " and a name of 1..64 characters of [A-Za-z0-9._:-]";
        assertEquals(
                Set.of(
                        "heartwheel.connection-limits.groups.a b = 1: need a name of 1..64 characters of [A-Za-z0-9._:-] (gateway.conf:5)",
                        "heartwheel.connection-limits.groups.acme = 0: need 1..10000000 (gateway.conf:5)",
                        "heartwheel.limits.classes.camera = 5: " + need + " (gateway.conf:3)",
                        "heartwheel.limits.classes.gold.burst = 2m: need 100ms..1m (gateway.conf:2)",
                        "heartwheel.limits.classes.gold.rate = 2: " + need + " (gateway.conf:2)",
                        "heartwheel.accept-limit.retry-min = 1h: need at most retry-max = 30s (gateway.conf:4)"),
                Set.copyOf(problems("limits.classes.gold { burst = 2m, rate = 2 }\nlimits.classes.camera = 5\n"
                        + "accept-limit.retry-min = 1h\nconnection-limits.groups { acme = 0, \"a b\" = 1 }")));
    }

    @Test
    void reload_namesComeAndGo_atOnce() throws Exception {
        LoadedConfig none = ConfigLoader.read(null, Map.of(), Map.of());
        LoadedConfig some = ConfigLoader.read(
                null,
                Map.of(
                        "heartwheel.connection-limits.groups.acme", "5",
                        "heartwheel.limits.classes.gold.burst", "2s",
                        "heartwheel.accept-limit.enabled", "true"),
                Map.of());
        ReloadPlan plan = ReloadPlan.of(none, some);
        assertEquals(List.of(), plan.waiting());
        assertEquals(3, plan.taken().size(), plan.taken()::toString);
        assertEquals(some.settings().admission(), plan.next().settings().admission());
        assertEquals(some.settings().protocol(), plan.next().settings().protocol());
    }
}
