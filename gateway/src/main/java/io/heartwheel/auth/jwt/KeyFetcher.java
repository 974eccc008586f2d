package io.heartwheel.auth.jwt;

import java.util.concurrent.CompletableFuture;

/** Fetcher of the issuer's document. */
interface KeyFetcher {
    /**
     * A document.
     *
     * @param body its bytes
     * @param maxAgeNanos how long it holds, or {@link KeySchedule#NOT_SAID}
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Document(byte[] body, long maxAgeNanos) {}

    /** Starts a fetch; one at a time. Its end is told on any thread; its failure has a message for people. */
    CompletableFuture<Document> fetch();

    /** Ends its threads. */
    default void close() {}
}
