package io.heartwheel.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Register of the device ids of the fleet, each change by compare-and-set of the device's row.
 *
 * <pre>
 *   claim     row of anybody, epoch e   --&gt;  mine, epoch max(own, e + 1)      who held it is told to the caller
 *   reassert  mine                      --&gt;  nothing to do; firmly: written again as it is
 *             later epoch of another    --&gt;  taken: the caller's connection is stale
 *             earlier epoch, or none    --&gt;  mine, with the epoch of the connection; firmly, if there is none: with a later one
 *             mine, but given back      --&gt;  mine, with a later epoch: somebody has told the connection as lost
 *   release   mine                      --&gt;  free, epoch kept                 never another's
 * </pre>
 *
 * A copy of a row may lag behind: what is written compares, and what would follow from a row that says no (nothing to give back, nobody has it) is read again where
 * writes are decided.
 *
 * <p>A row raises the epoch of its own device and nobody else's, so a gateway whose clock is wrong moves those that were connected to it, and no others.
 *
 * <p>Immutable; any thread; nothing blocks. Each answer comes once, on any thread; a failure is an {@link EngineException}.
 */
public final class DeviceRegistry {
    /** Rows that change under the hands of who writes them are read again so often. */
    private static final int TRIES = 16;

    private final RowStore rows;
    private final BooleanSupplier mayHold;

    /** Over these rows. */
    public DeviceRegistry(RowStore rows) {
        this(rows, () -> true);
    }

    /** @param mayHold asked just before a row is written as held; any thread, quick */
    public DeviceRegistry(RowStore rows, BooleanSupplier mayHold) {
        this.rows = rows;
        this.mayHold = mayHold;
    }

    /**
     * End of a claim.
     *
     * @param epoch larger than every epoch in the row before; 0: it was not to be had, or nobody wanted it any more
     * @param before the row that was replaced, or would have been
     */
    public record Claimed(long epoch, Row before) {
        /** Whether the id is the claimant's. */
        public boolean isGranted() {
            return epoch != 0;
        }
    }

    /** End of a look at an own device. */
    public enum Standing {
        /** The row is as it should be. */
        KEPT,
        /** It was not, and is now. */
        REASSERTED,
        /** The fleet took the connection for lost: the row is as it should be, with a later epoch. */
        RENEWED,
        /** A connection with a later epoch has, or had, the id. */
        TAKEN,
        /** The row changed meanwhile: to be looked at again. */
        CHANGED
    }

    /**
     * What a look at an own device has found.
     *
     * @param row as it was read
     * @param epoch that the connection has now, unless it was taken
     */
    public record Look(Standing standing, Row row, long epoch) {}

    /**
     * Makes the id this connection's.
     *
     * @param leastEpoch what the connection would have alone
     * @param wanted asked before each write, with the row that it would replace: whether the connection is to have the id
     */
    public CompletionStage<Claimed> claim(
            byte[] deviceId, NodeId node, long sessionId, long leastEpoch, Predicate<Row> wanted) {
        return claim(deviceId, node, sessionId, leastEpoch, wanted, TRIES);
    }

    private CompletionStage<Claimed> claim(
            byte[] deviceId, NodeId node, long sessionId, long leastEpoch, Predicate<Row> wanted, int tries) {
        return read(deviceId, tries).thenCompose(row -> {
            if (!wanted.test(row)) {
                return done(new Claimed(0, row));
            }
            if (row.isHeldBy(node, sessionId)) {
                return done(new Claimed(row.epoch(), row)); // it was written, and the answer was lost
            }
            long epoch = Math.max(leastEpoch, row.epoch() + 1);
            return hold(deviceId, Row.held(node, sessionId, epoch), row.revision())
                    .thenCompose(written -> {
                        if (written) {
                            return done(new Claimed(epoch, row));
                        }
                        return tries > 1
                                ? claim(deviceId, node, sessionId, leastEpoch, wanted, tries - 1)
                                : contended();
                    });
        });
    }

    /**
     * Looks after an own device, and writes its row if it should be there and is not.
     *
     * @param epoch of the connection
     * @param firmly whether the row is written also if it is as it should be, because somebody may be about to give it back
     */
    public CompletionStage<Look> reassert(byte[] deviceId, NodeId node, long sessionId, long epoch, boolean firmly) {
        return rows.read(deviceId).thenCompose(row -> {
            boolean own = node.equals(row.node()) && row.sessionId() == sessionId;
            boolean kept = own && row.held();
            if (kept && !firmly) {
                return done(new Look(standing(row.epoch(), epoch, Standing.KEPT), row, row.epoch()));
            }
            if (!own && (row.epoch() > epoch || (row.epoch() == epoch && row.isHeldElsewhere(node)))) {
                return done(new Look(Standing.TAKEN, row, epoch));
            }
            boolean maybeTold = !kept && (row.epoch() >= epoch || (firmly && row.node() == null));
            long next = maybeTold ? Math.max(epoch, row.epoch()) + 1 : Math.max(epoch, kept ? row.epoch() : 0);
            Standing standing = standing(next, epoch, kept ? Standing.KEPT : Standing.REASSERTED);
            return hold(deviceId, Row.held(node, sessionId, next), row.revision())
                    .thenApply(written -> new Look(written ? standing : Standing.CHANGED, row, next));
        });
    }

    private CompletionStage<Boolean> hold(byte[] deviceId, Row row, long revision) {
        return mayHold.getAsBoolean()
                ? rows.write(deviceId, row, revision)
                : CompletableFuture.failedFuture(
                        new EngineException(EngineException.Kind.NOT_YET, "this gateway may count as lost"));
    }

    private CompletionStage<Row> read(byte[] deviceId, int tries) {
        return tries == TRIES ? rows.read(deviceId) : rows.readLatest(deviceId);
    }

    private static Standing standing(long next, long epoch, Standing same) {
        return next > epoch ? Standing.RENEWED : same;
    }

    /** Gives the id back if this connection has it. */
    public CompletionStage<Boolean> release(byte[] deviceId, NodeId node, long sessionId) {
        return release(deviceId, node, sessionId, TRIES);
    }

    private CompletionStage<Boolean> release(byte[] deviceId, NodeId node, long sessionId, int tries) {
        return read(deviceId, tries).thenCompose(row -> {
            if (!row.isHeldBy(node, sessionId)) {
                return tries == TRIES ? release(deviceId, node, sessionId, tries - 1) : done(false);
            }
            return rows.write(deviceId, row.released(), row.revision()).thenCompose(written -> {
                if (written) {
                    return done(true);
                }
                return tries > 1 ? release(deviceId, node, sessionId, tries - 1) : contended();
            });
        });
    }

    /**
     * The device's row. If it is held there, the holder may have lost it meanwhile; if it is not, nobody had it when it was asked.
     *
     * @param latest whether a holder that has lost it is as bad
     */
    public CompletionStage<Row> locate(byte[] deviceId, boolean latest) {
        return latest
                ? rows.readLatest(deviceId)
                : rows.read(deviceId).thenCompose(row -> row.held() ? done(row) : rows.readLatest(deviceId));
    }

    private static <T> CompletionStage<T> done(T value) {
        return CompletableFuture.completedFuture(value);
    }

    private static <T> CompletionStage<T> contended() {
        return CompletableFuture.failedFuture(
                new EngineException(EngineException.Kind.CONTENDED, "others write this row again and again"));
    }
}
