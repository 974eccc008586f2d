package io.heartwheel.cluster;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The engine of the cluster did not do what it was asked for. Without stack trace, because there may be many. Immutable; any thread. */
public final class EngineException extends Exception {
    /** The message if that is all that is known. */
    public static final String NOT_CONNECTED = "not connected";

    private static final long serialVersionUID = 1;

    private final Kind kind;

    /** What is known. */
    public enum Kind {
        /** The engine is not to be had, or did not answer in time. */
        UNREACHABLE,
        /** The engine is there, and the node that was asked is not. */
        NO_NODE,
        /** The row changed each time before it could be written. */
        CONTENDED,
        /** This node may hold no rows yet: nothing was written. */
        NOT_YET
    }

    /** @param text why, for people */
    public EngineException(Kind kind, String text) {
        super(text, null, false, false);
        this.kind = kind;
    }

    /** What is known. */
    public Kind kind() {
        return kind;
    }

    /** What a stage failed with; any other failure than ours counts as unreachable. */
    public static EngineException of(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof EngineException own
                ? own
                : new EngineException(Kind.UNREACHABLE, cause == null ? "failed" : cause.toString());
    }
}
