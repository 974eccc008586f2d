package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.MessageContract;

/**
 * Limits that the gateway must keep (wire document, section 4), and how finely a client can see it. Nanoseconds.
 *
 * <p>The client reckons a deadline as the time its last frame was handed to the socket, plus interval x grace. The
 * gateway took that frame in a little later and its close arrives a little after it was sent, so measured lateness is the
 * true lateness plus two ways through the kernel and whatever made this generator late itself; it is never less.
 *
 * @param tickNanos one tick of the gateway's wheel
 * @param slackNanos allowed above a tick for the event loop and the measurement, at the 99th percentile
 * @param earlyAllowanceNanos a close this little before the reckoned deadline is forgiven: a gateway may stamp a whole
 *     batch of reads with the time the batch began
 * @param missedAfterNanos a silent device not closed this long after its deadline was missed; a socket
 *     not closed this long after CLOSE was left open
 * @param answerWithinNanos a heartbeat not answered in this time is unanswered
 * @param pacingLimitNanos what the generator is held to itself: a p99 of its own lag above this makes soft findings
 *     worthless
 * @param goawayAllowed whether the gateway may send live devices away when no step of the timeline told it to
 * @param slackP999Nanos allowed above a tick at the 99.9th percentile, where there are a thousand closes or more
 * @param slackMaxNanos allowed above a tick for any close
 * @param welcomeWithinNanos from the connect to the welcome
 * @param messages what it is held to about messages
 */
public record Contract(
        long tickNanos,
        long slackNanos,
        long earlyAllowanceNanos,
        long missedAfterNanos,
        long answerWithinNanos,
        long pacingLimitNanos,
        boolean goawayAllowed,
        long slackP999Nanos,
        long slackMaxNanos,
        long welcomeWithinNanos,
        MessageContract messages) {

    /** Largest allowed 99.9th percentile of detection lateness. */
    public long latenessP999Nanos() {
        return tickNanos + slackP999Nanos;
    }

    /** Largest allowed detection lateness. */
    public long latenessMaxNanos() {
        return tickNanos + slackMaxNanos;
    }

    /** Largest allowed 99th percentile of detection lateness. */
    public long latenessLimitNanos() {
        return tickNanos + slackNanos;
    }
}
