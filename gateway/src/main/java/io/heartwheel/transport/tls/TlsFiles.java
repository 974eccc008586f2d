package io.heartwheel.transport.tls;

import io.heartwheel.net.Pem;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Contents of a listener's files at one moment, each read once: the same bytes are compared, checked and used. One thread; reads files.
 */
final class TlsFiles {
    private final Map<Path, byte[]> contents = new HashMap<>();
    private final Map<Path, String> failures = new HashMap<>();
    private final String digest;

    /** Reads them all; one that cannot be read is part of what was seen. */
    TlsFiles(TlsSettings settings) {
        List<@Nullable Path> files = new ArrayList<>();
        for (CertificateFiles certificate : settings.certificates()) {
            files.addAll(Arrays.asList(certificate.certificateFile(), certificate.keyFile(), certificate.ocspFile()));
        }
        files.add(settings.clientCaFile());
        MessageDigest all = sha256();
        for (Path file : files) {
            if (file != null) {
                all.update(take(file));
            }
        }
        digest = HexFormat.of().formatHex(all.digest());
    }

    private byte[] take(Path file) {
        MessageDigest seen = sha256();
        try {
            byte[] bytes = Pem.bytesOf(file);
            contents.put(file, bytes);
            seen.update((byte) 0);
            return seen.digest(bytes);
        } catch (IllegalArgumentException bad) {
            failures.put(file, String.valueOf(bad.getMessage()));
            seen.update((byte) 1);
            return seen.digest();
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * What a file held.
     *
     * @throws IllegalArgumentException if it could not be read
     */
    byte[] bytes(Path file) {
        byte[] bytes = contents.get(file);
        if (bytes == null) {
            throw new IllegalArgumentException(failures.getOrDefault(file, "it was not read"));
        }
        return bytes;
    }

    /**
     * The certificates in a file, in its order.
     *
     * @param key that names the file
     * @throws TlsFault if there are none
     */
    List<X509Certificate> certificates(String key, Path file) {
        try {
            return Pem.certificates(bytes(file));
        } catch (IllegalArgumentException broken) {
            throw new TlsFault(key, file, broken);
        }
    }

    /** The same for the same contents. */
    String digest() {
        return digest;
    }
}
