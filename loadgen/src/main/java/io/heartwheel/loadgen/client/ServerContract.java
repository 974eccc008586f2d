package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.MqttCodes;
import java.util.Arrays;
import java.util.List;

/**
 * Contract of the server of one target with its devices: how long they may be silent, its other deadlines, and how it ends a
 * connection for each reason. Heartwheel's unless the scenario says otherwise. Immutable; any thread.
 *
 * @param intervalMillis heartbeat interval of a server that does not tell it; 0: what the device asks for
 * @param graceHundredths grace of a server that does not tell it, hundredths; 0: the scenario's {@code heartbeat.grace};
 *     below 0: it never closes a connection for silence, whatever it tells
 * @param timeouts its other deadlines
 * @param silent how it ends a connection that fell silent
 * @param neverHello ... on which nothing was said
 * @param dripping ... on which a message was begun and not finished
 * @param stuck ... that takes no bytes
 * @param takenOver ... whose device came again on another one; {@link AllowedEnds#NONE}: both stay
 */
public record ServerContract(
        long intervalMillis,
        int graceHundredths,
        Timeouts timeouts,
        AllowedEnds silent,
        AllowedEnds neverHello,
        AllowedEnds dripping,
        AllowedEnds stuck,
        AllowedEnds takenOver) {

    private static final int UNLIMITED = -1;

    /** What Heartwheel promises (wire document, sections 4 and 6), with these deadlines. */
    public static ServerContract heartwheel(Timeouts timeouts) {
        return new ServerContract(
                0,
                0,
                timeouts,
                AllowedEnds.code(CloseCodes.HEARTBEAT_TIMEOUT),
                // before the upgrade there is no close frame to say it with
                AllowedEnds.code(CloseCodes.HANDSHAKE_TIMEOUT).orWordless(),
                AllowedEnds.code(CloseCodes.READ_STALLED),
                // its socket took no bytes: a broken connection says enough
                AllowedEnds.code(CloseCodes.WRITE_STALLED).orWordless(),
                AllowedEnds.code(CloseCodes.TAKEN_OVER));
    }

    /**
     * What MQTT promises: who falls silent is closed at one and a half times the keep-alive [MQTT-3.1.2-24], with DISCONNECT
     * or without; the older of two connections of a client id is closed [MQTT-3.1.4-2, in version 5 3.1.4-3]. Until a packet
     * is whole nothing was said.
     */
    public static ServerContract mqtt(boolean version5, long handshakeNanos) {
        AllowedEnds fin =
                new AllowedEnds(false, true, false, version5 ? List.of(MqttCodes.KEEP_ALIVE_TIMEOUT) : List.of());
        return new ServerContract(
                0,
                0,
                new Timeouts(handshakeNanos, Timeouts.SILENCE, 1, Timeouts.SILENCE),
                fin,
                AllowedEnds.ANY,
                // bytes that cross a FIN are answered with a RST
                fin.orWordless(),
                fin.orWordless(),
                version5 ? AllowedEnds.code(MqttCodes.SESSION_TAKEN_OVER) : AllowedEnds.WORDLESS);
    }

    /** The same deadlines, with every reason told in the same way. */
    public ServerContract closingBy(AllowedEnds all) {
        boolean told = !all.any() && !all.fin() && !all.rst();
        AllowedEnds unheard = told ? all.orWordless() : all;
        // bytes that cross a FIN are answered with a RST
        AllowedEnds crossed = all.fin() ? all.orWordless() : all;
        return closing(all, unheard, crossed, all.orWordless(), all);
    }

    /** The same but for the silence it allows; 0 and below as in the record. */
    public ServerContract allowing(long interval, int grace) {
        return new ServerContract(interval, grace, timeouts, silent, neverHello, dripping, stuck, takenOver);
    }

    /** The same with these deadlines. */
    public ServerContract timingOut(Timeouts other) {
        return new ServerContract(
                intervalMillis, graceHundredths, other, silent, neverHello, dripping, stuck, takenOver);
    }

    /** The same that never closes a connection for silence. */
    public ServerContract unlimited() {
        return allowing(intervalMillis, UNLIMITED);
    }

    /** The same with each reason's end given. */
    public ServerContract closing(
            AllowedEnds silence, AllowedEnds hello, AllowedEnds drip, AllowedEnds reading, AllowedEnds takeover) {
        return new ServerContract(intervalMillis, graceHundredths, timeouts, silence, hello, drip, reading, takeover);
    }

    /** Whether silence has a limit at all. */
    public boolean limitsSilence() {
        return graceHundredths >= 0;
    }

    /** Whether it has all the deadlines there are. */
    public boolean limitsAll() {
        return Arrays.stream(ExpectedOutcome.values()).allMatch(this::limits);
    }

    /** Whether it ever ends a connection for this. */
    boolean limits(ExpectedOutcome expectedOutcome) {
        return switch (expectedOutcome) {
            case SILENT, VANISHED -> limitsSilence();
            case UNGREETED -> timeouts.handshakeNanos() < Timeouts.NEVER;
            case DRIPPING -> limits(timeouts.progressNanos());
            case STUCK -> limits(timeouts.writeNanos());
            default -> true;
        };
    }

    private boolean limits(long nanos) {
        return nanos == Timeouts.SILENCE ? limitsSilence() : nanos < Timeouts.NEVER;
    }

    /** How it ends the connection of a device with this expected outcome. */
    public AllowedEnds ends(ExpectedOutcome expectedOutcome) {
        return switch (expectedOutcome) {
            case SILENT -> silent;
            // nobody was there to be told
            case VANISHED -> silent.orWordless();
            case UNGREETED -> neverHello;
            case DRIPPING -> dripping;
            case STUCK -> stuck;
            default -> AllowedEnds.NONE;
        };
    }

    /** Whether a close with this code says that the device was idle, whatever happened to the server meanwhile. */
    public boolean meansIdle(int code) {
        boolean own = silent.codes().contains(CloseCodes.HEARTBEAT_TIMEOUT)
                && code >= CloseCodes.HEARTBEAT_TIMEOUT
                && code <= CloseCodes.WRITE_STALLED;
        return own
                || (code == MqttCodes.KEEP_ALIVE_TIMEOUT && silent.codes().contains(code))
                || (code > CloseCodes.NORMAL
                        && (silent.codes().contains(code)
                                || dripping.codes().contains(code)
                                || stuck.codes().contains(code)));
    }

    /**
     * Whether an older connection that ended so was closed as taken over.
     *
     * @param sinceNanos how long after the newer one was welcomed
     * @param withinNanos what ends later than this and could mean silence as well does mean silence
     */
    boolean meansTakenOver(ConnectionEnd ending, int code, long sinceNanos, long withinNanos) {
        return takenOver.accepts(ending, code) && (sinceNanos <= withinNanos || !silent.accepts(ending, code));
    }
}
