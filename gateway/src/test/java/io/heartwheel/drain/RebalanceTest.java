package io.heartwheel.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gateways that share a port, after a rolling restart with a spare one: how unequal they are, and the rule of systemd.md that makes them equal again. */
class RebalanceTest {
    private static final int MEAN = 2_000;
    private static final long SECOND = 1_000_000_000L;

    private final Random random = Plans.random();

    /** Each drains in its turn, and the kernel spreads its devices over all that listen; the last one is the spare one, which goes at the end. */
    private int[] rollingRestart(int[] before) {
        int instances = before.length;
        int[] devices = Arrays.copyOf(before, instances + 1);
        for (int draining = 0; draining <= instances; draining++) {
            int leaving = devices[draining];
            devices[draining] = 0;
            for (int i = 0; i < leaving; i++) {
                int lands = random.nextInt(instances);
                devices[lands < draining ? lands : lands + 1]++;
            }
        }
        return Arrays.copyOf(devices, instances);
    }

    private static int[] even(int instances) {
        int[] devices = new int[instances];
        Arrays.fill(devices, MEAN);
        return devices;
    }

    private static double most(int[] devices) {
        return Arrays.stream(devices).max().orElse(0)
                / Arrays.stream(devices).average().orElse(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void rollingRestart_ofInstances_leavesTheFirstWithTheFactor(int n) {
        int[] devices = rollingRestart(even(n));
        double factor = Math.pow(1 + 1.0 / n, n + 1) - 1 - 2.0 / n;
        assertEquals(factor, devices[0] / (double) MEAN, 0.15);
        assertEquals(most(devices), devices[0] / (double) MEAN, 0.001);
        for (int i = 0; i < 20; i++) {
            devices = rollingRestart(devices);
        }
        assertEquals(2.0 * n / (n + 1), devices[0] / (double) MEAN, 0.15);
    }

    /** No more than what is above seven tenths of the mean, by the expected numbers. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void rebalance_downToSevenTenths_leavesNobodyWithMoreThanATenthTooMany(int n) {
        double[] devices = new double[n + 1];
        Arrays.fill(devices, 0, n, 1);
        for (int draining = 0; draining <= n; draining++) {
            double each = devices[draining] / n;
            Arrays.setAll(devices, i -> devices[i] + each);
            devices[draining] = 0;
        }
        double moved = Arrays.stream(devices)
                .limit(n)
                .map(has -> Math.max(0, has - 0.7))
                .sum();
        assertTrue(0.7 + moved / n <= 1.1);
        assertEquals(0.365, moved / n, 0.03);
    }

    /** One instance, its drain of a share, and where its devices are. */
    private final class Instance {
        final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        final DrainCounts counts = new DrainCounts();
        final SessionContext context = FakeSession.watchedBy(counts, gateway.sessionContext);
        long sessions;

        void take(String id) {
            new FakeSession(context).accept(++sessions).hello(id, "");
        }

        /** Sends so many away; each leaves when it is told, and lands anywhere. */
        void sendAway(long count, List<Instance> all) {
            DrainOrder order = new DrainOrder(10_000, 1_000, Duration.ofMinutes(1), new DrainOrder.Share(1, count));
            DrainPlan plan = Drain.forecast(gateway.registry, Plans.settings(), order);
            Drain drain = new Drain(gateway.registry, plan, () -> {}, counts, devices -> "", random, 0, 0);
            for (long now = 0; !drain.isOver(); now += SECOND) {
                drain.turn(now);
                List<Session> leaving = new ArrayList<>();
                gateway.registry.forEach(each -> {
                    if (each.state() == ConnectionState.LEAVING) {
                        leaving.add(each);
                    }
                });
                for (Session each : leaving) {
                    ((FakeSession) each).hangUp();
                    all.get(random.nextInt(all.size())).take(each.deviceId());
                }
            }
            assertEquals(count, drain.progress(0).told());
        }
    }

    /** One after the other: what it has now, less what the emptiest has now. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void rebalance_eachInItsTurnDownToTheFewest_bringsAllToTheMean(int n) {
        int[] devices = rollingRestart(even(n));
        List<Instance> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(new Instance());
            for (int device = 0; device < devices[i]; device++) {
                all.get(i).take("device-" + i + "-" + device);
            }
        }
        for (Instance each : all) {
            long fewest = all.stream()
                    .mapToLong(it -> it.gateway.registry.size())
                    .min()
                    .orElse(0);
            each.sendAway(each.gateway.registry.size() - fewest, all);
        }
        int[] after = all.stream()
                .mapToInt(each -> (int) each.gateway.registry.size())
                .toArray();
        assertEquals((long) n * MEAN, Arrays.stream(after).sum());
        assertTrue(most(after) <= 1.1, () -> Arrays.toString(after));
    }
}
