package io.heartwheel.transport.tls;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Upkeep of the TLS of all listeners. Immutable; any thread.
 *
 * @param tickets how sessions are resumed
 * @param watch how the files are watched
 */
public record TlsUpkeepSettings(Tickets tickets, Watch watch) {
    /** As the reference configuration has it. */
    public static final TlsUpkeepSettings DEFAULTS = new TlsUpkeepSettings(
            new Tickets(true, null, Duration.ofHours(12)), new Watch(true, Duration.ofSeconds(10)));

    /**
     * Session tickets (RFC 5077; RFC 8446, section 4.6.1).
     *
     * @param enabled off: every handshake is a full one
     * @param keyFile shared by the processes of a host; null: keys of this process alone, lost with it
     * @param rotation age at which a key is followed by the next
     */
    public record Tickets(boolean enabled, @Nullable Path keyFile, Duration rotation) {}

    /**
     * Watching of certificates, keys, authorities and staples.
     *
     * @param enabled off: they are read again by a reload only
     * @param period between two looks; a change is taken when two looks saw the same
     */
    public record Watch(boolean enabled, Duration period) {}
}
