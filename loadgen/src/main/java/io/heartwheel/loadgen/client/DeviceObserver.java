package io.heartwheel.loadgen.client;

/** Takes down what a device sees. Called on the device's event loop, in the order of events; must not block. */
public interface DeviceObserver {

    /** TLS was agreed on, so long after the socket was connected; before {@link #opened}, and only with TLS. */
    default void secured(Device device, long handshakeNanos) {}

    /** The gateway welcomed the device (plain: answered 101). Once at most. */
    void opened(Device device);

    /** The connection failed before {@link #opened}. Instead of it, and of all that follows. */
    void refused(Device device, Ending ending, int code, String detail);

    /** A heartbeat was sent, this much later than intended, nanoseconds. */
    void beatSent(Device device, long lagNanos);

    /**
     * A heartbeat was answered.
     *
     * @param sinceIntendedNanos from when it should have been sent: what a device waiting for its turn feels
     * @param sinceSentNanos from when it was sent, or below 0 when a newer one was sent in between
     */
    void beatAnswered(Device device, long sinceIntendedNanos, long sinceSentNanos);

    /** The gateway asked for a sign of life. */
    void probed(Device device);

    /** A DATA was sent ({@code accepted} is meaningless) or acknowledged. */
    void data(Device device, boolean acknowledged, boolean accepted);

    /** The gateway broke the wire document. */
    void violated(Device device, String detail);

    /** The first sign that the connection is over; after {@link #opened}, once. */
    void ended(Device device, Ending ending, int code, String detail);

    /** The socket is closed; after {@link #ended}, once. */
    void gone(Device device);
}
