package io.heartwheel.loadgen.downlink;

import io.heartwheel.loadgen.scenario.Acks;
import io.heartwheel.loadgen.scenario.Downlink;
import io.heartwheel.loadgen.wire.PushMessage;
import java.nio.charset.StandardCharsets;

/**
 * One push that is to be made.
 *
 * @param recipient number of the device, or {@link PushMessage#ALL}
 * @param id its id; empty for all
 * @param sequence from 1, counted for each recipient
 * @param intendedNanos when it was to be made, by the clock of this process
 * @param lagNanos how much later the turn came to it
 * @param ask what is asked for with it
 * @param ack the same as a parameter of a call
 * @param again whether it is called twice
 * @param key of its own
 */
record Push(
        int recipient,
        String id,
        int sequence,
        long intendedNanos,
        long lagNanos,
        byte[] message,
        Acks.Ask ask,
        String ack,
        boolean again,
        String key) {

    /** A template with everything it holds of this push. */
    String fill(String template) {
        return fill(template, id);
    }

    /** The same with the id written in another way. */
    String fill(String template, String writtenId) {
        // The message last: it is the only part in which no brace can stand.
        String filled = template.replace(Downlink.ID, writtenId)
                .replace(Downlink.NUMBER, Integer.toString(recipient))
                .replace(Downlink.KEY, key)
                .replace(Downlink.ACK, ack);
        return filled.contains(Downlink.MESSAGE)
                ? filled.replace(Downlink.MESSAGE, new String(message, StandardCharsets.ISO_8859_1))
                : filled;
    }
}
