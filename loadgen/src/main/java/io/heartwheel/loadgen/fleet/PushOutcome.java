package io.heartwheel.loadgen.fleet;

/**
 * Server's response to one push; sent to the worker that runs the device. Times by the clock of the one who pushed.
 *
 * @param recipient number of the device, or {@link io.heartwheel.loadgen.wire.PushMessage#ALL}
 * @param sequence from 1, counted for each recipient
 * @param said what the answer means
 * @param answer as it was given: a status, or what went wrong
 * @param intendedNanos when the push was to be made
 * @param lagNanos how much later the generator came to it
 * @param calledNanos when it was called: the server cannot have known of it earlier
 * @param answeredNanos when the answer was there
 */
public record PushOutcome(
        int recipient,
        int sequence,
        Said said,
        String answer,
        long intendedNanos,
        long lagNanos,
        long calledNanos,
        long answeredNanos) {

    /** Meaning of an answer. */
    public enum Said {
        /** The device gets it, if it stays connected. */
        ACCEPTED,
        /** The device is not connected. */
        ABSENT,
        /** It does not get it. */
        REFUSED,
        /** Nobody knows. */
        FAILED
    }
}
