package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthCause;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Token in compact serialization (RFC 7515, 3.1) with a header that we understand. Not verified. Nobody changes the arrays; any thread.
 *
 * <p>Headers that carry a key or say where to get one ({@code jku}, {@code jwk}, {@code x5u}, {@code x5c}) are refused: keys come from the configuration alone.
 *
 * @param algorithm one that is allowed
 * @param kid id of the key it is signed with; null if it names none
 * @param claims its claims, as {@link StrictJson} reads them
 * @param signed what the signature is over
 * @param signature canonical base64url
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record CompactToken(
        JwtAlgorithm algorithm, @Nullable String kid, Map<String, Object> claims, byte[] signed, String signature) {
    static final int MOST_BYTES = 4_096;

    private static final int LONGEST_KID = 256;
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    /** What another reader might act on: keys, where to find them, extensions, other encodings, encryption. */
    private static final Set<String> REFUSED =
            Set.of("jku", "jwk", "x5u", "x5c", "crit", "b64", "zip", "enc", "epk", "p2c", "p2s");

    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/jwt", "application/at+jwt");

    /** Whether it has three parts with dots between: then it is a JWT, good or not. */
    static boolean isOne(byte[] token) {
        int dots = 0;
        for (byte each : token) {
            dots += each == '.' ? 1 : 0;
        }
        return dots == 2 || (dots > 2 && token[0] == 'e' && token[1] == 'y' && token[2] == 'J');
    }

    /** Reads one, and refuses what we do not understand or do not allow. */
    static CompactToken parse(byte[] token, Set<JwtAlgorithm> allowed) throws TokenRefused {
        if (token.length > MOST_BYTES) {
            throw TokenRefused.malformed("longer than " + MOST_BYTES + " bytes");
        }
        int first = dot(token, 0);
        int second = dot(token, first + 1);
        if (second == token.length || dot(token, second + 1) != token.length) {
            throw TokenRefused.malformed("need three parts");
        }
        Map<String, Object> header = json("header", token, 0, first);
        for (String name : REFUSED) {
            if (header.containsKey(name)) {
                throw TokenRefused.malformed(name + " in the header");
            }
        }
        JwtAlgorithm algorithm = algorithm(header.get("alg"), allowed);
        type(header.get("typ"));
        String kid = kid(header.get("kid"));
        if (second + 1 == token.length) {
            throw new TokenRefused(AuthCause.SIGNATURE, "no signature");
        }
        decode("signature", token, second + 1, token.length);
        return new CompactToken(
                algorithm,
                kid,
                json("claims", token, first + 1, second),
                Arrays.copyOf(token, second),
                new String(token, second + 1, token.length - second - 1, StandardCharsets.US_ASCII));
    }

    private static int dot(byte[] token, int from) {
        int at = from;
        while (at < token.length && token[at] != '.') {
            at++;
        }
        return Math.min(at, token.length);
    }

    private static JwtAlgorithm algorithm(@Nullable Object alg, Set<JwtAlgorithm> allowed) throws TokenRefused {
        if (!(alg instanceof String name)) {
            throw TokenRefused.malformed("need the algorithm as text");
        }
        JwtAlgorithm known = JwtAlgorithm.of(name);
        if (known == null || !allowed.contains(known)) {
            throw new TokenRefused(AuthCause.ALGORITHM, known == null ? "not a known one" : known.label());
        }
        return known;
    }

    private static void type(@Nullable Object typ) throws TokenRefused {
        if (typ != null && !(typ instanceof String name && TYPES.contains(name.toLowerCase(Locale.ROOT)))) {
            throw TokenRefused.malformed("typ in the header: need JWT or at+jwt");
        }
    }

    private static @Nullable String kid(@Nullable Object kid) throws TokenRefused {
        if (kid == null) {
            return null;
        }
        if (!(kid instanceof String name) || name.isEmpty() || name.length() > LONGEST_KID) {
            throw TokenRefused.malformed("kid in the header: need 1.." + LONGEST_KID + " characters");
        }
        return name;
    }

    private static Map<String, Object> json(String what, byte[] token, int from, int to) throws TokenRefused {
        try {
            return StrictJson.read(decode(what, token, from, to));
        } catch (IOException e) {
            throw TokenRefused.malformed(what + ": " + e.getMessage());
        }
    }

    /** Base64url without padding, white space or bits that say nothing: each content has one form. */
    static byte[] decode(String what, byte[] token, int from, int to) throws TokenRefused {
        int rest = (to - from) % 4;
        int idle = rest == 2 ? 0x0f : rest == 3 ? 0x03 : 0;
        if (to == from || rest == 1 || token[to - 1] == '=' || (ALPHABET.indexOf(token[to - 1]) & idle) != 0) {
            throw TokenRefused.malformed(what + ": need base64url without padding");
        }
        try {
            return Base64.getUrlDecoder().decode(Arrays.copyOfRange(token, from, to));
        } catch (IllegalArgumentException e) {
            throw TokenRefused.malformed(what + ": need base64url without padding");
        }
    }
}
