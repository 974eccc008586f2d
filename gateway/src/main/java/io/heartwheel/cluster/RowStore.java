package io.heartwheel.cluster;

import java.util.concurrent.CompletionStage;

/**
 * Port to where the rows stand. Any thread; nothing blocks. Each answer comes once, on any thread, within a few seconds: a value, or an {@link EngineException}
 * as the cause. After a failure of a write nobody knows whether it was done, or will still be.
 */
public interface RowStore {
    /**
     * The latest row of a device, or an earlier one: a store of several copies may lag.
     *
     * @param deviceId UTF-8, nobody changes it
     */
    CompletionStage<Row> read(byte[] deviceId);

    /**
     * Writes a row if the one there still has this revision.
     *
     * @param revision of the row that was read; 0: there was none
     * @return whether it was written
     */
    CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision);
}
