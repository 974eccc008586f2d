package io.heartwheel.cluster.directory;

/**
 * Place of a device that is not connected here. Immutable; any thread.
 *
 * @param place what is known
 * @param node that it is connected to; empty if none is known
 * @param epoch of the connection there; 0 if none is known
 * @param sessionId likewise
 * @param text why nothing is known, for people; empty if something is
 */
public record Whereabouts(Place place, String node, long epoch, long sessionId, String text) {
    /** Connected to no gateway. */
    public static final Whereabouts OFFLINE = new Whereabouts(Place.OFFLINE, "", 0, 0, "");

    /** What is known. */
    public enum Place {
        /** It is connected to another gateway, which has just said so. */
        ELSEWHERE,
        /** It is connected to none. */
        OFFLINE,
        /** Who would know cannot be asked. */
        UNKNOWN
    }

    static Whereabouts unknown(String text) {
        return new Whereabouts(Place.UNKNOWN, "", 0, 0, text);
    }
}
