package io.heartwheel.transport.tls;

import io.netty.handler.ssl.OpenSslSessionTicketKey;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The keys that session tickets are sealed and opened with, and when the next is due. Time is handed in; immutable; any thread.
 *
 * <pre>
 *   opened with     sealed with       opened with
 *       old           current           coming
 *   |-- rotation --|-- rotation ----- now -- LEAD --|
 * </pre>
 *
 * A coming key is known to every process before the first seals with it, so a rotation costs nobody a full handshake. A ticket is good for two
 * rotations at least and three at most.
 */
final class TicketRing {
    /** Keys kept that only open. */
    static final int OLD = 1;
    /** How long before its use a key is made known, milliseconds; every process looks much more often. */
    static final long LEAD_MILLIS = 20_000;

    private final List<TicketKey> keys;

    /** @param keys in any order */
    TicketRing(List<TicketKey> keys) {
        this.keys = keys.stream()
                .sorted(Comparator.comparingLong(TicketKey::activeMillis).reversed())
                .toList();
    }

    /** Without any key. */
    static TicketRing empty() {
        return new TicketRing(List.of());
    }

    /** Whether a key must be added. */
    boolean isDue(long nowMillis, long rotationMillis) {
        return keys.isEmpty() || nowMillis >= keys.get(0).activeMillis() + rotationMillis - LEAD_MILLIS;
    }

    /** With one more key, and without those that are too old. */
    TicketRing rotated(long nowMillis, long rotationMillis, SecureRandom random) {
        long oldestMillis = nowMillis - (OLD + 2) * rotationMillis;
        List<TicketKey> kept = keys.stream()
                .limit(current(nowMillis) + 1L + OLD)
                .filter(key -> key.activeMillis() > oldestMillis)
                .toList();
        TicketKey coming = TicketKey.create(kept.isEmpty() ? nowMillis : nowMillis + LEAD_MILLIS, random);
        return new TicketRing(Stream.concat(Stream.of(coming), kept.stream()).toList());
    }

    /** The place of the key to seal with: the latest in use, or if the clock went back the first to come. */
    private int current(long nowMillis) {
        for (int i = 0; i < keys.size(); i++) {
            if (keys.get(i).activeMillis() <= nowMillis) {
                return i;
            }
        }
        return Math.max(0, keys.size() - 1);
    }

    /**
     * All of them, the one to seal with first.
     *
     * @throws IllegalStateException if there is none
     */
    OpenSslSessionTicketKey[] forOpenSsl(long nowMillis) {
        int current = current(nowMillis);
        List<TicketKey> order = new ArrayList<>(keys);
        order.add(0, order.remove(current));
        return order.stream().map(TicketKey::forOpenSsl).toArray(OpenSslSessionTicketKey[]::new);
    }

    /** Since when the key that seals is in use, milliseconds since 1970. */
    long currentSinceMillis(long nowMillis) {
        return keys.get(current(nowMillis)).activeMillis();
    }

    /** The newest first. */
    List<TicketKey> keys() {
        return keys;
    }
}
