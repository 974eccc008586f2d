package io.heartwheel.transport;

import org.jspecify.annotations.Nullable;

/**
 * Limits on new connections, beside {@link TransportSettings#maxConnections}. Immutable; any thread.
 *
 * @param maxPending handshakes under way in this process; each event loop has an equal part
 * @param sources room of one source; null: no limit
 */
public record AdmissionSettings(int maxPending, @Nullable SourceSettings sources) {}
