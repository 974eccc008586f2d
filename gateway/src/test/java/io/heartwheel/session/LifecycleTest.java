package io.heartwheel.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.auth.AuthResult;
import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.Lifecycle.Action;
import io.heartwheel.session.Lifecycle.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every state by every event: the table, and a session that follows it. */
class LifecycleTest {
    private static final String TABLE =
            """
            state          HELLO                       ADMITTED           GRANTED                        SENT_AWAY            RECALLED          REPLACED              CLOSE
            HANDSHAKE      AUTHENTICATING:AUTHENTICATE -                  -                              -                    -                 CLOSED:STOP_WATCHING  CLOSED:END
            AUTHENTICATING -                           CLAIMING:CLAIM_ID  -                              -                    -                 -                     CLOSED:END
            CLAIMING       -                           -                  ESTABLISHED:BECOME_ESTABLISHED -                    -                 -                     CLOSED:END
            ESTABLISHED    -                           -                  -                              LEAVING:SEND_GOAWAY  -                 -                     CLOSED:END
            LEAVING        -                           -                  -                              -                    ESTABLISHED:STAY  -                     CLOSED:END
            CLOSED         -                           -                  CLOSED:RELEASE_ID              -                    -                 -                     -
            """;

    private final HeldAuthenticator asked = new HeldAuthenticator();
    private final VirtualGateway gateway =
            new VirtualGateway(0, LivenessSettings.defaults(), new AuthPolicy(asked, cause -> false, 0));
    private final List<Directory.Claimant<Session>> claims = new ArrayList<>();
    private int released;

    private final Directory<Session> late = new Directory<>() {
        @Override
        public void claim(Session session, long lastEpoch, Claimant<Session> claimant) {
            claims.add(claimant);
        }

        @Override
        public void release(Session session) {
            released++;
        }
    };

    private FakeSession in(ConnectionState state) {
        FakeSession device = new FakeSession(FakeSession.claimingFrom(late, gateway.sessionContext)).accept(1);
        if (state == ConnectionState.HANDSHAKE) {
            return device;
        }
        device.hello("d", "");
        if (state == ConnectionState.AUTHENTICATING) {
            return device;
        }
        asked.answer(AuthResult.ADMITTED);
        if (state == ConnectionState.ESTABLISHED || state == ConnectionState.LEAVING) {
            claims.get(0).granted(1, null);
        }
        if (state == ConnectionState.LEAVING) {
            device.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, io.heartwheel.wheel.Deadline.NO_DEADLINE);
        }
        if (state == ConnectionState.CLOSED) {
            device.hangUp();
        }
        assertEquals(state, device.state());
        return device;
    }

    private void happen(Event event, FakeSession device) {
        switch (event) {
            case HELLO -> device.hello("d", "");
            case ADMITTED -> {
                if (asked.waiting.isEmpty()) {
                    device.answered(
                            new AuthCall((call, result) -> {}, new AuthCall.Hello(0, 0, false), 0),
                            AuthResult.ADMITTED);
                } else {
                    asked.answer(AuthResult.ADMITTED);
                }
            }
            case GRANTED -> device.granted(2, null);
            case SENT_AWAY ->
                device.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, io.heartwheel.wheel.Deadline.NO_DEADLINE);
            case RECALLED -> device.stayAfterAll();
            case REPLACED -> device.giveWay();
            case CLOSE -> device.hangUp();
        }
    }

    @Test
    void step_everyCell_isAsInTheTable() {
        List<String> lines = TABLE.lines().toList();
        String[] events = lines.get(0).split(" +");
        assertEquals(1 + Event.values().length, events.length);
        assertEquals(1 + ConnectionState.values().length, lines.size());
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(" +");
            for (int i = 1; i < cells.length; i++) {
                Lifecycle.Step step = Lifecycle.step(ConnectionState.valueOf(cells[0]), Event.valueOf(events[i]));
                String found = step.action() == Action.NOTHING ? "-" : step.next() + ":" + step.action();
                assertEquals(cells[i], found, cells[0] + " x " + events[i]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ConnectionState.class)
    void step_nothingToDo_keepsTheState(ConnectionState state) {
        for (Event event : Event.values()) {
            Lifecycle.Step step = Lifecycle.step(state, event);
            assertTrue(step.action() != Action.NOTHING || step.next() == state, () -> state + " x " + event);
        }
    }

    @ParameterizedTest
    @EnumSource(ConnectionState.class)
    void session_everyEvent_goesByTheTable(ConnectionState state) {
        for (Event event : Event.values()) {
            claims.clear();
            asked.waiting.clear();
            released = 0;
            FakeSession device = in(state);
            int before = released;
            Map<String, Integer> sent = Map.of(
                    "claims", claims.size(),
                    "frames", device.frames.size(),
                    "closes", device.closeFrames.size());
            happen(event, device);
            Lifecycle.Step step = Lifecycle.step(state, event);
            String cell = state + " x " + event;
            assertEquals(step.next(), device.state(), cell);
            assertEquals(step.action() == Action.CLAIM_ID, claims.size() > sent.get("claims"), cell);
            boolean speaks = step.action() == Action.BECOME_ESTABLISHED || step.action() == Action.SEND_GOAWAY;
            assertEquals(speaks, device.frames.size() > sent.get("frames"), cell);
            assertEquals(step.action() == Action.END, device.closeFrames.size() > sent.get("closes"), cell);
            boolean hadClaimed = state != ConnectionState.HANDSHAKE && state != ConnectionState.AUTHENTICATING;
            boolean gaveBack = step.action() == Action.END && hadClaimed;
            assertEquals(gaveBack || step.action() == Action.RELEASE_ID, released > before, cell);
            assertEquals(step.next() == ConnectionState.CLOSED, gateway.armed() == 0, cell);
            device.hangUp();
        }
    }

    @Test
    void stayAfterAll_sentAwayWithADeadline_leavesNevertheless() {
        FakeSession device = in(ConnectionState.ESTABLISHED);
        assertTrue(device.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, gateway.now() + 1_000));
        device.stayAfterAll();
        assertEquals(ConnectionState.LEAVING, device.state());
        assertFalse(device.sendAway(CloseReason.SHUTDOWN, GoAway.AT_ONCE, gateway.now()));
    }
}
