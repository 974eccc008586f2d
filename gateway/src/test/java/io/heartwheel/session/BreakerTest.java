package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Incident;
import io.heartwheel.session.SessionObserver.SuspectOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A mass expiry in virtual time: who is held back, who is absolved, who is closed and how fast. Heartbeat 60 s x 1.5. */
class BreakerTest {
    private static final BreakerSettings SETTINGS =
            new BreakerSettings(true, Duration.ofSeconds(30), 0.1, 0.5, 100, Duration.ofSeconds(10), 100);

    private final VirtualGateway gateway = new VirtualGateway(
            Long.MAX_VALUE - 100_000_000_000L, LivenessSettings.defaults(), Credentials.ANYBODY, SETTINGS, null);

    private List<FakeSession> devices(int count, int subnet) {
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FakeSession device = new FakeSession(gateway.scope);
            device.address = new byte[] {10, 0, (byte) subnet, (byte) i};
            devices.add(device.accept(i + 1).hello("d" + subnet + "." + i, ""));
        }
        return devices;
    }

    /** Lets time pass while these go on beating. */
    private void pass(int seconds, List<FakeSession> beating) {
        for (int i = 0; i < seconds; i += 5) {
            beating.forEach(FakeSession::beat);
            gateway.pass(Duration.ofSeconds(Math.min(5, seconds - i)));
        }
    }

    private static long open(List<FakeSession> devices) {
        return devices.stream().filter(Session::isEstablished).count();
    }

    @Test
    void expiry_ofAllAtOnce_closesNobodyBeforeThePatienceIsOver() {
        List<FakeSession> devices = devices(1_000, 0);
        gateway.pass(Duration.ofSeconds(95));
        assertEquals(1_000, open(devices), "due at 90 s, held back");
        assertEquals(1_000, gateway.breaker.suspects());
        assertTrue(gateway.breaker.isOpen());
        assertEquals(1, gateway.incidents.size());
        Incident begun = gateway.incidents.get(0);
        assertFalse(begun.ended());
        assertEquals(1_000, begun.expired());
        assertEquals(1_000, begun.connections());
        assertTrue(begun.scopes().contains("all"), begun.scopes().toString());
        devices.forEach(device -> assertEquals(
                2, Collections.frequency(device.frames, "PING"), "asked after an interval, and once more"));
    }

    @Test
    void suspects_thatStaySilent_areClosedAtTheRate() {
        List<FakeSession> devices = devices(1_000, 0);
        gateway.pass(Duration.ofMillis(100_100));
        long afterPatience = 1_000 - open(devices);
        gateway.pass(Duration.ofSeconds(5));
        long fiveSecondsLater = 1_000 - open(devices);
        assertEquals(500, fiveSecondsLater - afterPatience, 5);
        gateway.pass(Duration.ofSeconds(6));
        assertEquals(0, open(devices));
        assertTrue(gateway.closed.stream().allMatch(closed -> closed.reason() == CloseReason.HEARTBEAT_TIMEOUT));
        assertTrue(
                gateway.closed.stream().allMatch(closed -> closed.latenessNanos() <= VirtualGateway.TICK_NANOS),
                "each on time at its turn");
        assertEquals(1_000, Collections.frequency(gateway.suspectOutcomes, SuspectOutcome.CLOSED));
        assertTrue(gateway.evidence.get(500).timing().suspect());
    }

    @Test
    void suspects_thatSpeak_areAbsolvedAndLive() {
        List<FakeSession> devices = devices(1_000, 0);
        gateway.pass(Duration.ofSeconds(95));
        pass(200, devices);
        assertEquals(1_000, open(devices));
        assertEquals(0, gateway.breaker.suspects());
        assertEquals(1_000, Collections.frequency(gateway.suspectOutcomes, SuspectOutcome.ABSOLVED));
        assertEquals(0, gateway.closed.size());
    }

    @Test
    void suspects_thatSpeakWhileInTheRow_areAbsolved() {
        List<FakeSession> devices = devices(1_000, 0);
        gateway.pass(Duration.ofMillis(100_500));
        long gone = 1_000 - open(devices);
        assertTrue(gone > 0 && gone < 200, gone + " closed so far");
        pass(100, devices);
        assertEquals(1_000 - gone, open(devices));
    }

    @Test
    void suspects_whoseTurnsCameWhileWeStoodStill_areClosedAtTheRateAllTheSame() {
        List<FakeSession> devices = devices(1_000, 0);
        gateway.pass(Duration.ofSeconds(101));
        long before = open(devices);
        gateway.stall(Duration.ofSeconds(4));
        gateway.turn();
        gateway.pass(Duration.ofSeconds(1));
        assertEquals(100, before - open(devices), 10, "in the second after the stall");
        gateway.pass(Duration.ofSeconds(12));
        assertEquals(0, open(devices));
    }

    @Test
    void incident_whenAllIsQuietForAWindow_endsWithItsCounts() {
        List<FakeSession> devices = devices(500, 0);
        List<FakeSession> living = devices(300, 1);
        pass(95, living);
        assertEquals(1, gateway.incidents.size());
        devices.get(0).hangUp();
        devices.subList(1, 101).forEach(FakeSession::beat);
        pass(50, concat(living, devices.subList(1, 101)));
        assertEquals(2, gateway.incidents.size());
        Incident ended = gateway.incidents.get(1);
        assertTrue(ended.ended());
        assertEquals(500, ended.suspects());
        assertEquals(100, ended.absolved());
        assertEquals(399, ended.closed());
        assertEquals(1, ended.left());
        assertTrue(ended.lastedMillis() >= 30_000, "a window at least: " + ended.lastedMillis());
        assertFalse(gateway.breaker.isOpen());
        assertNull(gateway.breaker.current());
        assertEquals(300, open(living));
    }

    @Test
    void expiry_belowTheShare_isClosedAsEver() {
        List<FakeSession> dead = devices(150, 0);
        List<FakeSession> living = devices(2_000, 1);
        living.forEach(device -> device.address = new byte[] {10, 0, (byte) (device.sessionId() % 200), 1});
        // the dead are spread over subnets as well, so that none stands out
        dead.forEach(device -> device.address = new byte[] {10, 0, (byte) (device.sessionId() % 200), 2});
        pass(95, living);
        assertEquals(0, open(dead));
        assertEquals(0, gateway.incidents.size());
    }

    @Test
    void expiry_ofOneSubnet_holdsBackThatSubnetAlone() {
        List<FakeSession> site = devices(200, 7);
        List<FakeSession> living = new ArrayList<>();
        for (int subnet = 20; subnet < 40; subnet++) {
            living.addAll(devices(150, subnet));
        }
        List<FakeSession> elsewhere = List.copyOf(living.subList(0, 10));
        living.subList(0, 10).clear();
        pass(85, concat(living, elsewhere));
        pass(10, living);
        assertEquals(200, open(site), "held back");
        assertEquals(List.of("subnet 10.0.7.0/24"), gateway.incidents.get(0).scopes());
        assertNotNull(gateway.breaker.current());
        pass(85, living);
        assertEquals(0, open(elsewhere), "died while the incident went on, one by one");
        assertEquals(0, open(site));
    }

    @Test
    void expiry_switchedOff_closesAllAtOnce() {
        VirtualGateway unguarded =
                new VirtualGateway(0, LivenessSettings.defaults(), Credentials.ANYBODY, BreakerSettings.OFF, null);
        for (int i = 0; i < 1_000; i++) {
            new FakeSession(unguarded.scope).accept(i + 1).hello("d" + i, "");
        }
        unguarded.pass(Duration.ofMillis(90_100));
        assertEquals(1_000, unguarded.closed.size());
        assertEquals(0, unguarded.incidents.size());
    }

    @Test
    void subnetName_ofSixthVersion_isItsSite() {
        byte[] address = {0x20, 1, 0x0d, (byte) 0xb8, 0, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        assertEquals("subnet 2001:db8:42::/48", Scopes.subnetName(address));
    }

    private static List<FakeSession> concat(List<FakeSession> one, List<FakeSession> other) {
        List<FakeSession> both = new ArrayList<>(one);
        both.addAll(other);
        return both;
    }
}
