package io.heartwheel.auth.jwt;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Set of keys as it was read at one time. Immutable; any thread. */
final class KeySet {
    /** As many keys are tried for a token that names none. */
    static final int MOST_TRIED = 4;

    private final List<VerificationKey> keys;
    private final Map<String, List<VerificationKey>> byKid = new HashMap<>();
    private final byte[] fingerprint;

    KeySet(List<VerificationKey> keys) {
        this.keys = List.copyOf(keys);
        for (VerificationKey key : keys) {
            if (key.kid() != null) {
                byKid.computeIfAbsent(key.kid(), kid -> new ArrayList<>()).add(key);
            }
        }
        fingerprint = fingerprint(keys);
    }

    int size() {
        return keys.size();
    }

    boolean has(String kid) {
        return byKid.containsKey(kid);
    }

    /**
     * Keys that a token may be signed with.
     *
     * @param kid exactly its id; null: any of the algorithm
     * @return at most {@link #MOST_TRIED}
     */
    List<VerificationKey> find(@Nullable String kid, JwtAlgorithm algorithm) {
        List<VerificationKey> found = new ArrayList<>(1);
        for (VerificationKey key : kid == null ? keys : byKid.getOrDefault(kid, List.of())) {
            if (key.algorithm() == algorithm && found.size() < MOST_TRIED) {
                found.add(key);
            }
        }
        return found;
    }

    /** Equal for sets of equal keys. Nobody changes it. */
    byte[] fingerprint() {
        return fingerprint;
    }

    boolean hasKeysOf(KeySet other) {
        return Arrays.equals(fingerprint, other.fingerprint);
    }

    private static byte[] fingerprint(List<VerificationKey> keys) {
        try {
            MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            for (VerificationKey key : keys) {
                sha256.update((key.algorithm() + " " + key.kid() + " " + key.encoded().length + "\n")
                        .getBytes(StandardCharsets.UTF_8));
                sha256.update(key.encoded());
            }
            return sha256.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
