package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;

/**
 * Receiver of what devices see. Called on the device's event loop, in the order of events; must not block.
 *
 * @param <D> the device: {@link Device}, which this interface does not name so that both can be read apart
 */
public interface DeviceObserver<D> {

    /** Something took this long. */
    void timed(Timing timing, long nanos);

    /** The gateway welcomed the device (plain: answered 101), this long after it called connect. Once a connection at most. */
    void opened(D device, long sinceCalledNanos);

    /** The connection failed before {@link #opened}, and should not have. Instead of all that follows. */
    void refused(D device, ConnectionEnd ending, int code, String detail);

    /** The connection was turned away as one of too many, and comes back within the window that it was told. Instead of {@link #refused}. */
    void turnedAway(D device);

    /** Something happened of which nothing but that is told. */
    void counted(D device, Count what);

    /** That failed; it will try again. */
    void retryFailed(D device, ConnectionEnd ending, String detail);

    /** It is back, so long after it lost its connection. */
    void recovered(D device, long afterNanos);

    /**
     * The same; told before {@link #recovered}.
     *
     * @param window that it was given, if any
     * @param calledNanos when it began to connect, since it lost its connection
     * @param welcomedNanos when it was welcomed, since then; what the generator itself was late with the connect is taken off
     */
    void returned(D device, Comeback.Window window, long calledNanos, long welcomedNanos);

    /** The gateway asks to leave. */
    void goaway(D device);

    /** The device did something other than a heartbeat, this much later than intended. */
    void acted(D device, long lagNanos);

    /** A heartbeat was sent, this much later than intended. */
    void beatSent(D device, long lagNanos);

    /**
     * A heartbeat was answered.
     *
     * @param sinceIntendedNanos from when it should have been sent: what a device waiting for its turn feels
     * @param sinceSentNanos from when it was sent, or below 0 when a newer one was sent in between
     */
    void beatAnswered(D device, long sinceIntendedNanos, long sinceSentNanos);

    /** A heartbeat of a live device was answered later than it may be; the detail says which, and by how much. */
    void answeredLate(D device, String detail);

    /**
     * Heartbeats of a live device were not answered in time.
     *
     * @param proven whether no slowness of the generator can be to blame: later ones were answered
     * @param detail which
     */
    void unanswered(D device, int many, boolean proven, String detail);

    /** The gateway asked for a sign of life. */
    void probed(D device);

    /** Something happened to a message. */
    void message(D device, MessageTracker.Fact fact);

    /** A message went wrong; the detail names it and says when it was sent. */
    void messageFault(D device, MessageFault fault, long number, String detail);

    /** A message of another device came here: that device's number in the run, and the message's. */
    void misdelivered(D device, int owner, int number);

    /** The gateway broke the wire document. */
    void violated(D device, String detail);

    /** From here on the device must be closed. */
    void closeExpected(D device, ExpectedOutcome expectedOutcome);

    /** A device that must be closed was seen not to be. */
    void missed(D device);

    /** A second connection was welcomed under the device's id. */
    void tookOver(D device, Takeover old);

    /** The first connection is over. */
    void predecessorEnded(D device, Takeover old, ConnectionEnd ending, int code);

    /** The first sign that the connection is over; after {@link #opened}, or of a device that never meant to be. Once a connection. */
    void ended(D device, ConnectionEnd ending, int code, String detail);
}
