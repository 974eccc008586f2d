package io.heartwheel.event;

import java.util.List;
import java.util.Map;

/**
 * Fact about a device's connection, as it leaves the gateway. Immutable; any thread. Times are wall-clock milliseconds since 1970 for
 * people and back ends; no deadline is ever computed from them.
 */
public sealed interface ConnectionEvent extends Fact {

    /** Who it is about. */
    Identity identity();

    /**
     * Its place in its session: 1 for {@link Connected}, then one more each, as 32 bits without sign. Some have none, which is 0: {@link Refused} belongs to
     * no session, {@link Lost} and {@link NodeLost} are told by another process and are the last of their session.
     */
    default long sequence() {
        return 0;
    }

    /**
     * Name of a connection and its device.
     *
     * @param deviceId the device's own name, 1..128 bytes of UTF-8
     * @param sessionId this connection, unique in the process
     * @param epoch grows with each connection of the device
     */
    record Identity(String deviceId, long sessionId, long epoch) {}

    /**
     * The device has an established session.
     *
     * @param protocol {@code heartwheel}, {@code heartwheel.v1}, {@code heartwheel.json.v1} or {@code plain}
     * @param remote address and port of the peer; of the device itself where a trusted balancer told it
     * @param via address and port of that balancer; empty if the peer came directly
     * @param clientName what the device calls its software, may be empty
     * @param grantedIntervalMillis the heartbeat interval in force, milliseconds
     * @param groups the groups it was granted, in order; never changed by anybody
     * @param attributes what else it was granted, by name; never changed by anybody
     */
    record Connected(
            Identity identity,
            long atEpochMillis,
            String protocol,
            String remote,
            String via,
            String clientName,
            long grantedIntervalMillis,
            List<String> groups,
            Map<String, String> attributes)
            implements ConnectionEvent {
        /** Of a device that was granted no group and no attribute. */
        public Connected(
                Identity identity,
                long atEpochMillis,
                String protocol,
                String remote,
                String via,
                String clientName,
                long grantedIntervalMillis) {
            this(
                    identity,
                    atEpochMillis,
                    protocol,
                    remote,
                    via,
                    clientName,
                    grantedIntervalMillis,
                    List.of(),
                    Map.of());
        }

        @Override
        public long sequence() {
            return 1;
        }

        @Override
        public EventKind kind() {
            return EventKind.CONNECTED;
        }
    }

    /** A connection has ended. */
    sealed interface Ended extends ConnectionEvent {
        /** All that is known of it; its reason is never null. */
        Evidence evidence();

        @Override
        default Identity identity() {
            return evidence().identity();
        }

        @Override
        default long atEpochMillis() {
            return evidence().atEpochMillis();
        }
    }

    /**
     * An established session has ended, and no newer one of this process took its place. Either this or {@link TakenOver} comes exactly once for each
     * {@link Connected}.
     *
     * @param evidence all that is known of it; its reason is never null
     */
    record Disconnected(Evidence evidence, long sequence) implements Ended {
        @Override
        public EventKind kind() {
            return EventKind.DISCONNECTED;
        }
    }

    /**
     * An established session has ended because a newer one has its device id.
     *
     * @param evidence all that is known of it; its reason is {@link CloseReason#TAKEN_OVER}
     */
    record TakenOver(Evidence evidence, long sequence) implements Ended {
        @Override
        public EventKind kind() {
            return EventKind.TAKEN_OVER;
        }
    }

    /**
     * A connection was turned away before it was a device. Not each has an event.
     *
     * @param evidence all that is known of it; its reason is never null
     * @param unreported how many more were turned away for the same reason and have no event, since the last event that told of some
     */
    record Refused(Evidence evidence, long unreported) implements Ended {
        @Override
        public EventKind kind() {
            return EventKind.REFUSED;
        }
    }

    /**
     * Two connections take one device id from each other again and again; from now on the newer one has to wait. One when it begins.
     *
     * @param identity of the one that has the id now; the event is not counted among those of its session
     * @param remote its address and port
     * @param rival address and port of the newer one
     */
    record IdConflict(Identity identity, long atEpochMillis, String remote, String rival) implements ConnectionEvent {
        @Override
        public EventKind kind() {
            return EventKind.ID_CONFLICT;
        }

