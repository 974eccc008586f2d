package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.EventSink;
import io.heartwheel.event.Evidence;
import io.heartwheel.event.Fact;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.RateClasses;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Admission of devices, also with answers that come late or never, and its end. Virtual time; the method of authentication is the test itself. */
class AuthenticatedSessionTest {
    private static final AuthResult.Refused WRONG =
            new AuthResult.Refused(AuthCause.WRONG_TOKEN, "tokens: wrong token");
    private static final AuthResult.Unavailable OUTAGE =
            new AuthResult.Unavailable(AuthCause.OUTAGE, "http: no answer");
    /** Of a device in the group g, for good. */
    private static final AuthResult IN_GROUP =
            new AuthResult.Admitted(new Grant(0, 0, "", List.of("g"), Map.of()), AuthResult.Admitted.NEVER);

    private static final long TICK_NANOS = Duration.ofMillis(10).toNanos();

    private final HeldAuthenticator asked = new HeldAuthenticator();
    private final List<FakeSession> devices = new ArrayList<>();
    private VirtualGateway gateway = gateway(0, false, Duration.ofSeconds(60));

    private VirtualGateway gateway(long startNanos, boolean refusedLater, Duration warnBefore) {
        return gateway(startNanos, refusedLater, warnBefore, LivenessSettings.defaults());
    }

    private VirtualGateway gateway(
            long startNanos, boolean refusedLater, Duration warnBefore, LivenessSettings liveness) {
        AuthPolicy auth = new AuthPolicy(
                asked, cause -> refusedLater || cause == AuthCause.TOO_MANY_FAILURES, warnBefore.toNanos());
        return new VirtualGateway(startNanos, liveness, auth, BreakerSettings.DEFAULTS, null);
    }

    /** One that says HELLO. */
    private FakeSession device() {
        FakeSession device = new FakeSession(gateway.sessionContext).accept(7).helloWith("d1", "t", 3_600_000);
        devices.add(device);
        return device;
    }

    /** One that says HELLO, and is answered at once. */
    private FakeSession answered(AuthResult result) {
        FakeSession device = device();
        asked.answer(result);
        return device;
    }

    /** However it went, nobody is left who waits for an answer. */
    @AfterEach
    void endAll() {
        devices.forEach(FakeSession::hangUp);
        assertEquals(0, gateway.sessionContext.stats().unanswered());
    }

    /** A device is admitted for so long. */
    private FakeSession admitted(long seconds) {
        return answered(admittedFor(Duration.ofSeconds(seconds)));
    }

    private static AuthResult admittedFor(Duration time) {
        return new AuthResult.Admitted(null, VirtualGateway.WALL_MILLIS + time.toMillis());
    }

    private static CloseReason reason(FakeSession device) {
        assertEquals(1, device.closeFrames.size(), () -> device.closeFrames.toString());
        return device.closeFrames.get(0).reason();
    }

    // ------------------------------------------------------------------ coming in

    @Test
    void hello_unanswered_waitsAndClaimsNothing() {
        FakeSession device = device();

        assertEquals(ConnectionState.AUTHENTICATING, device.state());
        assertEquals(1, gateway.sessionContext.stats().unanswered());
        assertNull(gateway.registry.find("d1"));
        AuthRequest request = asked.requests.get(0);
        assertEquals("d1", request.deviceName());
        assertEquals("t", new String(request.token(), StandardCharsets.UTF_8));
        assertEquals("tcp", request.listener());
        assertEquals(3_600_000, request.wantedMillis());
        assertFalse(request.renewal());
        assertEquals(Duration.ofSeconds(10).toNanos(), request.deadlineNanos() - gateway.now());
    }

    @Test
    void answer_admitted_establishesOnce() {
        FakeSession device = device();
        gateway.pass(Duration.ofSeconds(3));
        asked.answer(AuthResult.ADMITTED);

        assertTrue(device.isEstablished());
        assertEquals(0, gateway.sessionContext.stats().unanswered());
        assertEquals(List.of("WELCOME"), device.frames);
        assertNull(device.grant());
    }

