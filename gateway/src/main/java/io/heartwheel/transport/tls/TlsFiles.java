package io.heartwheel.transport.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Contents of a listener's files at one moment, each read once: the same bytes are compared, checked and used. One thread; reads files.
 */
final class TlsFiles {
    /** No file of this kind is larger; one that is was named by mistake. */
    static final int MAX_BYTES = 1 << 20;

    private final Map<Path, byte[]> contents;
    private final Map<Path, String> failures;
    private final String digest;

    private TlsFiles(Map<Path, byte[]> contents, Map<Path, String> failures, String digest) {
        this.contents = contents;
        this.failures = failures;
        this.digest = digest;
    }

    /** Reads them all; one that cannot be read is part of what was seen. */
    static TlsFiles read(TlsSettings settings) {
        Map<Path, byte[]> contents = new LinkedHashMap<>();
        Map<Path, String> failures = new HashMap<>();
        MessageDigest all = sha256();
        for (CertificateFiles certificate : settings.certificates()) {
            take(certificate.certificateFile(), contents, failures, all);
            take(certificate.keyFile(), contents, failures, all);
            if (certificate.ocspFile() != null) {
                take(certificate.ocspFile(), contents, failures, all);
            }
        }
        if (settings.clientCaFile() != null) {
            take(settings.clientCaFile(), contents, failures, all);
        }
        return new TlsFiles(contents, failures, HexFormat.of().formatHex(all.digest()));
    }

    private static void take(Path file, Map<Path, byte[]> contents, Map<Path, String> failures, MessageDigest all) {
        byte[] bytes = new byte[0];
        try {
            bytes = firstBytes(file);
            contents.put(file, whole(bytes));
        } catch (IllegalArgumentException bad) {
            failures.put(file, String.valueOf(bad.getMessage()));
        }
        MessageDigest each = sha256();
        each.update((byte) (failures.containsKey(file) ? 1 : 0));
        all.update(each.digest(bytes));
    }

    /**
     * One file.
     *
     * @throws IllegalArgumentException if it cannot be read, or is too large
     */
    static byte[] bytesOf(Path file) {
        return whole(firstBytes(file));
    }

    private static byte[] firstBytes(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(MAX_BYTES + 1);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("it cannot be read", unreadable);
        }
    }

    private static byte[] whole(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("it is larger than 1 MiB");
        }
        return bytes;
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

    /** The same for the same contents. */
    String digest() {
        return digest;
    }
}
