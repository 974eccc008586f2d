package io.heartwheel.transport.tls;

import java.util.List;
import java.util.stream.Stream;

/**
 * Cipher suites. Forward secrecy always; authenticated encryption unless an operator has devices so old that they know none. Immutable.
 *
 * <p>AES with 128 bits first: with the processor's AES it is the cheapest there is, and nobody breaks it. ECDSA before RSA, for its signature costs
 * less.
 */
public final class TlsCiphers {
    /** Of TLS 1.3: all there are (RFC 8446, section B.4) but CCM. BoringSSL lets none of them be left out. */
    static final List<String> OF_1_3 =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    /** Of TLS 1.2, if the operator names none. */
    public static final List<String> OURS = List.of(
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** What may be named: ours, and for old devices those with CBC that both providers have. */
    public static final List<String> KNOWN = Stream.concat(
                    OURS.stream(),
                    Stream.of(
                            "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
                            "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
                            "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
                            "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"))
            .toList();

    private TlsCiphers() {}

    /** Whether a key of this algorithm can be shown with one of them. */
    static boolean fit(List<String> ciphers, String keyAlgorithm) {
        String authentication = keyAlgorithm.equals("EC") ? "_ECDSA_" : "_RSA_";
        return ciphers.stream().anyMatch(cipher -> cipher.contains(authentication));
    }
}