    @ParameterizedTest
    @CsvSource({"false, UNAUTHORIZED", "true, UNAUTHORIZED_NOW"})
    void answer_refused_tellsThePeerNothingAndTheOperatorTheCause(boolean later, CloseReason expected) {
        gateway = gateway(0, later, Duration.ZERO);
        FakeSession device = answered(WRONG);

        assertEquals(new FakeSession.Farewell(expected, "not admitted"), device.closeFrames.get(0));
        Evidence evidence = gateway.evidence.get(0);
        assertTrue(evidence.text().contains("not admitted: tokens: wrong token"), evidence::text);
        assertEquals("d1", evidence.claimedDevice());
        assertNull(gateway.registry.find("d1"));
        assertTrue(gateway.events.isEmpty());
    }

    @Test
    void answer_tooManyFailures_neverBricksADevice() {
        AuthResult tooMany = new AuthResult.Refused(AuthCause.TOO_MANY_FAILURES, "");
        assertEquals(CloseReason.UNAUTHORIZED_NOW, reason(answered(tooMany)));
    }

    @Test
    void answer_unavailable_sendsTheDeviceAwayForNow() {
        CloseReason told = reason(answered(OUTAGE));
        assertEquals(CloseReason.AUTH_UNAVAILABLE, told);
        assertEquals(CloseReason.Reconnect.LATER, told.reconnect());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE + 1, Long.MAX_VALUE - 5_000_000_000L, -5_000_000_000L})
    void answer_never_endsAtTheDeadlineOfTheHandshake(long startNanos) {
        gateway = gateway(startNanos, false, Duration.ZERO);
        FakeSession device = device();
        gateway.moveTo(startNanos + Duration.ofSeconds(10).toNanos() - 1);
        assertEquals(ConnectionState.AUTHENTICATING, device.state());
        gateway.pass(Duration.ofMillis(10));

        assertEndedUnanswered(device);
        assertEquals(0, gateway.sessionContext.stats().unanswered());
        asked.answer(AuthResult.ADMITTED);
        assertEquals(ConnectionState.CLOSED, device.state());
        assertNull(gateway.registry.find("d1"), "an answer that is too late claims nothing");
    }

    private void assertEndedUnanswered(FakeSession device) {
        assertEquals(CloseReason.AUTH_UNAVAILABLE, reason(device));
        assertEquals(DeadlineKind.AUTHENTICATION, limit().kind());
    }

    /** Where a handshake may take any time ({@code handshake.enabled = false}), an answer may not. */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE + 1, Long.MAX_VALUE - 75_000_000_000L, -75_000_000_000L})
    void answer_neverWithoutAHandshakeDeadline_endsThirtySecondsAfterHello(long startNanos) {
        LivenessSettings all = LivenessSettings.defaults();
        gateway = gateway(
                startNanos,
                false,
                Duration.ZERO,
                new LivenessSettings(
                        new LivenessSettings.Deadline(false, Duration.ofSeconds(10)),
                        all.heartbeat(),
                        all.readProgress(),
                        all.readerIdle(),
                        all.writerIdle(),
                        all.writeProgress(),
                        all.age(),
                        all.configured()));
        FakeSession late = new FakeSession(gateway.sessionContext).accept(7);
        gateway.pass(Duration.ofSeconds(50));
        late.helloWith("d1", "t", 60_000);
        assertEquals(Duration.ofSeconds(30).toNanos(), asked.requests.get(0).deadlineNanos() - gateway.now());
        gateway.moveTo(gateway.now() + Duration.ofSeconds(30).toNanos() - 1);
        assertEquals(ConnectionState.AUTHENTICATING, late.state());
        gateway.pass(Duration.ofMillis(20));
        assertEndedUnanswered(late);
        assertEquals(30_000, limit().timeoutMillis());

        FakeSession answered = device();
        asked.waiting.remove();
        asked.answer(AuthResult.ADMITTED);
        gateway.pass(Duration.ofSeconds(40));
        assertTrue(answered.isEstablished());
    }

    @Test
    void answer_afterThePeerLeft_claimsNothing() {
        FakeSession device = device();
        device.hangUp();
        asked.answer(AuthResult.ADMITTED);
        assertNull(gateway.registry.find("d1"));
        assertTrue(gateway.events.isEmpty());
    }

    @Test
    void refusal_ofAnotherWithTheSameId_leavesTheFirstAlone() {
        FakeSession first = answered(AuthResult.ADMITTED);
        FakeSession stranger = new FakeSession(gateway.sessionContext).accept(8).helloWith("d1", "guess", 0);
        asked.answer(WRONG);

        assertEquals(CloseReason.UNAUTHORIZED, reason(stranger));
        assertTrue(first.isEstablished());
        assertEquals(first, gateway.registry.find("d1"), "who was never admitted gives back no id");
    }

    // ------------------------------------------------------------------ the grant

    @ParameterizedTest
    @CsvSource({"0, 0, 3600000, ASKED", "0, 30000, 30000, GRANTED", "7200000, 0, 7200000, GRANTED"})
    void grant_boundsTheInterval(int least, int most, int granted, DeadlineOrigin origin) {
        FakeSession device = answered(new AuthResult.Admitted(
                new Grant(least, most, "", List.of("g"), Map.of("tenant", "acme")), AuthResult.Admitted.NEVER));
        assertEquals(granted, device.intervalMillis());
        Evidence.Limit limit = device.evidence().limit();
        assertEquals(origin, limit == null ? null : limit.origin());
        Grant grant = device.grant();
        assertEquals(List.of("g"), grant == null ? null : grant.groups());
    }

    private void oneInGroup() {
        gateway.quotas.reconfigure(new ConnectionQuotaSettings(Map.of("g", 1), Map.of()), RateClasses.OFF);
    }

    private FakeSession inGroup(int session, String device) {
        FakeSession one =
                new FakeSession(gateway.sessionContext).accept(session).helloWith(device, "t", 60_000);
        devices.add(one);
        asked.answer(IN_GROUP);
        gateway.runTasks();
        return one;
    }

    @Test
    void group_full_isNotEnteredByReplacingAConnectionOutsideIt() {
        oneInGroup();
        FakeSession holder = inGroup(8, "d0");
        FakeSession outside = answered(AuthResult.ADMITTED);
        FakeSession inside = inGroup(9, "d1");

        assertEquals(CloseReason.CONNECTION_LIMIT, reason(inside));
        assertEquals(CloseReason.TAKEN_OVER, reason(outside));
        assertTrue(holder.isEstablished());
        assertEquals(Map.of("g", 1), gateway.quotas.groupConnections());
    }

    /** As one connection of a device ends, the next comes: what another loop would do then is done in the sink. */
    @Test
    void group_full_hasRoomForADeviceWhoseOldConnectionEnds() {
        oneInGroup();
        List<FakeSession> second = new ArrayList<>();
        EventSink sink = new EventSink() {
            @Override
            public void publish(Fact fact) {
                if (fact instanceof ConnectionEvent.Disconnected && second.isEmpty()) {
                    second.add(inGroup(8, "d1"));
                }
            }

            @Override
            public void publish(ConnectionEvent.Message message, Reply reply) {}

            @Override
            public void close() {}
        };
        FakeSession first = new FakeSession(FakeSession.publishingTo(sink, gateway.sessionContext)).accept(7);
        first.helloWith("d1", "t", 60_000);
        asked.answer(IN_GROUP);
        first.hangUp();

        assertTrue(
                second.get(0).isEstablished(), () -> second.get(0).closeFrames.toString());
    }

    // ------------------------------------------------------------------ expiry

    /** A loop may stand still between its looks at the two clocks. */
    @Test
    void expiry_ofALoopThatStallsAsItIsAdmitted_isNotBeforeItsTime() {
        SessionContext here = gateway.sessionContext;
        FakeSession device = new FakeSession(FakeSession.on(here, gateway::now, () -> {
            gateway.stall(Duration.ofMillis(400)); // before it looks
            return VirtualGateway.WALL_MILLIS + TimeUnit.NANOSECONDS.toMillis(gateway.now());
        }));
        device.accept(7).helloWith("d1", "t", 60_000);
        devices.add(device);
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        assertTrue(device.expiryNanos() >= Duration.ofSeconds(100).toNanos(), () -> "at " + device.expiryNanos());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE + 1, Long.MAX_VALUE - 100_000_000_000L, -100_000_000_000L})
    void expiry_closesWithinATickOfIt(long startNanos) {
        gateway = gateway(startNanos, false, Duration.ofSeconds(60));
        FakeSession device = admitted(200);
        gateway.moveTo(startNanos + Duration.ofSeconds(200).toNanos() - 1);
        assertTrue(device.isEstablished());
        assertEquals(1, device.auths.size(), "warned once");
        assertEquals(AuthStatus.EXPIRING, device.auths.get(0).status());
        assertEquals(60_000, device.auths.get(0).leftMillis(), 10);
        gateway.moveTo(startNanos + Duration.ofSeconds(200).toNanos() + TICK_NANOS);

        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
        assertEquals(DeadlineKind.EXPIRY, limit().kind());
        assertEquals(DeadlineOrigin.GRANTED, limit().origin());
        assertEquals(200_000, limit().timeoutMillis());
        assertEquals(CloseReason.Reconnect.AT_ONCE, reason(device).reconnect());
        assertTrue(gateway.evidence.get(0).timing().latenessMicros() <= 10_000);
    }

    @Test
    void expiry_ofADeviceThatKnowsNoAuth_closesWithoutAWord() {
        FakeSession device = new FakeSession(gateway.sessionContext).accept(1).hello("d1", "");
        asked.answer(admittedFor(Duration.ofSeconds(5)));
        gateway.pass(Duration.ofSeconds(6));
        assertTrue(device.auths.isEmpty());
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    @Test
    void expiry_centuriesAway_isNone() {
        FakeSession device = answered(new AuthResult.Admitted(null, Long.MAX_VALUE - 1));
        assertEquals(DeadlineKind.HEARTBEAT, kind(device));
        assertTrue(device.auth("newer"));
        asked.answer(AuthResult.ADMITTED);
        assertEquals(List.of(new FakeSession.Auth(AuthStatus.ACCEPTED, 0)), device.auths);
    }

    // ------------------------------------------------------------------ renewal

    /** Of a device that has said HELLO: what happens to it, step by step, times in seconds. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            warned once, not at once if short   | admit 6; pass 3.98; told 0; pass 0.04; told 1; pass 1.9; told 1
            warned of each, however short       | admit 45; pass 29.98; told 0; pass 0.04; auth; admit 45; pass 29.9; told 2; pass 0.2; told 3
            not put off by a stall              | admit 20; pass 10; stall 60; turn; expired
            closes who is leaving as well       | admit 20; leave 50; pass 21; expired
            renewed until the new one expires   | admit 100; pass 50; auth; asked 2; admit 100; pass 99; open; pass 2; expired; told 2
            renewed for less than before        | admit 1000; auth; admit 10; pass 11; expired
            a refusal leaves the one before     | admit 100; auth; refuse 100; pass 99; open; pass 2; expired
            an outage leaves the one before     | admit 100; auth; outage 100; pass 99; open; pass 2; expired
            under way at the expiry, admitted   | admit 100; pass 99; auth; pass 5; open; admit 100; pass 90; open
            under way at the expiry, refused    | admit 100; pass 99; auth; pass 5; refuse 0.001; pass 0.02; expired
            sent in time, read after the expiry | admit 100; pass 99; stall 5; auth; asked 2; pass 1; admit 100; pass 90; open
            refused after the expiry, and again | admit 100; pass 99; auth; pass 5; refuse 0.001; auth; asked 2; pass 0.02; expired
            never answered, its loop is late    | admit 100; pass 99; auth; stall 15; auth; asked 2; turn; expired
            never answered, one at a time       | admit 100; pass 99; auth; busy; pass 9.99; open; pass 0.02; expired; late 100; expired
            five at once, and then one a second | admit 100; fail 5; auth; asked 6; told 6; pass 1; fail 1; auth; asked 7; told 8; pass 90; open; pass 9; expired
            too soon, of one that has no end    | admit 3e9; fail 5; auth; asked 6; told 6; pass 9; fail 5; asked 11
            answered after the next one         | admit 1000; auth; pass 11; auth; swap; admit 500; late 5; told 1; pass 400; open
            """)
    void renewal_stepByStep_lastsAsLongAsItShould(String what, String steps) {
        FakeSession device = device();
        for (String step : steps.split("; ")) {
            String[] words = step.split(" ");
            step(device, words[0], words.length == 1 ? 0 : Math.round(Double.parseDouble(words[1]) * 1_000));
        }
    }

    private void step(FakeSession device, String what, long millis) {
        Duration time = Duration.ofMillis(millis);
        switch (what) {
            case "pass" -> gateway.pass(time);
            case "stall" -> gateway.stall(time);
            case "turn" -> gateway.turn();
            case "leave" -> device.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, gateway.now() + time.toNanos());
            case "auth" -> assertTrue(device.auth("newer"));
            case "busy" -> assertFalse(device.auth("newer"));
            case "swap" -> asked.waiting.add(asked.waiting.remove());
            case "admit" -> answer(device, admittedFor(time), AuthStatus.ACCEPTED, millis);
            case "refuse" -> answer(device, WRONG, AuthStatus.REFUSED, millis);
            case "outage" -> answer(device, OUTAGE, AuthStatus.UNAVAILABLE, millis);
            case "fail" -> {
                for (int i = 0; i < millis / 1_000; i++) {
                    assertTrue(device.auth("newer"));
                    asked.answer(WRONG);
                }
            }
            case "late" -> {
                int told = device.auths.size();
                asked.answer(admittedFor(time));
                assertEquals(told, device.auths.size());
            }
            case "asked" -> {
                assertEquals(millis / 1_000, asked.requests.size());
                assertTrue(asked.requests.get(1).renewal());
            }
            case "told" -> assertEquals(millis / 1_000, device.auths.size(), device.auths::toString);
            case "open" -> assertTrue(device.isEstablished());
            case "expired" -> {
                assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
                assertTrue(gateway.suspectOutcomes.isEmpty(), "held by the breaker");
            }
            default -> throw new IllegalArgumentException(what);
        }
    }

    /** A device that is in already is told of it. */
    private void answer(FakeSession device, AuthResult result, AuthStatus status, long leftMillis) {
        boolean renews = device.isEstablished();
        asked.answer(result);
        if (renews) {
            assertEquals(new FakeSession.Auth(status, leftMillis), device.auths.get(device.auths.size() - 1));
        }
    }

    @Test
    void renewal_doesNotChangeTheInterval() {
        FakeSession device = admitted(1_000);
        device.auth("newer");
        asked.answer(new AuthResult.Admitted(
                new Grant(0, 5_000, "", List.of(), Map.of()), VirtualGateway.WALL_MILLIS + 1_000_000));
        assertEquals(3_600_000, device.intervalMillis());
        assertNotNull(device.grant());
    }

    private DeadlineKind kind(FakeSession device) {
        Evidence.Limit limit = device.evidence().limit();
        assertNotNull(limit);
        return limit.kind();
    }

    private Evidence.Limit limit() {
        Evidence.Limit limit = gateway.evidence.get(0).limit();
        assertNotNull(limit);
        return limit;
    }
}
