package io.heartwheel.push;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Messages on the disk, as they are given to the gateway that their device is connected to. Which gateway that is, and how they get there, others know.
 *
 * <p>A message that is being given is loaded for nobody else: a device that comes back here meanwhile gets it when the other gateway has not taken it, and then before those behind it. It leaves
 * the disk after the other gateway has said that it keeps it; what becomes of it is told there.
 *
 * <p>Any thread; nothing blocks.
 */
public final class KeptMessages {
    private final StoredMessages stored;
    private final MessageMemory memory;
    private final ToLongFunction<StoredRow> leftNanos;
    private final Consumer<String> over;
    private final ConcurrentHashMap<String, CompletableFuture<Boolean>> underWay = new ConcurrentHashMap<>();
    private volatile Consumer<String> away = device -> {};

    /**
     * @param leftNanos what a row that was loaded still has; 0: this was its end
     * @param over told of a device some of whose messages were being given, and are no more: it may be here by now
     */
    KeptMessages(
            StoredMessages stored, MessageMemory memory, ToLongFunction<StoredRow> leftNanos, Consumer<String> over) {
        this.stored = stored;
        this.memory = memory;
        this.leftNanos = leftNanos;
        this.over = over;
    }

    /** What became of a message that was offered. */
    public enum Given {
        /** The other gateway keeps it. */
        TAKEN,
        /** It does not take this one, but perhaps others. */
        LEFT,
        /** It takes none now, or nobody knows. */
        REFUSED
    }

    /** Where messages are given to. */
    @FunctionalInterface
    public interface Taker {
        /**
         * Offers a message; one whose fate nobody knew is offered again under the same number.
         *
         * @param push with the time that it still has
         * @param number of this message, each on this disk once, as long as it is not emptied
         * @param expiresMillis when its time is over, milliseconds since 1970, the same at each offer
         */
        CompletionStage<Given> take(Push push, long number, long expiresMillis);
    }

    /**
     * End of an attempt to give some.
     *
     * @param upTo the number that it has come to
     * @param more whether there may be others behind it that are taken
     */
    public record Part(long upTo, boolean more) {}

    /**
     * Who is told of each device with messages that is not connected here, when one was kept, and when its connection has ended. Once.
     *
     * @param told on any thread; quick, never throws
     */
    public void onAway(Consumer<String> told) {
        away = told;
    }

    /** The device is not connected here. */
    void isAway(String deviceId) {
        if (has(deviceId)) {
            away.accept(deviceId);
        }
    }

    /** Whether any are kept for the device, or on the way to the disk. */
    public boolean has(String deviceId) {
        return stored.room.has(deviceId);
    }

    /** Ids of devices with any; those that come or go meanwhile may be among them. */
    public Iterator<String> devices() {
        return stored.room.ids();
    }

    /**
     * Gives the next ones of a device, one after the other, in their order; {@link StoredMessages#PAGE_ROWS} at most. One call at a time for each device.
     *
     * @param after those behind this number; 0: all
     * @return completed on any thread; fails if the disk cannot be read
     */
    public CompletionStage<Part> give(String deviceId, long after, Taker to) {
        CompletableFuture<Boolean> settled = new CompletableFuture<>();
        underWay.put(deviceId, settled);
        return stored.loadToGive(memory, deviceId, after)
                .thenCompose(page -> give(page.rows(), 0, to)
                        .thenApply(all -> new Part(page.upTo(), all && !page.end() && !page.noRoom())))
                .whenComplete((part, failure) -> {
                    underWay.remove(deviceId);
                    settled.complete(true);
                    over.accept(deviceId);
                });
    }

    /** Completed when those of the device that are being given are given, or not. */
    CompletionStage<Boolean> settled(String deviceId) {
        CompletableFuture<Boolean> settled = underWay.get(deviceId);
        return settled == null ? CompletableFuture.completedFuture(true) : settled;
    }

    /** Whether all were taken that can be. */
    private CompletionStage<Boolean> give(List<StoredRow> rows, int first, Taker to) {
        if (first == rows.size()) {
            return CompletableFuture.completedFuture(true);
        }
        StoredRow row = rows.get(first);
        long rowNanos = leftNanos.applyAsLong(row);
        if (rowNanos == 0) {
            return give(rows, first + 1, to);
        }
        return CompletableFuture.completedFuture(row.push.within(rowNanos))
                .thenCompose(push -> to.take(push, row.number, row.expiresMillis))
                .exceptionally(fault -> Given.REFUSED)
                .thenCompose(given -> {
                    if (given == Given.REFUSED) {
                        rows.subList(first, rows.size()).forEach(each -> stored.unload(memory, each));
                        memory.tell();
                        return CompletableFuture.completedFuture(false);
                    }
                    if (given == Given.TAKEN) {
                        memory.leave(row);
                        stored.end(row);
                    } else {
                        stored.unload(memory, row);
                    }
                    memory.tell();
                    return give(rows, first + 1, to);
                });
    }
}
