package io.heartwheel.session;

import static io.heartwheel.liveness.ConnectionState.AUTHENTICATING;
import static io.heartwheel.liveness.ConnectionState.CLAIMING;
import static io.heartwheel.liveness.ConnectionState.CLOSED;
import static io.heartwheel.liveness.ConnectionState.ESTABLISHED;
import static io.heartwheel.liveness.ConnectionState.HANDSHAKE;
import static io.heartwheel.liveness.ConnectionState.LEAVING;

import io.heartwheel.liveness.ConnectionState;

/**
 * States of a session and what each event does in them. An event that a state does not know changes nothing.
 *
 * <pre>
 *                  HELLO            ADMITTED   GRANTED          SENT_AWAY   RECALLED      REPLACED        CLOSE
 *   HANDSHAKE      AUTHENTICATING                                                         CLOSED          CLOSED
 *                  ask                                                                    stop watching   end
 *   AUTHENTICATING                  CLAIMING                                                              CLOSED
 *                                   claim id                                                              end
 *   CLAIMING                                   ESTABLISHED                                                CLOSED
 *                                              be established                                             end
 *   ESTABLISHED                                                 LEAVING                                   CLOSED
 *                                                               GOAWAY                                    end
 *   LEAVING                                                                 ESTABLISHED                   CLOSED
 *                                                                           stay                          end
 *   CLOSED                                     release id
 * </pre>
 *
 * <p>Immutable; any thread.
 */
final class Lifecycle {
    /** Events of a session. */
    enum Event {
        /** A valid HELLO or upgrade came. */
        HELLO,
        /** The device may come in. */
        ADMITTED,
        /** The directory granted the device id. */
        GRANTED,
        /** The gateway wants the device to leave. */
        SENT_AWAY,
        /** A device that was sent away without a deadline may stay. */
        RECALLED,
        /** Another session goes on with the channel, because the protocol is known now. */
        REPLACED,
        /** The connection ends, for whatever reason. */
        CLOSE
    }

    /** Action of the session on an event. */
    enum Action {
        /** The event has come too late or too early. */
        NOTHING,
        /** Asks whether the device may come in. */
        AUTHENTICATE,
        /** Asks the directory for the device id. */
        CLAIM_ID,
        /** Is published and sends WELCOME. */
        BECOME_ESTABLISHED,
        /** Gives the id back: it was granted after the end. */
        RELEASE_ID,
        /** Sends GOAWAY and sets the deadline for leaving. */
        SEND_GOAWAY,
        /** Takes the deadline for leaving back. */
        STAY,
        /** Gives the wheel's entry back; its successor goes on. */
        STOP_WATCHING,
        /** Collects the evidence, tells everybody and closes the transport. */
        END
    }

    /**
     * One cell of the table.
     *
     * @param next the state afterwards
     */
    record Step(ConnectionState next, Action action) {}

    private static final Step[][] TABLE = new Step[ConnectionState.values().length][Event.values().length];

    static {
        for (ConnectionState state : ConnectionState.values()) {
            for (Event event : Event.values()) {
                on(state, event, state, Action.NOTHING);
            }
        }
        on(HANDSHAKE, Event.HELLO, AUTHENTICATING, Action.AUTHENTICATE);
        on(HANDSHAKE, Event.REPLACED, CLOSED, Action.STOP_WATCHING);
        on(HANDSHAKE, Event.CLOSE, CLOSED, Action.END);
        on(AUTHENTICATING, Event.ADMITTED, CLAIMING, Action.CLAIM_ID);
        on(AUTHENTICATING, Event.CLOSE, CLOSED, Action.END);
        on(CLAIMING, Event.GRANTED, ESTABLISHED, Action.BECOME_ESTABLISHED);
        on(CLAIMING, Event.CLOSE, CLOSED, Action.END);
        on(ESTABLISHED, Event.SENT_AWAY, LEAVING, Action.SEND_GOAWAY);
        on(ESTABLISHED, Event.CLOSE, CLOSED, Action.END);
        on(LEAVING, Event.RECALLED, ESTABLISHED, Action.STAY);
        on(LEAVING, Event.CLOSE, CLOSED, Action.END);
        on(CLOSED, Event.GRANTED, CLOSED, Action.RELEASE_ID);
    }

    private Lifecycle() {}

    private static void on(ConnectionState state, Event event, ConnectionState next, Action action) {
        TABLE[state.ordinal()][event.ordinal()] = new Step(next, action);
    }

    /** What this event does in this state. */
    static Step step(ConnectionState state, Event event) {
        return TABLE[state.ordinal()][event.ordinal()];
    }
}
