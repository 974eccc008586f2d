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
     * @param rotation age at which a key is followed by the next, {@link #MIN_ROTATION}..{@link #MAX_ROTATION}
     */
    public record Tickets(boolean enabled, @Nullable Path keyFile, Duration rotation) {
        /** Least rotation. */
        public static final Duration MIN_ROTATION = Duration.ofMinutes(1);
        /** Greatest rotation. */
        public static final Duration MAX_ROTATION = Duration.ofDays(7);

        /** @throws IllegalArgumentException naming what is out of range */
        public Tickets {
            if (rotation.compareTo(MIN_ROTATION) < 0 || rotation.compareTo(MAX_ROTATION) > 0) {
                throw new IllegalArgumentException("tls.tickets.rotation = " + rotation + ": need 1m..7d");
            }
        }
    }

    /**
     * Watching of certificates, keys, authorities and staples.
     *
     * @param enabled off: they are read again by a reload only
     * @param period between two looks, {@link #MIN_PERIOD}..{@link #MAX_PERIOD}; a change is taken when two looks saw the same
     */
    public record Watch(boolean enabled, Duration period) {
        /** Least period. */
        public static final Duration MIN_PERIOD = Duration.ofSeconds(1);
        /** Greatest period. */
        public static final Duration MAX_PERIOD = Duration.ofHours(1);

        /** @throws IllegalArgumentException naming what is out of range */
        public Watch {
            if (period.compareTo(MIN_PERIOD) < 0 || period.compareTo(MAX_PERIOD) > 0) {
                throw new IllegalArgumentException("tls.watch.period = " + period + ": need 1s..1h");
            }
        }
    }
}