        /** It in words. */
        public String text() {
            return "two connections from " + remote + " and " + rival + " displace each other";
        }
    }

    /** The device is silent beyond its deadline in a mass expiry, and is asked before it is closed. */
    record Suspect(Identity identity, long sequence, long atEpochMillis) implements ConnectionEvent {
        @Override
        public EventKind kind() {
            return EventKind.SUSPECT;
        }
    }

    /**
     * A suspect proved alive.
     *
     * @param heldMillis how long it was one
     */
    record Recovered(Identity identity, long sequence, long atEpochMillis, long heldMillis) implements ConnectionEvent {
        @Override
        public EventKind kind() {
            return EventKind.RECOVERED;
        }
    }

    /**
     * The device is connected now: one of a snapshot. Not counted among the events of its session.
     *
     * @param sequence that of the latest event of its session
     * @param snapshot number of the snapshot
     * @param protocol as in {@link Connected}, like the four that follow
     * @param openMillis how long ago the connection was accepted
     * @param groups as in {@link Connected}, as of now, like what follows
     */
    record Present(
            Identity identity,
            long sequence,
            long atEpochMillis,
            long snapshot,
            String protocol,
            String remote,
            String via,
            String clientName,
            long grantedIntervalMillis,
            long openMillis,
            List<String> groups,
            Map<String, String> attributes)
            implements ConnectionEvent {
        /** Of a device that was granted no group and no attribute. */
        public Present(
                Identity identity,
                long sequence,
                long atEpochMillis,
                long snapshot,
                String protocol,
                String remote,
                String via,
                String clientName,
                long grantedIntervalMillis,
                long openMillis) {
            this(
                    identity,
                    sequence,
                    atEpochMillis,
                    snapshot,
                    protocol,
                    remote,
                    via,
                    clientName,
                    grantedIntervalMillis,
                    openMillis,
                    List.of(),
                    Map.of());
        }

        @Override
        public EventKind kind() {
            return EventKind.PRESENT;
        }
    }

    /**
     * A session of an earlier incarnation of this gateway, which ended without saying anything of it; and its device is not here now. To consumers it is a
     * {@link EventKind#DISCONNECTED} whose reason is {@link CloseReason#GATEWAY_LOST}.
     *
     * @param identity as the earlier process gave it
     * @param atEpochMillis when it was found out
     * @param incarnation the earlier one, 1 or more
     * @param connectedAtEpochMillis when the device was welcomed
     */
    record Lost(Identity identity, long atEpochMillis, long incarnation, long connectedAtEpochMillis)
            implements ConnectionEvent {
        @Override
        public EventKind kind() {
            return EventKind.DISCONNECTED;
        }
    }

    /**
     * A connection of another gateway of the fleet, which is lost or has ended; nobody took its place. To consumers it is a {@link EventKind#DISCONNECTED}.
     *
     * @param identity as that gateway gave it
     * @param atEpochMillis when its id was given back
     * @param node that gateway's name
     * @param nodeIncarnation its start: microseconds since 1970 by its clock
     * @param reason {@link CloseReason#NODE_LOST} or {@link CloseReason#NODE_ENDED}
     */
    record NodeLost(Identity identity, long atEpochMillis, String node, long nodeIncarnation, CloseReason reason)
            implements ConnectionEvent {
        @Override
        public EventKind kind() {
            return EventKind.DISCONNECTED;
        }
    }

    /**
     * A DATA frame or WebSocket message from the device. The payload belongs to the event: nobody changes it.
     *
     * @param messageId the device's id for it, 0 if none
     * @param text whether the payload is (checked) UTF-8
     * @param payload the bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // a payload is compared by nobody, and copied as seldom as can be
    record Message(Identity identity, long sequence, long atEpochMillis, long messageId, boolean text, byte[] payload)
            implements ConnectionEvent {
        @Override
        public EventKind kind() {
            return EventKind.DATA;
        }

        /** The same with another place in its session, whose epoch may have changed. */
        public Message numbered(Identity now, long newSequence) {
            return new Message(now, newSequence, atEpochMillis, messageId, text, payload);
        }
    }
}
