package io.heartwheel.outlet.webhook;

import io.heartwheel.outlet.OutletSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Signer of requests: HMAC-SHA256 over the time, a point and the body, with one secret or two. The secrets are read from their files anew for each chunk, so
 * that they can be changed while the gateway runs. Neither is shown anywhere. One thread.
 */
final class RequestSigner {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int MAX_SECRET_BYTES = 1_024;

    private final List<SecretKeySpec> keys;

    private RequestSigner(List<SecretKeySpec> keys) {
        this.keys = keys;
    }

    /** @throws IOException if a secret cannot be read; its message names the file alone */
    static RequestSigner of(OutletSettings.Webhook settings) throws IOException {
        List<SecretKeySpec> keys = new ArrayList<>();
        for (Path file : Arrays.asList(settings.secretFile(), settings.oldSecretFile())) {
            byte[] secret = file == null ? new byte[0] : firstLine(file);
            if (secret.length > 0) {
                keys.add(new SecretKeySpec(secret, ALGORITHM));
            } else if (file != null && keys.isEmpty()) {
                throw new IOException(file + ": is empty");
            }
        }
        return new RequestSigner(keys);
    }

    private static byte[] firstLine(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(MAX_SECRET_BYTES);
            int end = 0;
            while (end < start.length && start[end] != '\n' && start[end] != '\r') {
                end++;
            }
            return Arrays.copyOf(start, end);
        } catch (IOException e) {
            throw new IOException(file + ": cannot be read (" + e.getClass().getSimpleName() + ")", e);
        }
    }

    /** The value of the header {@code Heartwheel-Signature}; null if requests are not signed. */
    @Nullable
    String sign(long epochSeconds, byte[] body) {
        if (keys.isEmpty()) {
            return null;
        }
        StringBuilder header = new StringBuilder("t=").append(epochSeconds);
        for (SecretKeySpec key : keys) {
            header.append(",v1=").append(HexFormat.of().formatHex(mac(key, epochSeconds, body)));
        }
        return header.toString();
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
