package io.heartwheel.liveness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Incident;
import io.heartwheel.liveness.LivenessObserver.SuspectOutcome;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A mass expiry in virtual time: who is held back, who is cleared, who is closed and how fast. Heartbeat 60 s x 1.5. */
class BreakerTest {
    private static final BreakerSettings SETTINGS =
            new BreakerSettings(true, Duration.ofSeconds(30), 0.1, 0.5, 100, Duration.ofSeconds(10), 100);

    private final VirtualGateway gateway = new VirtualGateway(
            Long.MAX_VALUE - 100_000_000_000L, LivenessSettings.defaults(), AuthPolicy.ANYBODY, SETTINGS, null);

    private int accepted;

    private List<FakeSession> devices(int count, int subnet) {
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FakeSession device = new FakeSession(gateway.sessionContext);
            device.address = new byte[] {10, 0, (byte) subnet, (byte) i};
            accepted++;
            devices.add(device.accept(accepted).hello("d" + subnet + "." + accepted, ""));
        }
        return devices;
    }

    /** They do once what they promised. */
    @SafeVarargs
    private void keepPromise(List<FakeSession>... devices) {
        gateway.pass(Duration.ofSeconds(60));
        for (List<FakeSession> each : devices) {
            each.forEach(FakeSession::beat);
        }
    }

    private List<FakeSession> devicesThatBeat(int count, int subnet) {
        List<FakeSession> devices = devices(count, subnet);
        keepPromise(devices);
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
        List<FakeSession> devices = devicesThatBeat(1_000, 0);
        gateway.pass(Duration.ofSeconds(95));
        assertEquals(1_000, open(devices), "due at 90 s, held back");
        assertEquals(1_000, gateway.breaker.suspects());
        assertTrue(gateway.breaker.isOpen());
        assertEquals(1, gateway.incidents.size());
        Incident begun = gateway.incidents.get(0);
        assertFalse(begun.ended());
        assertEquals(1_000, begun.expired());
        assertEquals(1_000, begun.connections());
        assertEquals(List.of("subnet 10.0.0.0/24"), begun.failureGroups(), "where all of them are");
        devices.forEach(device -> assertEquals(
                2, Collections.frequency(device.frames, "PING"), "asked after an interval, and once more"));
    }

    @Test
    void suspects_thatStaySilent_areClosedAtTheRate() {
        List<FakeSession> devices = devicesThatBeat(1_000, 0);
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
    void suspects_thatSpeakWhileInTheQueue_areCleared() {
        List<FakeSession> devices = devicesThatBeat(1_000, 0);
        gateway.pass(Duration.ofMillis(100_500));
        long gone = 1_000 - open(devices);
        assertTrue(gone > 0 && gone < 200, gone + " closed so far");
        pass(100, devices);
        assertEquals(1_000 - gone, open(devices));
    }

    @Test
    void suspects_whoseTurnsCameWhileWeStoodStill_areClosedAtTheRateAllTheSame() {
        List<FakeSession> devices = devicesThatBeat(1_000, 0);
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
    void suspects_whoseTurnsAreMissedAgainAndAgain_areClosedAllTheSame() {
        List<FakeSession> devices = devicesThatBeat(1_000, 0);
        gateway.pass(Duration.ofSeconds(100));
        for (int i = 0; i < 40; i++) {
            gateway.stall(Duration.ofMillis(700));
            gateway.turn();
        }
        assertEquals(0, open(devices));
    }

    @Test
    void suspects_ofAWheelThatTurnsSeldom_areClosedAtTheRate() {
        BreakerSettings slow =
                new BreakerSettings(true, Duration.ofSeconds(30), 0.1, 0.5, 10, Duration.ofSeconds(10), 10);
        VirtualGateway other =
                new VirtualGateway(0, LivenessSettings.defaults(), AuthPolicy.ANYBODY, slow, null, 100_000_000);
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            FakeSession device = new FakeSession(other.sessionContext);
            devices.add(device.accept(i).hello("d" + i, ""));
        }
        // from here on the loop looks at its clock between two ticks
        other.pass(Duration.ofMillis(60_007));
        devices.forEach(FakeSession::beat);
        other.pass(Duration.ofMillis(100_200));
        assertEquals(
                50,
                devices.stream()
                        .filter(device -> device.isSuspect() || !device.isEstablished())
                        .count());
        other.pass(Duration.ofMillis(5_200));
        assertEquals(0, open(devices));
    }

    @Test
    void incident_whenAllIsQuietForAWindow_endsWithItsCounts() {
        List<FakeSession> devices = devices(500, 0);
        List<FakeSession> living = devices(300, 1);
        keepPromise(devices, living);
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
        keepPromise(dead, living);
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
        keepPromise(site, living);
        List<FakeSession> elsewhere = List.copyOf(living.subList(0, 10));
        living.subList(0, 10).clear();
        pass(85, concat(living, elsewhere));
        pass(10, living);
        assertEquals(200, open(site), "held back");
        assertEquals(List.of("subnet 10.0.7.0/24"), gateway.incidents.get(0).failureGroups());
        assertNotNull(gateway.breaker.current());
        pass(85, living);
        assertEquals(0, open(elsewhere), "died while the incident went on, one by one");
        assertEquals(0, open(site));
    }

    @Test
    void expiry_longAfterAnIncidentWhoseEndNobodySaw_isClosedAsEver() {
        List<FakeSession> site = devices(200, 7);
        List<FakeSession> later = devices(20, 7);
        List<FakeSession> living = devices(900, 8);
        keepPromise(site, later, living);
        pass(95, concat(living, later));
        assertEquals(200, open(site), "held back");
        gateway.breakerStands = true;
        pass(40, concat(living, later));
        later.forEach(FakeSession::beat);
        pass(91, living);
        assertEquals(0, open(later), "a window has passed");
    }

    /**
     * 300 of 1,258 fall silent in one subnet, and come again and again: the others' dead are found as ever. So also when most of that subnet goes on
     * beating, and it does not stand out by itself.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 300, 700})
    void expiry_ofAQuarterInOneSubnet_delaysNobodyElsesClose(int beatingThere) {
        List<FakeSession> others = new ArrayList<>();
        for (int subnet = 100; subnet < 196; subnet++) {
            others.addAll(devices(10, subnet));
        }
        List<FakeSession> lively = devices(beatingThere, 7);
        List<FakeSession> silent = devices(300, 7);
        keepPromise(others, lively, silent);
        List<FakeSession> dying = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            // one in five seconds falls silent elsewhere, all the time
            dying.add(others.remove(others.size() / 2));
            pass(5, concat(others, lively));
            if (round % 4 == 0) {
                devices(20, 7);
            }
        }
        gateway.pass(Duration.ofMillis(1));
        pass(90, concat(others, lively));
        assertEquals(List.of("subnet 10.0.7.0/24"), gateway.incidents.get(0).failureGroups());
        assertFoundInTime(dying);
        assertTrue(gateway.suspectOutcomes.size() >= 300, "the silent ones were held back");
    }

    private void assertFoundInTime(List<FakeSession> dying) {
        assertEquals(0, open(dying));
        long late = TimeUnit.SECONDS.toNanos(90) + VirtualGateway.TICK_NANOS + TimeUnit.MILLISECONDS.toNanos(20);
        List<Long> silences = gateway.evidence.stream()
                .filter(evidence -> evidence.identity().deviceId().matches("d1[0-9][0-9][.].*"))
                .map(evidence ->
                        TimeUnit.MILLISECONDS.toNanos(evidence.traffic().lastFrameInMillisAgo()))
                .toList();
        assertEquals(dying.size(), silences.size());
        silences.forEach(silence -> assertTrue(silence <= late, silence + " ns of silence"));
    }

    /**
     * Nearly half of a large subnet, and one of each small one, or of most: below the share where there are ten, over it where there are nine. The large one
     * alone takes all over their share.
     */
    @ParameterizedTest
    @CsvSource({"10, 60", "9, 36"})
    void expiry_ofOneSubnetBesideAFewDeathsInMostOthers_isOfThatSubnet(int small, int struck) {
        List<FakeSession> others = new ArrayList<>();
        for (int subnet = 100; subnet < 160; subnet++) {
            others.addAll(devices(small, subnet));
        }
        List<FakeSession> large = devices(250, 7);
        List<FakeSession> livelyThere = devices(300, 7);
        keepPromise(others, large, livelyThere);
        List<FakeSession> lively = new ArrayList<>(livelyThere);
        for (int i = 0; i < others.size(); i++) {
            if (i % small != 0 || i >= small * struck) {
                lively.add(others.get(i));
            }
        }
        pass(95, lively);
        assertEquals(List.of("subnet 10.0.7.0/24"), gateway.incidents.get(0).failureGroups());
        assertEquals(struck, gateway.closed.size(), "closed in time, all that died elsewhere");
    }

    /** A fleet that came back in a storm and dies before its first heartbeat is exactly the one that storms again. */
    @Test
    void expiry_ofConnectionsThatNeverSpoke_isHeldBack() {
        List<FakeSession> brief = spread(devices(600, 0));
        List<FakeSession> living = spread(devices(400, 1));
        pass(95, living);
        assertEquals(600, open(brief), "due at 90 s, held back");
        assertEquals(List.of("all"), gateway.incidents.get(0).failureGroups());
        assertEquals(600, gateway.incidents.get(0).expired());
        assertEquals(1_000, gateway.incidents.get(0).connections());
    }

    /** As many strangers as there are devices say HELLO and nothing more, every half minute, from few subnets. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void expiry_ofStrangersThatNeverSpeak_delaysNobodyElsesClose(int subnets) {
        List<FakeSession> others = new ArrayList<>();
        for (int subnet = 100; subnet < 196; subnet++) {
            others.addAll(devices(10, subnet));
        }
        keepPromise(others);
        List<FakeSession> dying = new ArrayList<>();
        for (int round = 0; round < 30; round++) {
            if (round % 6 == 0) {
                for (int subnet = 0; subnet < subnets; subnet++) {
                    devices(960 / subnets, subnet);
                }
            }
            dying.add(others.remove(others.size() / 2));
            pass(5, others);
        }
        pass(95, others);
        assertTrue(gateway.suspectOutcomes.size() >= 960, "the strangers were held back");
        List<String> scopes = gateway.incidents.get(0).failureGroups();
        assertTrue(
                scopes.stream().allMatch(scope -> scope.matches("subnet 10\\.0\\.1?[0-9]\\.0/24")), scopes::toString);
        assertFoundInTime(dying);
    }

    @Test
    void expiry_ofEverySubnet_isOfAll() {
        List<FakeSession> devices = spread(devices(1_000, 0));
        List<FakeSession> living = spread(devices(1_000, 1));
        keepPromise(devices, living);
        pass(95, living);
        assertEquals(1_000, open(devices));
        assertEquals(List.of("all"), gateway.incidents.get(0).failureGroups());
    }

    @Test
    void expiry_ofAListener_holdsBackThatListenerAlone() {
        List<FakeSession> living = spread(devices(2_000, 1));
        SessionContext other =
                gateway.sessionContext.through(1, "ws", gateway.sessionContext.policy(), AuthPolicy.ANYBODY);
        List<FakeSession> dead = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            dead.add(new FakeSession(other).accept(5_000 + i).hello("ws" + i, ""));
        }
        spread(dead);
        keepPromise(living, dead);
        pass(95, living);
        assertEquals(200, open(dead));
        assertEquals(List.of("listener ws"), gateway.incidents.get(0).failureGroups());
    }

    @Test
    void incident_afterDeathsOneByOne_hasNoMoreDeadThanConnections() {
        List<FakeSession> devices = devicesThatBeat(150, 0);
        for (int i = 0; i < 140; i++) {
            devices.subList(i, 150).forEach(FakeSession::beat);
            gateway.pass(Duration.ofMillis(150));
        }
        gateway.pass(Duration.ofSeconds(90));
        Incident begun = gateway.incidents.get(0);
        assertEquals(100, begun.expired(), 1);
        assertEquals(150, begun.connections(), "those closed meanwhile among them");
    }

    @Test
    void incident_inWhichASubnetStandsOutTwice_namesItOnce() {
        List<FakeSession> site = devices(300, 7);
        List<FakeSession> living = devices(200, 8);
        keepPromise(site, living);
        List<FakeSession> first = site.subList(0, 150);
        List<FakeSession> second = site.subList(150, 300);
        // the first ones speak when they are asked, so the incident goes on for their sake
        pass(95, concat(living, second));
        assertEquals(150, gateway.breaker.suspects());
        pass(5, concat(living, second));
        first.forEach(FakeSession::beat);
        pass(120, living);
        List<String> names = gateway.incidents.get(gateway.incidents.size() - 1).failureGroups();
        assertEquals(List.copyOf(new LinkedHashSet<>(names)), names);
    }

    /** The figures of the operations page: half of a fleet dies at one instant, with the settings of the reference configuration. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 10_000, 60_000})
    void expiry_ofHalfAFleetByDefault_isClosedAfterPatienceAtTheRate(int fleet) {
        VirtualGateway byDefault = new VirtualGateway(0, LivenessSettings.defaults());
        List<FakeSession> devices = fleet(byDefault, fleet);
        List<FakeSession> half = devices.subList(0, fleet / 2);
        List<FakeSession> living = devices.subList(fleet / 2, fleet);
        byDefault.pass(Duration.ofSeconds(60));
        half.forEach(FakeSession::beat);
        long seconds = 0;
        long firstClose = 0;
        while (open(half) > 0) {
            living.forEach(FakeSession::beat);
            byDefault.pass(Duration.ofSeconds(1));
            seconds++;
            firstClose = firstClose == 0 && open(half) < half.size() ? seconds : firstClose;
        }
        assertEquals(90 + 10, firstClose, 1, "the first is closed after its patience");
        int rate = Math.max(1_000, fleet / 15);
        assertEquals(rate, byDefault.breaker.closesASecond(), 1);
        assertEquals(90 + 10 + Math.ceil(1.0 * half.size() / rate), seconds, 1, "and the last in its turn");
        assertEquals(fleet / 2, open(living));
    }

    private static List<FakeSession> fleet(VirtualGateway gateway, int count) {
        List<FakeSession> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            FakeSession device = new FakeSession(gateway.sessionContext);
            device.address = new byte[] {10, 1, (byte) (i % 250), 1};
            devices.add(device.accept(i + 1).hello(count + "-" + i, ""));
        }
        return devices;
    }

    /** As many closes in each tick as in any other: the living feel no burst. */
    @Test
    void row_ofALargeFleet_isSpreadEvenlyOverTheTicks() {
        VirtualGateway byDefault = new VirtualGateway(0, LivenessSettings.defaults());
        List<FakeSession> fleet = fleet(byDefault, 30_000);
        byDefault.pass(Duration.ofSeconds(60));
        fleet.forEach(FakeSession::beat);
        byDefault.pass(Duration.ofSeconds(90 + 10 + 1));
        for (int tick = 0; tick < 300; tick++) {
            int before = byDefault.closed.size();
            byDefault.pass(Duration.ofNanos(VirtualGateway.TICK_NANOS));
            assertEquals(2_000 * VirtualGateway.TICK_NANOS / 1e9, byDefault.closed.size() - before, 1.5);
        }
    }

    /** The same when their beats were spread evenly over the interval, as those of a fleet are. */
    @Test
    void expiry_ofHalfAFleetByDefault_spreadOverAnInterval_holdsBackAllButAFifthOfTheFleet() {
        VirtualGateway byDefault = new VirtualGateway(0, LivenessSettings.defaults());
        List<FakeSession> fleet = fleet(byDefault, 6_000);
        for (int second = 0; second < 60 + 60 + 90 + 15; second++) {
            boolean cut = second >= 120;
            for (int i = second % 60; i < fleet.size(); i += 60) {
                if (!cut || i / 60 % 2 == 0) {
                    fleet.get(i).beat();
                }
            }
            byDefault.pass(Duration.ofSeconds(1));
        }
        assertEquals(3_000, open(fleet));
        int held = Collections.frequency(byDefault.suspectOutcomes, SuspectOutcome.CLOSED);
        assertEquals(1_200, 3_000 - held, 60, "closed as ever before it tripped");
        long most = TimeUnit.SECONDS.toMillis(90 + 10) + 100;
        byDefault.evidence.forEach(
                each -> assertTrue(each.traffic().lastFrameInMillisAgo() <= most, "1,500 a minute need no row"));
        assertEquals(List.of("all"), byDefault.incidents.get(0).failureGroups());
    }

    /** Over two hundred subnets. */
    private static List<FakeSession> spread(List<FakeSession> devices) {
        devices.forEach(device -> device.address = new byte[] {10, 0, (byte) (device.sessionId() % 200), 1});
        return devices;
    }

    @Test
    void expiry_switchedOff_closesAllAtOnce() {
        VirtualGateway unguarded =
                new VirtualGateway(0, LivenessSettings.defaults(), AuthPolicy.ANYBODY, BreakerSettings.OFF, null);
        for (int i = 0; i < 1_000; i++) {
            new FakeSession(unguarded.sessionContext).accept(i + 1).hello("d" + i, "");
        }
        unguarded.pass(Duration.ofMillis(90_100));
        assertEquals(1_000, unguarded.closed.size());
        assertEquals(0, unguarded.incidents.size());
    }

    @Test
    void subnetName_ofSixthVersion_isItsSite() {
        byte[] address = {0x20, 1, 0x0d, (byte) 0xb8, 0, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        assertEquals("subnet 2001:db8:42::/48", FailureGroups.subnetName(FailureGroups.prefix(address)));
    }

    @Test
    void prefix_ofFourthVersionInSixthForm_isTheSameSubnet() {
        byte[] plain = {10, 1, 2, 3};
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 99};
        assertEquals(FailureGroups.prefix(plain), FailureGroups.prefix(mapped));
        assertEquals("subnet 10.1.2.0/24", FailureGroups.subnetName(FailureGroups.prefix(mapped)));
        assertEquals("subnet unknown", FailureGroups.subnetName(FailureGroups.prefix(new byte[0])));
    }

    private static List<FakeSession> concat(List<FakeSession> one, List<FakeSession> other) {
        List<FakeSession> both = new ArrayList<>(one);
        both.addAll(other);
        return both;
    }
}
