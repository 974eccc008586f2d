package io.heartwheel.cluster;

/**
 * Everything that a cluster stands on. Each part says itself what it promises.
 *
 * @param rows where the rows of devices and gateways are
 * @param members where those of {@link MemberRow} are
 * @param schedules where those of schedules are
 * @param bus the way to other gateways
 * @param membership who is there
 * @param health how the engine is
 * @param end ends it
 */
public record Engine(
        RowStore rows,
        RowStore members,
        RowStore schedules,
        NodeBus bus,
        Membership membership,
        Health health,
        Runnable end)
        implements AutoCloseable {
    /** Ends it; what is under way fails. May block a moment. */
    @Override
    public void close() {
        end.run();
    }
}
