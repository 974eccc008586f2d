package io.heartwheel.auth;

import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * Device that wants to come in, or to stay with a new token. Nobody changes the arrays; any thread.
 *
 * @param deviceId UTF-8 bytes of the claimed id, 1..128, checked
 * @param token UTF-8 bytes as shown, 0..4096; never in a log or an error
 * @param address IP address of the device, 4 or 16 bytes; none if it is not known
 * @param listener name of the listener it came through
 * @param protocol {@code heartwheel}, {@code heartwheel.v1}, {@code heartwheel.json.v1} or {@code plain}
 * @param clientName what the device calls its software, may be empty
 * @param wantedMillis wanted heartbeat interval, unsigned 32 bits, 0 for none
 * @param certificates chain that the device proved to own in the TLS handshake, its own first; none without
 * @param renewal whether it is in already and shows a newer token
 * @param deadlineNanos an answer is of no use after this, on the clock of {@link System#nanoTime}
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record AuthRequest(
        byte[] deviceId,
        byte[] token,
        byte[] address,
        String listener,
        String protocol,
        String clientName,
        long wantedMillis,
        List<X509Certificate> certificates,
        boolean renewal,
        long deadlineNanos) {

    /** The claimed id as text. */
    public String deviceName() {
        return new String(deviceId, StandardCharsets.UTF_8);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "AuthRequest[" + deviceName() + " through " + listener + "]";
    }
}
