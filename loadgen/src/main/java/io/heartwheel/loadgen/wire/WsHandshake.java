package io.heartwheel.loadgen.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The client's half of the opening handshake (RFC 6455, section 4.1). The key is a function of a number, so a connection
 * need not remember it. Stateless: any thread. Costs one SHA-1 a connection.
 */
public final class WsHandshake {

    /** The subprotocol that carries Heartwheel frames. */
    public static final String SUBPROTOCOL = "heartwheel.v1";

    /** The subprotocol that is plain mode by name. */
    public static final String PLAIN = "heartwheel.plain";
    /** A subprotocol that begins so carries a token, and is never chosen. */
    public static final String BEARER = "heartwheel.bearer.";

    /** Between two headers. */
    public static final String END_OF_LINE = "\r\n";

    private static final byte[] END_OF_HEAD = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final String REFUSED = "HTTP/1.1 401";
    private static final String LATER = "HTTP/1.1 503";
    private static final int LONGEST_ANSWER = 8_192;

    private WsHandshake() {}

    /**
     * Writes the upgrade request.
     *
     * @param subprotocol null: asks for plain mode
     * @param headers further ones, each with {@link #END_OF_LINE} before it
     */
    public static void request(
            ByteBuf out, String host, String path, @Nullable String subprotocol, String headers, long number) {
        String chosen = subprotocol == null ? "" : "\r\nSec-WebSocket-Protocol: " + subprotocol;
        String text = "GET " + path + " HTTP/1.1\r\nHost: " + host
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                + key(number) + chosen + headers + "\r\n\r\n";
        out.writeCharSequence(text, StandardCharsets.UTF_8);
    }

    /** Whether an answer begins that refuses the device itself, or says that nobody can tell now. */
    public static boolean refused(ByteBuf in) {
        if (in.readableBytes() < REFUSED.length()) {
            return false;
        }
        String begin = in.toString(in.readerIndex(), REFUSED.length(), StandardCharsets.US_ASCII);
        return isRefusal(begin) || isLater(begin);
    }

    /** Whether a status line refuses the device itself: 401. */
    public static boolean isRefusal(String statusLine) {
        return statusLine.startsWith(REFUSED);
    }

    /** Whether it says that the device may try again: 503. */
    public static boolean isLater(String statusLine) {
        return statusLine.startsWith(LATER);
    }

    /**
     * Reads the answer if it is wholly there, and moves behind it.
     *
     * @return false when more bytes are needed
     * @throws WireException when it is not the 101 that section 4.1 of the RFC demands for this request
     */
    public static boolean accepted(ByteBuf in, @Nullable String subprotocol, long number) {
        int end = Bytes.find(in, in.readerIndex(), in.writerIndex(), END_OF_HEAD);
        if (end < 0) {
            if (in.readableBytes() > LONGEST_ANSWER) {
                throw bad("an answer without end");
            }
            return false;
        }
        String head = in.readCharSequence(end - in.readerIndex(), StandardCharsets.ISO_8859_1)
                .toString();
        in.skipBytes(END_OF_HEAD.length);
        String[] lines = head.split("\r\n", -1);
        if (!lines[0].startsWith("HTTP/1.1 101")) {
            throw bad("answered " + lines[0]);
        }
        Map<String, String> headers = headers(lines);
        expect(headers, "upgrade", "websocket");
        if (!List.of(headers.getOrDefault("connection", "")
                        .toLowerCase(Locale.ROOT)
                        .split(" *, *", -1))
                .contains("upgrade")) {
            throw bad("connection: " + headers.get("connection") + ", need upgrade among it");
        }
        String accept = headers.get("sec-websocket-accept");
        if (!acceptOf(key(number)).equals(accept)) {
            throw bad("Sec-WebSocket-Accept " + accept + ": need " + acceptOf(key(number)));
        }
        String chosen = headers.get("sec-websocket-protocol");
        boolean offered = subprotocol != null
                && List.of(subprotocol.split(" *, *", -1)).contains(String.valueOf(chosen))
                && !String.valueOf(chosen).startsWith(BEARER);
        if (subprotocol == null ? chosen != null : !offered) {
            throw bad("subprotocol " + chosen + ": need " + subprotocol);
        }
        if (headers.containsKey("sec-websocket-extensions")) {
            throw bad("an extension nobody offered: " + headers.get("sec-websocket-extensions"));
        }
        return true;
    }

    private static Map<String, String> headers(String[] lines) {
        Map<String, String> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.put(
                        lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).strip());
            }
        }
        return headers;
    }

    private static void expect(Map<String, String> headers, String name, String value) {
        if (!value.equalsIgnoreCase(headers.get(name))) {
            throw bad(name + ": " + headers.get(name) + ", need " + value);
        }
    }

    private static WireException bad(String message) {
        return new WireException(CloseCodes.BAD_HTTP, message);
    }

    private static String key(long number) {
        long mixed = number * 0x9E3779B97F4A7C15L;
        byte[] bytes = ByteBuffer.allocate(16)
                .putLong(mixed)
                .putLong(Long.rotateLeft(mixed, 29) ^ number)
                .array();
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** What a server must answer to a key, section 4.2.2 of the RFC. */
    public static String acceptOf(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder().encodeToString(sha1.digest((key + GUID).getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
