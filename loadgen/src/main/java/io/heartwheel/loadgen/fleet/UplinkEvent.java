package io.heartwheel.loadgen.fleet;

/**
 * Event that came out of the gateway; sent to the worker that runs the device.
 *
 * @param kind what it says
 * @param device number of the device; below 0: of none
 * @param session of the connection, unsigned: which it is of that start of its gateway
 * @param epoch of the connection, unsigned
 * @param sequence of the event in its session, unsigned; {@link #LAST} for one that is the last of its epoch
 * @param incarnation of the gateway whose connection it is; 0 if it tells none
 * @param instance name of that gateway; empty if it tells none
 * @param detail of a connection taken over at another gateway the name of that; of one whose gateway was lost, and of the start of a
 *     gateway that did not end in good order before, {@link #LOST}; of a gateway that is told to be down its name and incarnation; else
 *     empty
 * @param id of a message as it was on the wire
 * @param bytes length of the message
 * @param checksum CRC-32C of the message
 */
public record UplinkEvent(
        Kind kind,
        int device,
        long session,
        long epoch,
        long sequence,
        long incarnation,
        String instance,
        String detail,
        long id,
        int bytes,
        long checksum) {

    /** Larger than every sequence, without sign. */
    public static final long LAST = -1;
    /** A gateway ended without a word. */
    public static final String LOST = "lost";

    /** Kind of an event. */
    public enum Kind {
        /** The device sent a message. */
        MESSAGE,
        /** The device is connected. */
        PRESENT,
        /** Its connection is over. */
        ABSENT,
        /** Its connection is over because a newer one has its id. */
        TAKEN_OVER,
        /** The gateway has started. */
        STARTED,
        /** A gateway tells that another one is down. */
        NODE_DOWN
    }
}
