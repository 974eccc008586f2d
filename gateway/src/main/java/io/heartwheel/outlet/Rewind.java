package io.heartwheel.outlet;

/**
 * Place in the journal from which an outlet is to deliver again.
 *
 * @param to where
 * @param value for {@link To#RECORD} its number, for {@link To#TIME} milliseconds since 1970, else 0
 */
public record Rewind(To to, long value) {
    /** Kinds of places. */
    public enum To {
        /** The oldest record there is. */
        START,
        /** The record of a number. */
        RECORD,
        /** The first that was written at a time or later. */
        TIME
    }

    /** To the oldest record there is. */
    public static final Rewind START = new Rewind(To.START, 0);
}
