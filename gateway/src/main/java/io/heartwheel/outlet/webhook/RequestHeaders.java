package io.heartwheel.outlet.webhook;

import io.heartwheel.outlet.OutletSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Headers of requests that rest on files of the operator: the signature, HMAC-SHA256 over the time, a point and the body, with one secret or two, and those of
 * a file. The files are read anew for each chunk, so that they can be changed while the gateway runs. Nothing of them is shown anywhere. One thread.
 */
public final class RequestHeaders {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MIN_SECRET_BYTES = 16;
    private static final int MAX_SECRET_BYTES = 1_024;
    private static final int MAX_FILE_BYTES = 16 << 10;
    private static final int MAX_HEADERS = 32;
    private static final Pattern LINE =
            Pattern.compile("([!#$%&'*+.^_`|~\\w-]{1,100}):\\s*([\\x21-\\x7e]([\\x20-\\x7e\\t]*[\\x21-\\x7e])?)\\s*");
    /** The gateway's own and the connection's. */
    private static final Pattern REFUSED = Pattern.compile(
            "(?i)ce-.*|connection|content-.*|date|expect|heartwheel-.*|host|te|trailer|transfer-encoding|upgrade|user-agent");

    private final List<SecretKeySpec> keys = new ArrayList<>();
    private final Map<String, String> headers;

    /** @throws IOException if a file cannot be read or used; its message names the file and what is needed */
    RequestHeaders(OutletSettings.Webhook settings) throws IOException {
        if (settings.secretFile() != null) {
            keys.add(new SecretKeySpec(secret(settings.secretFile()), ALGORITHM));
        }
        byte[] old = settings.oldSecretFile() == null ? new byte[0] : oldSecret(settings.oldSecretFile());
        if (old.length > 0) {
            keys.add(new SecretKeySpec(old, ALGORITHM));
        }
        headers = settings.headersFile() == null ? Map.of() : read(settings.headersFile());
    }

    /**
     * The secret in the first line of a file.
     *
     * @throws IOException if it cannot be read or has no such line; its message names the file and no secret
     */
    public static byte[] secret(Path file) throws IOException {
        byte[] secret = firstLine(file);
        if (secret.length < MIN_SECRET_BYTES || secret.length > MAX_SECRET_BYTES) {
            throw new IOException(file + ": need a first line of 16..1024 bytes, not of " + secret.length);
        }
        return secret;
    }

    /**
     * The same, but for a file that is empty: that has none.
     *
     * @throws IOException as above
     */
    public static byte[] oldSecret(Path file) throws IOException {
        byte[] line = firstLine(file);
        return line.length == 0 ? line : secret(file);
    }

    private static byte[] firstLine(Path file) throws IOException {
        byte[] start = start(file, MAX_SECRET_BYTES + 1);
        int end = 0;
        while (end < start.length && start[end] != '\n' && start[end] != '\r') {
            end++;
        }
        return Arrays.copyOf(start, end);
    }

    /**
     * Headers in a file, a line {@code Name: value} each; empty ones and those that begin with {@code #} are passed over.
     *
     * @throws IOException if it cannot be read or a line is none; its message names the file and the line's number
     */
    public static Map<String, String> read(Path file) throws IOException {
        byte[] bytes = start(file, MAX_FILE_BYTES + 1);
        List<String> lines =
                new String(bytes, StandardCharsets.ISO_8859_1).lines().toList();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher parts = LINE.matcher(line);
            boolean good = parts.matches() && !REFUSED.matcher(parts.group(1)).matches();
            if (!good || headers.put(parts.group(1), parts.group(2)) != null) {
                throw new IOException(file + ": line " + (i + 1)
                        + ": need Name: value in visible ASCII, each name once, none of Host, Content-*, ce-*, Heartwheel-*"
                        + " and those of the connection");
            }
        }
        if (bytes.length > MAX_FILE_BYTES || headers.size() > MAX_HEADERS) {
            throw new IOException(file + ": need at most " + MAX_HEADERS + " headers in 16KiB");
        }
        return headers;
    }

    private static byte[] start(Path file, int bytes) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(bytes);
        } catch (IOException e) {
            throw new IOException(file + ": cannot be read (" + e.getClass().getSimpleName() + ")", e);
        }
    }

    /** Adds them to a request with this body. */
    void addTo(HttpRequest.Builder request, long epochSeconds, byte[] body) {
        headers.forEach(request::header);
        if (keys.isEmpty()) {
            return;
        }
        StringBuilder header = new StringBuilder("t=").append(epochSeconds);
        for (SecretKeySpec key : keys) {
            header.append(",v1=").append(HexFormat.of().formatHex(mac(key, epochSeconds, body)));
        }
        request.header("Heartwheel-Signature", header.toString());
    }

    private static byte[] mac(SecretKeySpec key, long epochSeconds, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((epochSeconds + ".").getBytes(StandardCharsets.US_ASCII));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
