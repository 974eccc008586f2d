package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.pace.Comeback;

/** Takes down what a device sees. Called on the device's event loop, in the order of events; must not block. */
public interface DeviceObserver {

    /** A stage of the way up took this long. */
    void environment(Timing environment, long nanos);

    /** The gateway welcomed the device (plain: answered 101), this long after it called connect. Once a connection at most. */
    void opened(Device device, long sinceCalledNanos);

    /** The connection failed before {@link #opened}, and should not have. Instead of all that follows. */
    void refused(Device device, ConnectionEnd ending, int code, String detail);

    /** The device lost a live connection for a reason that the scenario or the gateway announced. */
    void lost(Device device);

    /** It tries to come back. */
    void retried(Device device);

    /** That failed; it will try again. */
    void retryFailed(Device device);

    /** It is back, so long after it lost its connection. */
    void recovered(Device device, long afterNanos);

    /**
     * The same; told before {@link #recovered}.
     *
     * @param window that it was given, if any
     * @param calledNanos when it began to connect, since it lost its connection
     * @param welcomedNanos when it was welcomed, since then; what the generator itself was late with the connect is taken off
     */
    void returned(Device device, Comeback.Window window, long calledNanos, long welcomedNanos);

    /** The gateway asks to leave. */
    void goaway(Device device);

    /** The device did something other than a heartbeat, this much later than intended. */
    void acted(Device device, long lagNanos);

    /** A heartbeat was sent, this much later than intended. */
    void beatSent(Device device, long lagNanos);

    /**
     * A heartbeat was answered.
     *
     * @param sinceIntendedNanos from when it should have been sent: what a device waiting for its turn feels
     * @param sinceSentNanos from when it was sent, or below 0 when a newer one was sent in between
     */
    void beatAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos);

    /**
     * Heartbeats of a live device were not answered in time.
     *
     * @param proven whether no slowness of the generator can be to blame: later ones were answered
     * @param detail which
     */
    void unanswered(Device device, int many, boolean proven, String detail);

    /** The gateway asked for a sign of life. */
    void probed(Device device);

    /** Something happened to a message. */
    void message(Device device, MessageTracker.Fact fact);

    /** A message came back as another one. */
    void messageChanged(Device device, String detail);

    /** A message was acknowledged; as {@link #beatAnswered}. */
    void messageAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos);

    /** The gateway broke the wire document. */
    void violated(Device device, String detail);

    /** From here on the device must be closed. */
    void condemned(Device device, ExpectedOutcome expectedOutcome);

    /** A device that must be closed was seen not to be. */
    void missed(Device device);

    /** A device that must be closed was not, but the generator stood still meanwhile: nobody can say who is right. */
    void notJudged(Device device);

    /** A second connection was welcomed under the device's id. */
    void tookOver(Device device, SupersededConnection old);

    /** The first connection is over. */
    void predecessorEnded(Device device, SupersededConnection old, ConnectionEnd ending, int code);

    /** The first sign that the connection is over; after {@link #opened}, or of a device that never meant to be. Once a connection. */
    void ended(Device device, ConnectionEnd ending, int code, String detail);
}
