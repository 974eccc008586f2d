package io.heartwheel.loadgen.fleet;

/**
 * Event that came out of the gateway; sent to the worker that runs the device.
 *
 * @param kind what it says
 * @param device number of the device; below 0: of none
 * @param epoch of the connection, unsigned
 * @param sequence of the event in its session, unsigned; 0 if it has none
 * @param incarnation of the gateway; 0 if it tells none
 * @param id of a message as it was on the wire
 * @param bytes length of the message
 * @param checksum CRC-32C of the message
 */
public record UplinkEvent(
        Kind kind, int device, long epoch, long sequence, long incarnation, long id, int bytes, long checksum) {

    /** Kind of an event. */
    public enum Kind {
        /** The device sent a message. */
        MESSAGE,
        /** The device is connected. */
        PRESENT,
        /** Its connection is over. */
        ABSENT,
        /** The gateway has started. */
        STARTED
    }
}
