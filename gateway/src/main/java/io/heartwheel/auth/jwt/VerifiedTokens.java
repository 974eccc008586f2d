package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Grant;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that were verified before, so that a fleet which comes back at once is not verified again: bounded, in arrays, 32 bytes an entry and nothing a
 * device. A check of an EC signature takes about two milliseconds, a look here about five microseconds.
 *
 * <p>An entry is known by 128 bits of SHA-256 over a secret of this process, the keys in force, the claimed id and the whole token. So another device, another
 * letter or another set of keys is another entry: a key that was taken back verifies nothing from then on, and entries of its time are never found again.
 * Nobody outside can compute the hash, so nobody can look for two tokens with the same.
 *
 * <p>Each entry has its place in one of {@value #WAYS} slots beside each other; the one that was not used for longest gives way. Any thread; a lock for each
 * {@value #STRIPES}th of the slots, held for less than a microsecond.
 */
final class VerifiedTokens {
    private static final int WAYS = 8;
    private static final int STRIPES = 64;
    private static final int SECRET_BYTES = 16;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final byte[] secret = new byte[SECRET_BYTES];
    private final Object[] locks = new Object[STRIPES];
    private final int groups;
    private final long[] high;
    private final long[] low;
    private final long[] expiresAtMillis;
    private final int[] lastUsed;
    private final @Nullable Grant[] grants;
    /** Grows with each use; a lost step makes an entry look a little older. */
    private volatile int uses;

    /** @param most entries, rounded up to a power of two of 64 or more */
    VerifiedTokens(int most) {
        int size = Math.max(64, Integer.highestOneBit(Math.max(1, most - 1)) << 1);
        groups = size / WAYS;
        high = new long[size];
        low = new long[size];
        expiresAtMillis = new long[size];
        lastUsed = new int[size];
        grants = new Grant[size];
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new Object();
        }
        new SecureRandom().nextBytes(secret);
    }

    /** Name of an entry. */
    record Hash(long high, long low) {}

    /** Hash of a token that a device shows while these keys are in force. */
    Hash hash(KeySet keys, byte[] device, byte[] token) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            sha256.update(secret);
            sha256.update(keys.fingerprint());
            sha256.update((byte) (device.length >>> 8));
            sha256.update((byte) device.length);
            sha256.update(device);
            byte[] digest = sha256.digest(token);
            return new Hash((long) LONGS.get(digest, 0), (long) LONGS.get(digest, Long.BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** What was said of it; null if it is not known, or past its time. */
    AuthResult.@Nullable Admitted find(Hash hash, long nowMillis) {
        int first = first(hash);
        synchronized (lock(first)) {
            for (int at = first; at < first + WAYS; at++) {
                if (high[at] == hash.high && low[at] == hash.low && expiresAtMillis[at] > nowMillis) {
                    lastUsed[at] = use();
                    return new AuthResult.Admitted(grants[at], expiresAtMillis[at]);
                }
            }
            return null;
        }
    }

    /** Keeps it, in place of one that is past its time or was not used for longest. */
    void put(Hash hash, AuthResult.Admitted admitted, long nowMillis) {
        int first = first(hash);
        synchronized (lock(first)) {
            int chosen = first;
            for (int at = first; at < first + WAYS; at++) {
                if (high[at] == hash.high && low[at] == hash.low) {
                    chosen = at;
                    break;
                }
                boolean free = expiresAtMillis[at] <= nowMillis;
                boolean chosenIsFree = expiresAtMillis[chosen] <= nowMillis;
                if (!chosenIsFree && (free || lastUsed[at] - lastUsed[chosen] < 0)) {
                    chosen = at;
                }
            }
            high[chosen] = hash.high;
            low[chosen] = hash.low;
            expiresAtMillis[chosen] = admitted.expiresAtMillis();
            lastUsed[chosen] = use();
            grants[chosen] = admitted.grant();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // it may lose a step
    private int use() {
        return ++uses;
    }

    private int first(Hash hash) {
        return (int) (hash.low & (groups - 1)) * WAYS;
    }

    private Object lock(int first) {
        return locks[first / WAYS & (STRIPES - 1)];
    }
}
