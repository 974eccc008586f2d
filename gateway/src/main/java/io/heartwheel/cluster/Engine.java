package io.heartwheel.cluster;

/** Everything that a cluster stands on. What each part promises stands there. */
public interface Engine extends AutoCloseable {
    /** Where the rows are. */
    RowStore rows();

    /** The way to other gateways. */
    NodeBus bus();

    /** Who is there. */
    Membership membership();

    /** How the engine is. */
    Health health();

    /** Ends it; what is under way fails. May block a moment. */
    @Override
    void close();
}
