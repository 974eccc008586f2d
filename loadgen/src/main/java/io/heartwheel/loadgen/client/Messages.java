package io.heartwheel.loadgen.client;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Messages of one connection's device, as its dialect knows them; those of a superseded connection are nobody's. Owner: the connection's event loop. */
interface Messages {

    /** What is said of them is said too late to matter. */
    Messages NONE = new Messages() {};

    /** The id of the newest one sent; 0 before the first. */
    default long newest() {
        return 0;
    }

    /** The id of the oldest one to which something may still happen; above the newest: to none. */
    default long oldest() {
        return Long.MAX_VALUE;
    }

    /** One was accepted or refused; {@link DeviceConnection#UNNAMED}: the server does not say which. */
    default void acknowledged(long id, boolean accepted) {}

    /** Whether this one came back already on an earlier connection. */
    default boolean cameBackEarlier(long id) {
        return false;
    }

    /** Whether a message is one of another device of this run, by its content; then it has been seen to. */
    default boolean misdelivered(ByteBuf in, int at, int length) {
        return false;
    }

    /** Whether a message is one of these by its content, though its number does not say so: of an earlier connection, or that number is forgotten. */
    default boolean isOwn(ByteBuf in, int at, int length, boolean forgotten) {
        return false;
    }

    /** A message came with this id, {@link DeviceConnection#UNNAMED} where the protocol has none, and this content, null where it has none. */
    default void received(long id, boolean text, @Nullable ByteBuf in, int at, int length) {}
}
