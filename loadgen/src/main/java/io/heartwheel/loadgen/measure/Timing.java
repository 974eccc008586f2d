package io.heartwheel.loadgen.measure;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Timings of a run, each a histogram, all in one place. */
public enum Timing {
    /** Heartbeat round trips from the intended send time; where a crowd comes, before that. */
    ROUND_TRIP("Heartbeat round trip from the intended send time, before a crowd comes if one does", false, true),
    /** The same from then on. */
    ROUND_TRIP_CROWD("Heartbeat round trip from the intended send time, from when a crowd comes on", false, true),
    /** The same in the scenario's warm-up, which the others leave out. */
    ROUND_TRIP_COLD("Heartbeat round trip from the intended send time, in the warm-up", false, true),
    /** The same while devices connected, which no limit is for. */
    ROUND_TRIP_RAMP("Heartbeat round trip from the intended send time, while devices connected", false, true),
    /** The same from the actual send time. */
    ROUND_TRIP_UNCORRECTED("Heartbeat round trip from the actual send time", false, false),
    /** DATA to its ACK, from the intended send time. */
    DATA_ROUND_TRIP("Message to its acknowledgement from the intended send time", false, true),
    /** The same from the actual send time. */
    DATA_ROUND_TRIP_UNCORRECTED("Message to its acknowledgement from the actual send time", false, false),
    /** Message to its coming back, from the intended send time. */
    ECHO_ROUND_TRIP("Message to its coming back from the intended send time", false, true),
    /** The same from the actual send time. */
    ECHO_ROUND_TRIP_UNCORRECTED("Message to its coming back from the actual send time", false, false),
    /** Connect called to connected. */
    CONNECT_TCP("Connect to connected", false, true),
    /** Connected to TLS established. */
    CONNECT_TLS("TLS handshake", false, true),
    /** Upgrade sent to 101. */
    CONNECT_UPGRADE("WebSocket upgrade to 101", false, true),
    /** HELLO sent to WELCOME. */
    CONNECT_HELLO("HELLO to WELCOME", false, true),
    /** Connect called to welcomed. */
    CONNECT("Connect to welcomed", false, true),
    /** How much later than it was to connect a device connected: its place in the queue of the ramp. */
    START_LAG("Turn to connect to connect called, in the generator's own queue", false, false),
    /** How much later than intended the generator acted. */
    PACING("The generator's own lag", false, false),
    /** How long an event loop of the generator stood still, each time that was long. */
    STALL("How long an event loop of the generator stood still", false, false),
    /** Close seen minus deadline reckoned, of devices that fell silent, without what the generator could not see. */
    LATENESS("Detection of silent devices after their deadline", true, true),
    /** The same of devices that never said HELLO. */
    LATENESS_HANDSHAKE("Detection of silent handshakes after their deadline", true, true),
    /** The same of devices that dripped. */
    LATENESS_PROGRESS("Detection of dripping devices after their deadline", true, true),
    /** Close seen minus the expiry of a token. */
    LATENESS_EXPIRY("Close of devices after their token expired", true, true),
    /** Newer token sent to its answer. */
    RENEWAL("Newer token sent to its answer", false, true),
    /** Connect called to refused, when nobody could decide. */
    UNDECIDED("Connect called to refused because nobody could decide", false, true),
    /** All three as they were seen, with what the generator could not see. */
    LATENESS_AS_SEEN(
            "Detection after the deadline, of all kinds, with the time the generator stood still itself", true, false),
    /** Newer connection welcomed to older one closed. */
    TAKEOVER("Newer connection welcomed to older one closed", true, true),
    /** Push to its arrival at the device, from the intended time of the push. */
    PUSH("Push to its arrival at the device from the intended time", false, false),
    /** The same of a push to many. */
    PUSH_TO_ALL("Push to many, to its arrival at each device, from the intended time", false, false),
    /** The same of one that the server sends later, from when it is due, to a device that is there. */
    PUSH_LATER("Message that the server sends later, from when it is due to its arrival", false, false),
    /** Push to its arrival while both sides are cold, which the others leave out. */
    PUSH_COLD("Push to its arrival at the device from the intended time, while both sides are cold", false, false),
    /** Push called to answered. */
    PUSH_CALL("Push called to answered", false, false),
    /** The same of one told as read by its device's stack. */
    PUSH_CALL_RECEIVED("Push called to answered as received", false, false),
    /** The same of one told as acknowledged by its device, if that did so at once. */
    PUSH_CALL_DEVICE("Push called to answered as acknowledged, of devices that acknowledge at once", false, false),
    /** The same of one told as kept for its device. */
    PUSH_CALL_STORED("Push called to answered as kept", false, false),
    /** Push called to answered while both sides are cold, which the others leave out. */
    PUSH_CALL_COLD("Push called to answered, while both sides are cold", false, false),
    /** Push intended to called: the generator's own lag, and the wait for a call to be free. */
    PUSH_WAIT("Push intended to called", false, false),
    /** Connection lost to welcomed again. */
    RECOVERY("Connection lost to welcomed again", false, false);

    private final String help;
    private final boolean fine;
    private final boolean ofGateway;

    Timing(String help, boolean fine, boolean ofGateway) {
        this.help = help;
        this.fine = fine;
        this.ofGateway = ofGateway;
    }

    /** One line for people. */
    public String help() {
        return help;
    }

    /** The name in JSON and metrics: lower case with underscores. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the generator's own standstills are taken off it, close by close and answer by answer. */
    public boolean isOfGateway() {
        return ofGateway;
    }

    /** An empty histogram, as fine as this needs. */
    public Latencies latencies() {
        return fine ? Latencies.fine() : Latencies.coarse();
    }

    /** The timing of this label; empty when there is none. */
    public static Optional<Timing> labelled(String label) {
        return Arrays.stream(values())
                .filter(timing -> timing.label().equals(label))
                .findFirst();
    }
}
