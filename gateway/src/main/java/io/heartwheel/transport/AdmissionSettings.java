package io.heartwheel.transport;

import org.jspecify.annotations.Nullable;

/**
 * Limits on new connections, beside {@link TransportSettings#maxConnections}. Immutable; any thread.
 *
 * @param maxPending handshakes under way in this process, {@link #MIN_PENDING}..{@link TransportSettings#MAX_CONNECTIONS}; each event loop has an equal part
 * @param sources room of one source; null: no limit
 */
public record AdmissionSettings(int maxPending, @Nullable SourceSettings sources) {
    /** Fewest handshakes. */
    public static final int MIN_PENDING = 16;

    /** @throws IllegalArgumentException naming what is out of range */
    public AdmissionSettings {
        if (maxPending < MIN_PENDING || maxPending > TransportSettings.MAX_CONNECTIONS) {
            throw new IllegalArgumentException("handshake.max-pending = " + maxPending + ": need " + MIN_PENDING + ".."
                    + TransportSettings.MAX_CONNECTIONS);
        }
    }
}
