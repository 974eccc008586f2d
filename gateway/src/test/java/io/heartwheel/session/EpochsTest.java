package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.liveness.LivenessSettings;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Promises of protocol.md on epochs: those of a device grow, and a device changes nobody else's. */
class EpochsTest {
    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final long HOUR = TimeUnit.HOURS.toMicros(1);
    private static final long DAY = SessionRegistry.MAX_AHEAD_MICROS;

    private final VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
    private long wallMicros = START_MICROS;
    private long nowNanos;
    private SessionRegistry registry = new SessionRegistry(this::minuteLater, () -> wallMicros, 0);
    private SessionContext sessionContext = FakeSession.claimingFrom(registry, gateway.sessionContext);
    private long sessions;

    /** A minute later at each look: no takeover follows another too soon. */
    private long minuteLater() {
        nowNanos += 60_000_000_000L;
        return nowNanos;
    }

    private void restart() {
        restart(0);
    }

    private void restart(long greatestEpoch) {
        registry = new SessionRegistry(this::minuteLater, () -> wallMicros, greatestEpoch);
        sessionContext = FakeSession.claimingFrom(registry, gateway.sessionContext);
    }

    private FakeSession connect(String device, long remembered) {
        return new FakeSession(sessionContext).accept(++sessions).hello(device, "", remembered);
    }

    private long epoch(String device, long remembered) {
        return connect(device, remembered).epoch();
    }

    @Test
    void hello_thatRemembersALaterEpoch_raisesItsOwnOnly() {
        assertEquals(START_MICROS, epoch("a", 0));
        assertEquals(START_MICROS + 23 * HOUR + 1, epoch("liar", START_MICROS + 23 * HOUR));
        assertEquals(START_MICROS + 2, epoch("b", 0));
        assertEquals(START_MICROS + 3, epoch("a", START_MICROS));
    }

    @Test
    void hello_afterARestartWithTheClockSetBack_isAboveWhatWasIssuedBefore() {
        long before = epoch("a", 0);
        wallMicros -= 30 * DAY;
        restart(before);

        assertEquals(before + 1, epoch("a", 0));
        assertEquals(before + 2, epoch("new", 0));
    }

    @Test
    void hello_beyondADayAhead_isNotBelieved() {
        assertEquals(START_MICROS + DAY + 1, epoch("at the bound", START_MICROS + DAY));
        assertEquals(START_MICROS + 1, epoch("beyond", START_MICROS + DAY + 2));
        assertEquals(START_MICROS + 2, epoch("far beyond", Long.MAX_VALUE));
        assertEquals(START_MICROS + 3, epoch("what no gateway gave", -1));
    }

    @Test
    void hello_afterARestartWithTheClockSetBack_isRaisedByWhatTheDeviceRemembers() {
        long before = epoch("d", 0);
        wallMicros -= 20 * HOUR;
        restart();
        assertEquals(before + 1, epoch("d", before));
        assertEquals(START_MICROS - 20 * HOUR + 1, epoch("another", 0));
    }

    @Test
    void hello_ofALiarThatForgets_growsOn() {
        FakeSession lying = connect("d", START_MICROS + 23 * HOUR);
        long lie = lying.epoch();
        FakeSession takeover = connect("d", 0);
        assertEquals(lie + 1, takeover.epoch());
        takeover.hangUp();
        assertEquals(lie + 2, epoch("d", 0));
        wallMicros += 24 * HOUR;
        assertEquals(wallMicros, epoch("d", 0));
    }

    /** More devices run ahead than can be kept: those that stay connected are known all the same. */
    @Test
    void hello_ofMoreDevicesAheadThanAreKept_isBounded() {
        long ahead = START_MICROS + HOUR;
        FakeSession first = connect("first", ahead);
        for (int i = 0; i < EpochsAhead.MOST + 10; i++) {
            connect("device-" + i, ahead).hangUp();
        }
        assertEquals(EpochsAhead.MOST, registry.devicesAhead());
        assertEquals(first.epoch() + 1, epoch("first", 0));
        wallMicros += 2 * HOUR;
        connect("mover", 0).hangUp();
        connect("one more", wallMicros + HOUR).hangUp();
        assertEquals(1, registry.devicesAhead());
    }

    /** A device of the trial: some remember, some forget, some say that they remember what nobody gave them. */
    private static final class Device {
        final String name;
        final boolean remembers;
        final boolean lies;
        long greatest;
        long greatestOfThisProcess;

        @Nullable
        FakeSession session;

        Device(int number) {
            name = "device-" + number;
            remembers = number % 3 != 0;
            lies = number % 5 == 0;
        }
    }

    /**
     * Random lives of devices against a store of every epoch ever given. Within a process they grow whatever the clock and the devices do. Over a
     * restart they grow for who remembers, as long as clock and lies together are no more than a day apart, and for who forgets once the clock is
     * past what it was given.
     */
    @Test
    void epochs_seeded_growOverRestartsTakeoversClockStepsAndLies() {
        long fresh = Long.getLong("test.seed", System.nanoTime());
        for (int round = 0; round < 20; round++) {
            live(round);
            live(fresh + 1_000L * (round + 1));
        }
    }

    private void live(long seed) {
        Random random = new Random(seed);
        wallMicros = START_MICROS;
        restart();
        List<Device> devices = IntStream.range(0, 60).mapToObj(Device::new).toList();
        long latestClock = wallMicros;
        int restarts = 0;
        for (int step = 0; step < 3_000; step++) {
            Device device = devices.get(random.nextInt(devices.size()));
            switch (random.nextInt(20)) {
                case 0 -> wallMicros += (long) (random.nextDouble() * 12 * HOUR);
                case 1 -> // a step back, but never more than an hour behind the latest: with lies of 23 h, a day
                    wallMicros = Math.max(latestClock - HOUR, wallMicros - (long) (random.nextDouble() * 2 * HOUR));
                case 2 -> {
                    if (random.nextInt(10) == 0) {
                        restarts++;
                        restart();
                        devices.forEach(each -> each.greatestOfThisProcess = 0);
                    }
                }
                case 3, 4, 5 -> {
                    if (device.session != null) {
                        device.session.hangUp();
                    }
                }
                default -> {
                    wallMicros += random.nextInt(1_000_000);
                    claim(device, random, seed, latestClock);
                }
            }
            latestClock = Math.max(latestClock, wallMicros);
        }
        assertTrue(restarts > 0, () -> "seed " + seed + " has no restart");
        devices.forEach(each -> {
            if (each.session != null) {
                each.session.hangUp();
            }
        });
        gateway.pass(Duration.ofSeconds(2)); // until the last has lingered
    }

    private void claim(Device device, Random random, long seed, long latestClock) {
        long remembered = device.remembers ? device.greatest : 0;
        if (device.lies && random.nextInt(4) == 0) {
            remembered = Math.max(remembered, wallMicros + 23 * HOUR - 1);
        }
        device.session = connect(device.name, remembered);
        long given = device.session.epoch();
        String what = "seed " + seed + ", " + device.name + " was given " + given + " at " + wallMicros;
        assertTrue(given > device.greatestOfThisProcess, what + " after " + device.greatestOfThisProcess);
        if (device.remembers || wallMicros > device.greatest) {
            assertTrue(given > device.greatest, what + " after " + device.greatest + " before a restart");
        }
        if (!device.lies) {
            assertTrue(given <= Math.max(latestClock, wallMicros) + 3_000, what + ", moved by others");
        }
        device.greatest = Math.max(device.greatest, given);
        device.greatestOfThisProcess = given;
    }
}
