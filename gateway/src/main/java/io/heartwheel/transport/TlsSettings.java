package io.heartwheel.transport;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one listener. Whether the files hold what they should is seen when the listener starts. Immutable; any thread.
 *
 * @param certificateFile PEM, the gateway's own chain
 * @param keyFile PEM, its private key
 * @param clientAuth whether devices show certificates
 * @param clientCaFile PEM, who signs them; null only with {@link ClientAuth#NONE}
 */
public record TlsSettings(Path certificateFile, Path keyFile, ClientAuth clientAuth, @Nullable Path clientCaFile) {

    /** Whether a device shows a certificate. */
    public enum ClientAuth {
        /** It is not asked. */
        NONE,
        /** It is asked; one that shows a certificate must show a good one. */
        OPTIONAL,
        /** Without a good one it is turned away. */
        REQUIRED
    }

    /** @throws IllegalArgumentException naming what is missing */
    public TlsSettings {
        if (certificateFile.toString().isEmpty()) {
            throw new IllegalArgumentException("tls.certificate-file = \"\": need a PEM file when TLS is enabled");
        }
        if (keyFile.toString().isEmpty()) {
            throw new IllegalArgumentException("tls.key-file = \"\": need a PEM file when TLS is enabled");
        }
        if (clientAuth != ClientAuth.NONE && clientCaFile == null) {
            throw new IllegalArgumentException("tls.client-ca-file = \"\": need a PEM file with client-auth = "
                    + clientAuth.name().toLowerCase(java.util.Locale.ROOT));
        }
    }
}
