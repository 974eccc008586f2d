package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.netty.buffer.ByteBuf;
import java.util.EnumSet;

/**
 * Protocol of a device towards one target, with the contract of the server there. Holds no state of a connection, so one object serves all
 * devices with the same target; what little a protocol has to remember of a connection is a {@link DeviceConnection#state()} of its
 * own. All methods run on the connection's event loop.
 *
 * <pre>
 *   what happens                     the dialect calls                 who is concerned
 *   the server took the device in    {@link #welcome} or connection.opened        a device is open
 *   a heartbeat was answered         connection.answered, answeredNext       none if not {@link Trait#ANSWERS_BEATS}
 *   the server asks                  connection.probed, and answers itself   nobody who is quiet
 *   a message was acknowledged       messages().acknowledged                 none if not {@link Trait#ACKNOWLEDGES}
 *   a message came, or came back     messages().received
 *   the server says farewell         connection.closed(code, text)           judged by {@link #contract()}
 *   what the server said is wrong    throws WireException              a violation, and the device hangs up
 * </pre>
 */
public abstract class Dialect {

    /** Largest DATA or WebSocket message taken from a gateway, bytes. */
    static final int LARGEST = 1 << 20;

    /** Questions in one write: one by one they would cost the event loop more than all other devices on it. */
    static final int FLOOD = 32;

    /** Length of a message that a server which echoes is flooded with, bytes: no more of them are needed than of questions, and they fill the way back sooner. */
    static final int BULK_BYTES = 32_768;

    private static final int UNFINISHED_BYTES = 32_000;

    private ServerContract contract =
            ServerContract.heartwheel(new Timeouts(Timeouts.NEVER, Timeouts.NEVER, 1, Timeouts.NEVER));

    private final EnumSet<Trait> traits;

    /** A property of the protocol. */
    public enum Trait {
        /** A connection is open only when the server has answered a greeting: that takes a time of its own. */
        GREETS,
        /** The server answers heartbeats. */
        ANSWERS_BEATS,
        /** Each heartbeat has to be answered; else the newest of several may stand for all. */
        ANSWERS_EACH,
        /** A device can send messages. */
        CARRIES_MESSAGES,
        /** The server acknowledges messages. */
        ACKNOWLEDGES,
        /** A device can send a newer token. */
        RENEWS
    }

    /** A dialect with these properties. */
    Dialect(EnumSet<Trait> traits) {
        this.traits = traits;
    }

    /** Whether the protocol has this property. */
    public final boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** What the server is held to; before the first device speaks. */
    public final Dialect withContract(ServerContract promised) {
        contract = promised;
        return this;
    }

    /** What the server is held to. */
    public final ServerContract contract() {
        return contract;
    }

    /** The server took the device in and tells it nothing: what it promises is known from elsewhere. */
    final void welcome(DeviceConnection connection) {
        welcome(connection, contract.intervalMillis() > 0 ? contract.intervalMillis() : connection.wantedMillis());
    }

    /** The same, and it told this interval, milliseconds. */
    final void welcome(DeviceConnection connection, long interval) {
        int grace = contract.graceHundredths() > 0
                ? contract.graceHundredths()
                : connection.loopContext().deviceDefaults.graceHundredths();
        connection.opened(interval, grace);
    }

    /** The channel is connected: say the first thing. */
    abstract void greet(DeviceConnection connection);

    /**
     * Acts on all that is whole in the buffer and leaves the rest.
     *
     * @throws io.heartwheel.loadgen.wire.WireException when the gateway broke the wire document
     */
    abstract void read(DeviceConnection connection, ByteBuf in);

    /** Sends a heartbeat that carries this number. */
    abstract void beat(DeviceConnection connection, int sequence);

    /** The server has sent more answers than there were heartbeats, in a protocol whose answers say not to which. */
    void answeredTooOften(DeviceConnection connection) {}

    /** Whether a device that is closed with this code stays away until something was changed. */
    boolean staysAway(int code) {
        return CloseCodes.staysAway(code);
    }

    /** What the server knows the device with this number as: the id on the wire. */
    public String wireId(int index, DeviceDefaults defaults) {
        return defaults.id(index);
    }

    /** What a code is called in this protocol; the bare number if it has no name. */
    public String codeName(int code) {
        return CloseCodes.name(code);
    }

    /** So many bytes a message may have that this server takes. */
    int mostBytes(DeviceConnection connection) {
        return Integer.MAX_VALUE;
    }

    /** Sends a message of this many bytes; one that wants an acknowledgement if this protocol {@link Trait#ACKNOWLEDGES}. */
    void data(DeviceConnection connection, long id, int bytes) {}

    /**
     * Sends {@link #FLOOD} questions that the gateway will answer at some length, or where it echoes one message of {@link #BULK_BYTES}, for a device that
     * does not read what comes back.
     */
    abstract void flood(DeviceConnection connection);

    /** Acknowledges a message that wants it, with this status: in a protocol of which some do. */
    void acknowledge(DeviceConnection connection, long id, int status) {}

    /** Sends a newer token, if this protocol {@link Trait#RENEWS}. */
    void renew(DeviceConnection connection, String token) {}

    /** Whether the server acknowledges messages of this connection. */
    boolean acknowledges(DeviceConnection connection) {
        return has(Trait.ACKNOWLEDGES);
    }

    /** How many messages of this connection may wait for their acknowledgement. */
    int mostUnderWay(DeviceConnection connection) {
        return MessageTracker.MOST;
    }

    /** Length of a message that drips, bytes; it will never come to its end. */
    int unfinishedBytes() {
        return UNFINISHED_BYTES;
    }

    /** Begins a message of this many bytes; none of them follows yet. */
    abstract void beginUnfinished(DeviceConnection connection, int bytes);

    /** One more byte of the message begun. */
    void drip(DeviceConnection connection) {
        connection.sendUnnoted(connection.buffer(1).writeByte(0));
    }

    /** The gateway said farewell to a live device, with this code. */
    void farewell(DeviceConnection connection, int code) {
        connection.hangUp();
    }

    /** Says goodbye and closes. */
    abstract void leave(DeviceConnection connection);
}
