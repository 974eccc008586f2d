package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.scenario.Acks;
import java.util.List;

/**
 * Server's response to one push; sent to the worker that runs the device. Times by the clock of the one who pushed.
 *
 * @param recipient number of the device, or {@link io.heartwheel.loadgen.wire.PushMessage#ALL}
 * @param sequence from 1, counted for each recipient
 * @param ask what was asked for
 * @param said what the answer means
 * @param answer as it was given: a status, or what went wrong
 * @param absent numbers of devices that one to many did not reach, by the server's word
 * @param messageId of the message by the server; 0: it told none
 * @param intendedNanos when the push was to be made
 * @param lagNanos how much later the generator came to it
 * @param calledNanos when it was called: the server cannot have known of it earlier
 * @param answeredNanos when the answer was there
 */
public record PushOutcome(
        int recipient,
        int sequence,
        Acks.Ask ask,
        Said said,
        String answer,
        List<Integer> absent,
        long messageId,
        long intendedNanos,
        long lagNanos,
        long calledNanos,
        long answeredNanos) {

    /** Meaning of an answer. */
    public enum Said {
        /** The device gets it, if it stays connected. */
        ACCEPTED,
        /** The device has it, as surely as was asked for. */
        ACKNOWLEDGED,
        /** The device gets it when it is connected. */
        QUEUED,
        /** The device did not say in time that it has it. */
        EXPIRED,
        /** Called twice under one key, and answered differently; or to many, and the numbers do not add up. */
        CONTRADICTED,
        /** The device is not connected. */
        ABSENT,
        /** It does not get it. */
        REFUSED,
        /** Nobody knows. */
        FAILED
    }
}
