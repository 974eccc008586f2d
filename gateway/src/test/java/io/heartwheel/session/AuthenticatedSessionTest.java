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
import io.heartwheel.event.DeadlineKind;
import io.heartwheel.event.DeadlineOrigin;
import io.heartwheel.event.Evidence;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
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
    private static final long TICK_NANOS = Duration.ofMillis(10).toNanos();

    private final HeldAuthenticator asked = new HeldAuthenticator();
    private VirtualGateway gateway = gateway(0, false, Duration.ofSeconds(60));

    private VirtualGateway gateway(long startNanos, boolean refusedLater, Duration warnBefore) {
        AuthPolicy auth = new AuthPolicy(
                asked, cause -> refusedLater || cause == AuthCause.TOO_MANY_FAILURES, warnBefore.toNanos());
        return new VirtualGateway(startNanos, LivenessSettings.defaults(), auth, BreakerSettings.DEFAULTS, null);
    }

    private FakeSession device(String token) {
        return new FakeSession(gateway.sessionContext).accept(7).helloWith("d1", token, 3_600_000);
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
        FakeSession device = device("t");

        assertEquals(ConnectionState.AUTHENTICATING, device.state());
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
        FakeSession device = device("t");
        gateway.pass(Duration.ofSeconds(3));
        asked.answer(AuthResult.ADMITTED);

        assertTrue(device.isEstablished());
        assertEquals(List.of("WELCOME"), device.frames);
        assertNull(device.grant());
    }

    @ParameterizedTest
    @CsvSource({"false, UNAUTHORIZED", "true, UNAUTHORIZED_NOW"})
    void answer_refused_tellsThePeerNothingAndTheOperatorTheCause(boolean later, CloseReason expected) {
        gateway = gateway(0, later, Duration.ZERO);
        FakeSession device = device("t");
        asked.answer(WRONG);

        assertEquals(new FakeSession.Farewell(expected, "not admitted"), device.closeFrames.get(0));
        Evidence evidence = gateway.evidence.get(0);
        assertTrue(evidence.text().contains("not admitted: tokens: wrong token"), evidence::text);
        assertEquals("d1", evidence.claimedDevice());
        assertNull(gateway.registry.find("d1"));
        assertTrue(gateway.events.isEmpty());
    }

    @Test
    void answer_tooManyFailures_neverBricksADevice() {
        FakeSession device = device("t");
        asked.answer(new AuthResult.Refused(AuthCause.TOO_MANY_FAILURES, ""));
        assertEquals(CloseReason.UNAUTHORIZED_NOW, reason(device));
    }

    @Test
    void answer_unavailable_sendsTheDeviceAwayForNow() {
        FakeSession device = device("t");
        asked.answer(OUTAGE);
        assertEquals(CloseReason.AUTH_UNAVAILABLE, reason(device));
        assertEquals(CloseReason.Reconnect.LATER, reason(device).reconnect());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE + 1, Long.MAX_VALUE - 5_000_000_000L, -5_000_000_000L})
    void answer_never_endsAtTheDeadlineOfTheHandshake(long startNanos) {
        gateway = gateway(startNanos, false, Duration.ZERO);
        FakeSession device = device("t");
        gateway.moveTo(startNanos + Duration.ofSeconds(10).toNanos() - 1);
        assertEquals(ConnectionState.AUTHENTICATING, device.state());
        gateway.pass(Duration.ofMillis(10));

        assertEquals(CloseReason.AUTH_UNAVAILABLE, reason(device));
        assertEquals(DeadlineKind.AUTHENTICATION, limit().kind());
        asked.answer(AuthResult.ADMITTED);
        assertEquals(ConnectionState.CLOSED, device.state());
        assertNull(gateway.registry.find("d1"), "an answer that is too late claims nothing");
    }

    @Test
    void answer_afterThePeerLeft_claimsNothing() {
        FakeSession device = device("t");
        device.hangUp();
        asked.answer(AuthResult.ADMITTED);
        assertNull(gateway.registry.find("d1"));
        assertTrue(gateway.events.isEmpty());
    }

    @Test
    void refusal_ofAnotherWithTheSameId_leavesTheFirstAlone() {
        FakeSession first = device("t");
        asked.answer(AuthResult.ADMITTED);
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
        FakeSession device = device("t");
        asked.answer(new AuthResult.Admitted(
                new Grant(least, most, "", List.of("g"), Map.of("tenant", "acme")), AuthResult.Admitted.NEVER));
        assertEquals(granted, device.intervalMillis());
        Evidence.Limit limit = device.evidence().limit();
        assertEquals(origin, limit == null ? null : limit.origin());
        Grant grant = device.grant();
        assertEquals(List.of("g"), grant == null ? null : grant.groups());
    }

    // ------------------------------------------------------------------ expiry

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MIN_VALUE + 1, Long.MAX_VALUE - 100_000_000_000L, -100_000_000_000L})
    void expiry_closesWithinATickOfIt(long startNanos) {
        gateway = gateway(startNanos, false, Duration.ofSeconds(60));
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(200)));
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
    void expiry_soon_warnsAtOnce() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(5)));
        gateway.pass(Duration.ofMillis(20));
        assertEquals(AuthStatus.EXPIRING, device.auths.get(0).status());
        gateway.pass(Duration.ofSeconds(4));
        assertEquals(1, device.auths.size());
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
    void expiry_whileStalled_isNotPutOffAndNotHeldByTheBreaker() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(20)));
        gateway.pass(Duration.ofSeconds(10));
        gateway.stall(Duration.ofSeconds(60));
        gateway.turn();
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
        assertTrue(gateway.suspectOutcomes.isEmpty());
    }

    @Test
    void expiry_whileLeaving_closesForIt() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(20)));
        device.sendAway(
                CloseReason.SHUTDOWN,
                GoAway.AT_ONCE,
                gateway.now() + Duration.ofSeconds(50).toNanos());
        gateway.pass(Duration.ofSeconds(21));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    @Test
    void expiry_centuriesAway_isNone() {
        FakeSession device = device("t");
        asked.answer(new AuthResult.Admitted(null, Long.MAX_VALUE - 1));
        assertEquals(DeadlineKind.HEARTBEAT, kind(device));
        assertTrue(device.auth("newer"));
        asked.answer(AuthResult.ADMITTED);
        assertEquals(List.of(new FakeSession.Auth(AuthStatus.ACCEPTED, 0)), device.auths);
    }

    // ------------------------------------------------------------------ renewal

    @Test
    void renewal_accepted_staysUntilTheNewOneExpires() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(50));
        assertTrue(device.auth("newer"));
        assertTrue(asked.requests.get(1).renewal());
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        FakeSession.Auth told = device.auths.get(device.auths.size() - 1);
        assertEquals(AuthStatus.ACCEPTED, told.status());
        assertEquals(100_000, told.leftMillis());

        gateway.pass(Duration.ofSeconds(99));
        assertTrue(device.isEstablished());
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
        assertEquals(3, device.auths.size(), "warned of the first and the second: " + device.auths);
    }

    @Test
    void renewal_earlierThanBefore_holds() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(1_000)));
        device.auth("newer");
        asked.answer(admittedFor(Duration.ofSeconds(10)));
        gateway.pass(Duration.ofSeconds(11));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    @ParameterizedTest
    @CsvSource({"true, REFUSED", "false, UNAVAILABLE"})
    void renewal_notGranted_keepsTheOneBefore(boolean refused, AuthStatus status) {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        device.auth("newer");
        asked.answer(refused ? WRONG : OUTAGE);
        assertEquals(List.of(new FakeSession.Auth(status, 100_000)), device.auths);
        gateway.pass(Duration.ofSeconds(99));
        assertTrue(device.isEstablished());
        gateway.pass(Duration.ofSeconds(2));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    @Test
    void renewal_underWayAtTheExpiry_isWaitedForAndSaves() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(99));
        device.auth("newer");
        gateway.pass(Duration.ofSeconds(5));
        assertTrue(device.isEstablished(), "it has done its part in time");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(90));
        assertTrue(device.isEstablished());
    }

    @Test
    void renewal_underWayAtTheExpiryAndRefused_closesAtOnce() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(99));
        device.auth("newer");
        gateway.pass(Duration.ofSeconds(5));
        asked.answer(WRONG);
        gateway.pass(Duration.ofMillis(20));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    @Test
    void renewal_sentInTimeAndReadAfterTheExpiry_isLookedAt() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(99));
        gateway.stall(Duration.ofSeconds(5));
        assertTrue(device.auth("newer"));
        assertEquals(2, asked.requests.size());
        gateway.pass(Duration.ofSeconds(1));
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(90));
        assertTrue(device.isEstablished());
    }

    /** Each check lasts as long as a handshake: whoever could ask again after a refusal would stay for ever. */
    @Test
    void renewal_afterOneThatWasRefusedAfterTheExpiry_isNotAskedForAndNotWaitedFor() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(99));
        device.auth("newer");
        gateway.pass(Duration.ofSeconds(5));
        asked.answer(WRONG);
        assertTrue(device.auth("more"), "no fault of its own: the refusal crossed it");
        assertEquals(2, asked.requests.size());
        gateway.pass(Duration.ofMillis(20));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    /** The loop is late: the check has had its time, and the session is still there. */
    @Test
    void renewal_afterACheckThatWasNeverAnswered_isNotAskedFor() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(99));
        device.auth("newer");
        gateway.stall(Duration.ofSeconds(15));
        assertTrue(device.auth("more"));
        assertEquals(2, asked.requests.size());
        gateway.turn();
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
    }

    @Test
    void renewal_neverAnswered_isWaitedForAsLongAsAHandshake() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        gateway.pass(Duration.ofSeconds(99));
        assertTrue(device.auth("newer"));
        assertFalse(device.auth("and another"), "one at a time");
        gateway.pass(Duration.ofMillis(9_990));
        assertTrue(device.isEstablished());
        gateway.pass(Duration.ofMillis(20));
        assertEquals(CloseReason.AUTH_EXPIRED, reason(device));
        asked.answer(admittedFor(Duration.ofSeconds(100)));
        assertEquals(ConnectionState.CLOSED, device.state());
    }

    @Test
    void renewal_answeredAfterTheNext_changesNothing() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(1_000)));
        assertTrue(device.auth("slow"));
        gateway.pass(Duration.ofSeconds(11));
        assertTrue(device.auth("next"), "the one before has had its time");
        Consumer<AuthResult> slow = asked.waiting.remove();
        asked.answer(admittedFor(Duration.ofSeconds(500)));
        slow.accept(admittedFor(Duration.ofSeconds(5)));
        assertEquals(1, device.auths.size());
        gateway.pass(Duration.ofSeconds(400));
        assertTrue(device.isEstablished());
    }

    @Test
    void renewal_doesNotChangeTheInterval() {
        FakeSession device = device("t");
        asked.answer(admittedFor(Duration.ofSeconds(1_000)));
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
