package io.heartwheel.auth.tokens;

import io.heartwheel.auth.Grant;
import io.heartwheel.auth.HashedToken;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Hashed tokens by device, packed: a million objects of Java would take five times as much. A slot is the place of a device's bytes and a part of its hash;
 * slots are probed in a row.
 *
 * <pre>
 *   slots, long[]     | 24 bits of the hash | 40 bits: place + 1 |      0 is free, at most 7 in 10 are taken
 *                                                |
 *   chunks, byte[]    ... | id length | hashes | grant, 4 bytes | id | (salt, digest) x 1..2 | words of the grant | ...
 *                                                   |
 *   grants            0 none, n the n-th, -1 in the words behind the hashes
 * </pre>
 *
 * A device takes 54 bytes and its id, 48 more with a second hash, and 11 to 23 of slots: a million of them with ids of 14 bytes 85 MB. Grants are shared;
 * past {@value #MOST_GRANTS} different ones their words are kept with the device and read when it comes.
 *
 * <p>One thread builds it; then nobody changes it, and any thread may ask.
 */
final class TokenTable {
    /** No device. */
    static final long NONE = -1;

    private static final int MOST_GRANTS = 65_536;
    private static final int CHUNK_BITS = 20;
    private static final int CHUNK_BYTES = 1 << CHUNK_BITS;
    private static final int PLACE_BITS = 40;
    private static final long PLACE_MASK = (1L << PLACE_BITS) - 1;
    private static final int HEAD_BYTES = 6;
    private static final int DIGEST_BYTES = 32;
    private static final int HASH_BYTES = HashedToken.SALT_BYTES + DIGEST_BYTES;
    private static final int OWN_GRANT = -1;
    private static final int LEAST_SLOTS = 64;
    /** Of a grant and its share of a list, about: record, lists, and two bytes a character at most. */
    private static final int GRANT_BYTES = 256;

    private final long[] slots;
    private final List<byte[]> chunks;
    private final List<Grant> grants;
    private final long grantBytes;
    private final int devices;
    private final long anyDevice;

    private TokenTable(Builder from) {
        slots = from.slots;
        chunks = List.copyOf(from.chunks);
        grants = List.copyOf(from.grants);
        grantBytes = from.grantBytes;
        devices = from.devices;
        anyDevice = from.anyDevice;
    }

    /** Devices with a line of their own. */
    int devices() {
        return devices;
    }

    /** Whether it admits nobody. */
    boolean isEmpty() {
        return devices == 0 && anyDevice == NONE;
    }

    /** Heap it takes, bytes. */
    long memoryBytes() {
        long bytes = (long) slots.length * Long.BYTES + grantBytes;
        for (byte[] chunk : chunks) {
            bytes += chunk.length;
        }
        return bytes;
    }

    // ------------------------------------------------------------------ asking

    /** Place of the line of this device; {@link #NONE}. */
    long find(byte[] id) {
        return find(slots, chunks, hash(id, 0, id.length), id);
    }

    /** Place of the line for every device without one; {@link #NONE}. */
    long anyDevice() {
        return anyDevice;
    }

    /**
     * Whether it is one of the tokens there. Costs two digests whatever stands there, and if nothing does: the time tells nobody which devices exist.
     *
     * @param place also {@link #NONE}
     */
    boolean matches(long place, byte[] token) {
        byte[] chunk = place == NONE ? new byte[HEAD_BYTES + HASH_BYTES] : chunk(place);
        int at = place == NONE ? 0 : offset(place);
        int hashes = chunk[at + 1];
        int from = at + HEAD_BYTES + (chunk[at] & 0xff);
        boolean right = false;
        for (int i = 0; i < TokenLine.MOST_HASHES; i++) {
            int salt = i < hashes ? from + i * HASH_BYTES : from;
            int digest = salt + HashedToken.SALT_BYTES;
            boolean same = MessageDigest.isEqual(
                    Arrays.copyOfRange(chunk, digest, digest + DIGEST_BYTES),
                    HashedToken.digest(Arrays.copyOfRange(chunk, salt, digest), token));
            right |= i < hashes && same;
        }
        return right;
    }

    /** What that line grants. */
    Grant grant(long place) {
        byte[] chunk = chunk(place);
        int at = offset(place);
        int index = intAt(chunk, at + 2);
        if (index != OWN_GRANT) {
            return index == 0 ? Grant.NONE : grants.get(index - 1);
        }
        int words = at + HEAD_BYTES + (chunk[at] & 0xff) + chunk[at + 1] * HASH_BYTES;
        int length = (chunk[words] & 0xff) << 8 | (chunk[words + 1] & 0xff);
        return TokenLine.grant(new String(chunk, words + 2, length, StandardCharsets.ISO_8859_1));
    }

    private byte[] chunk(long place) {
        return chunks.get((int) (place >>> CHUNK_BITS));
    }

    private static int offset(long place) {
        return (int) place & (CHUNK_BYTES - 1);
    }

    private static long find(long[] slots, List<byte[]> chunks, long hash, byte[] id) {
        int mask = slots.length - 1;
        for (int i = (int) hash & mask; slots[i] != 0; i = (i + 1) & mask) {
            long place = (slots[i] & PLACE_MASK) - 1;
            if (slots[i] >>> PLACE_BITS == hash >>> PLACE_BITS) {
                byte[] chunk = chunks.get((int) (place >>> CHUNK_BITS));
                int from = offset(place) + HEAD_BYTES;
                int length = chunk[offset(place)] & 0xff;
                if (Arrays.equals(chunk, from, from + length, id, 0, id.length)) {
                    return place;
                }
            }
        }
        return NONE;
    }

    /** FNV-1a, its bits mixed once more: low ones choose the slot, high ones tell neighbours apart. */
    private static long hash(byte[] bytes, int from, int to) {
        long hash = 0xcbf29ce484222325L;
        for (int i = from; i < to; i++) {
            hash = (hash ^ bytes[i]) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        return hash ^ hash >>> 29;
    }

    private static int intAt(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    // ------------------------------------------------------------------ building

    /** Builder of a table. One thread, once. */
    static final class Builder {
        private final List<byte[]> chunks = new ArrayList<>();
        private final List<Grant> grants = new ArrayList<>();
        /** Numbers of grants by their words; dropped with the builder. */
        private final Map<String, Integer> numbers = new HashMap<>();

        private long[] slots = new long[LEAST_SLOTS];
        private int end = CHUNK_BYTES;
        private long grantBytes;
        private int devices;
        private long anyDevice = NONE;

        /**
         * Adds a line.
         *
         * @return whether the device had none
         * @throws IllegalArgumentException if the words of its grant will not do
         */
        boolean add(TokenLine line) {
            byte[] id = line.deviceId();
            boolean any = id.length == 0;
            long hash = hash(id, 0, id.length);
            if (any ? anyDevice != NONE : find(slots, chunks, hash, id) != NONE) {
                return false;
            }
            long place = write(line, number(line.grant()));
            if (any) {
                anyDevice = place;
                return true;
            }
            devices++;
            if (devices > slots.length / 10 * 7) {
                grow();
            }
            put(slots, hash, place);
            return true;
        }

        /** Number of the grant that these words mean; each new wording is read once, so that what is wrong is found now. */
        private int number(String words) {
            Integer known = numbers.get(words);
            if (known != null) {
                return known;
            }
            Grant grant = TokenLine.grant(words);
            if (grant.equals(Grant.NONE)) {
                return 0;
            }
            if (grants.size() == MOST_GRANTS) {
                return OWN_GRANT;
            }
            grants.add(grant);
            grantBytes += GRANT_BYTES + 2L * words.length();
            numbers.put(words, grants.size());
            return grants.size();
        }

        private long write(TokenLine line, int grant) {
            byte[] id = line.deviceId();
            byte[] words = grant == OWN_GRANT ? line.grant().getBytes(StandardCharsets.ISO_8859_1) : new byte[0];
            int bytes = HEAD_BYTES
                    + id.length
                    + line.hashes().size() * HASH_BYTES
                    + (grant == OWN_GRANT ? 2 + words.length : 0);
            if (CHUNK_BYTES - end < bytes) {
                trim();
                chunks.add(new byte[CHUNK_BYTES]);
                end = 0;
            }
            byte[] chunk = chunks.get(chunks.size() - 1);
            long place = (long) (chunks.size() - 1) << CHUNK_BITS | end;
            chunk[end++] = (byte) id.length;
            chunk[end++] = (byte) line.hashes().size();
            for (int shift = 24; shift >= 0; shift -= 8) {
                chunk[end++] = (byte) (grant >>> shift);
            }
            append(chunk, id);
            for (HashedToken hash : line.hashes()) {
                append(chunk, hash.salt());
                append(chunk, hash.digest());
            }
            if (grant == OWN_GRANT) {
                chunk[end++] = (byte) (words.length >>> 8);
                chunk[end++] = (byte) words.length;
                append(chunk, words);
            }
            return place;
        }

        private void append(byte[] chunk, byte[] bytes) {
            System.arraycopy(bytes, 0, chunk, end, bytes.length);
            end += bytes.length;
        }

        /** Gives back what the last chunk does not use. */
        private void trim() {
            if (!chunks.isEmpty()) {
                chunks.set(chunks.size() - 1, Arrays.copyOf(chunks.get(chunks.size() - 1), end));
            }
        }

        private void grow() {
            long[] more = new long[slots.length * 2];
            for (long slot : slots) {
                if (slot != 0) {
                    long place = (slot & PLACE_MASK) - 1;
                    byte[] chunk = chunks.get((int) (place >>> CHUNK_BITS));
                    int from = offset(place) + HEAD_BYTES;
                    put(more, hash(chunk, from, from + (chunk[offset(place)] & 0xff)), place);
                }
            }
            slots = more;
        }

        private static void put(long[] slots, long hash, long place) {
            int mask = slots.length - 1;
            int i = (int) hash & mask;
            while (slots[i] != 0) {
                i = (i + 1) & mask;
            }
            slots[i] = (hash >>> PLACE_BITS) << PLACE_BITS | (place + 1);
        }

        /** The table; the builder is of no use afterwards. */
        TokenTable build() {
            trim();
            return new TokenTable(this);
        }
    }
}
