package io.heartwheel.transport;

import io.heartwheel.session.ConnectionQuotaSettings;
import org.jspecify.annotations.Nullable;

/**
 * Limits on new connections, beside {@link TransportSettings#maxConnections}. Immutable; any thread.
 *
 * @param maxPending handshakes under way in this process; each event loop has an equal part
 * @param sources room of one source; null: no limit
 * @param accepts rate of the whole process; null: no limit
 * @param quotas room of one group, or of one value of an attribute
 */
public record AdmissionSettings(
        int maxPending,
        @Nullable SourceSettings sources,
        @Nullable AcceptLimitSettings accepts,
        ConnectionQuotaSettings quotas) {
    /** With no limit but that of handshakes. */
    public AdmissionSettings(int maxPending) {
        this(maxPending, null, null, ConnectionQuotaSettings.NONE);
    }
}
