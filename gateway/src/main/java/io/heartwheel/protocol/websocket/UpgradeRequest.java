package io.heartwheel.protocol.websocket;

import static io.netty.handler.codec.http.HttpHeaderNames.AUTHORIZATION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONNECTION;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.HOST;
import static io.netty.handler.codec.http.HttpHeaderNames.ORIGIN;
import static io.netty.handler.codec.http.HttpHeaderNames.SEC_WEBSOCKET_EXTENSIONS;
import static io.netty.handler.codec.http.HttpHeaderNames.SEC_WEBSOCKET_KEY;
import static io.netty.handler.codec.http.HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL;
import static io.netty.handler.codec.http.HttpHeaderNames.SEC_WEBSOCKET_VERSION;
import static io.netty.handler.codec.http.HttpHeaderNames.TRANSFER_ENCODING;
import static io.netty.handler.codec.http.HttpHeaderNames.UPGRADE;
import static io.netty.handler.codec.http.HttpHeaderNames.USER_AGENT;

import io.heartwheel.event.CloseReason;
import io.heartwheel.event.SafeText;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.PercentCoding;
import io.heartwheel.net.RequestTarget;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An opening handshake in which everything is as RFC 6455 section 4.2.1 wants it. Immutable; any thread.
 *
 * @param accept the answer to the key
 * @param subprotocol the one of those it offered that was chosen; null if it offered none
 * @param deflate permessage-deflate as agreed, null without
 * @param target where it goes
 * @param bearer the token of a header or a subprotocol, null without
 */
record UpgradeRequest(
        String accept,
        @Nullable String subprotocol,
        @Nullable DeflateOffer deflate,
        RequestTarget target,
        @Nullable String bearer) {
    private static final String UPGRADE_NEEDED = "upgrade_required";
    private static final long MAX_WANTED_MILLIS = 0xFFFF_FFFFL;
    private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    /** Subprotocol of plain messages, for clients that have to offer one. */
    static final String PLAIN = "heartwheel.plain";
    /** How a subprotocol begins that is a token in fact. */
    private static final String BEARER_OFFER = "heartwheel.bearer.";
    /** Subprotocols that may be chosen, the better first. */
    private static final List<String> PROTOCOLS =
            List.of(WebSocketFrameConnection.PROTOCOL, JsonConnection.PROTOCOL, PLAIN);

    private static final byte[] NOBODY = {};
    private static final int KEY_BYTES = 16;
    private static final int KEY_CHARACTERS = 24;
    private static final Pattern BEARER = Pattern.compile("bearer +([^ ]+)", Pattern.CASE_INSENSITIVE);

    /**
     * Who a peer says it is that does not speak frames.
     *
     * @param id checked as a device id
     * @param token as shown, may be empty
     * @param wantedMillis wanted heartbeat interval, unsigned 32 bits, 0 for none
     */
    @SuppressWarnings("ArrayRecordComponent") // read once and handed on; compared by nobody
    record Device(byte[] id, byte[] token, long wantedMillis) {}

    /**
     * Checks a request whose head was parsed without error.
     *
     * @param target that of the request
     * @param forwardedHost the Host that a trusted balancer was asked for, null if none told
     */
    static UpgradeRequest check(
            HttpRequest request, RequestTarget target, WebSocketSettings settings, @Nullable String forwardedHost)
            throws ProtocolViolation {
        HttpHeaders headers = request.headers();
        requirePath(target.path(), settings.path());
        requireUpgrade(request);
        String host = requireHost(headers, target, settings.hosts());
        String accept = accept(only(headers, SEC_WEBSOCKET_KEY));
        requireNoBody(headers);
        requireOrigin(
                headers, settings.origins(), forwardedHost == null ? List.of(host) : List.of(host, forwardedHost));
        List<Extension> extensions = Extension.parse(headers.getAll(SEC_WEBSOCKET_EXTENSIONS));
        DeflateOffer deflate = settings.compression() ? DeflateOffer.choose(extensions) : null;
        Set<String> offered = offered(headers);
        String subprotocol = subprotocol(offered);
        String inHeader = bearer(headers);
        String inOffer = offeredBearer(offered);
        if (inHeader != null && inOffer != null) {
            throw HttpError.badRequest("a token in a header and one in a subprotocol");
        }
        return new UpgradeRequest(accept, subprotocol, deflate, target, inHeader == null ? inOffer : inHeader);
    }

    /** Whether the device speaks Heartwheel frames. */
    boolean speaksFrames() {
        return WebSocketFrameConnection.PROTOCOL.equals(subprotocol);
    }

    /** Whether the device speaks JSON. */
    boolean speaksJson() {
        return JsonConnection.PROTOCOL.equals(subprotocol);
    }

    /** The window of permessage-deflate, 8..15; 0 without. */
    int windowBits() {
        return deflate == null ? 0 : deflate.windowBits();
    }

    /**
     * Who a peer says it is that does not speak frames.
     *
     * @param base path of the upgrade
     */
    Device device(String base) throws ProtocolViolation {
        return new Device(deviceId(target, base), token(), wantedMillis());
    }

    /** Who a request may claim to be, for its evidence if it is refused; nobody if it does not say so properly, or in HELLO. */
    static byte[] claimed(HttpHeaders headers, RequestTarget target, String base) {
        boolean inHello = headers.containsValue(SEC_WEBSOCKET_PROTOCOL, WebSocketFrameConnection.PROTOCOL, false);
        try {
            return inHello || !isBelow(target.path(), base) ? NOBODY : deviceId(target, base);
        } catch (HttpError | ProtocolViolation malformed) {
            return NOBODY;
        }
    }

    private static byte[] deviceId(RequestTarget target, String base) throws ProtocolViolation {
        String path = target.path();
        String inPath = path.length() > base.length() ? path.substring(base.length() + 1) : null;
        String inQuery = target.parameter("device");
        if (inPath != null && inQuery != null) {
            throw HttpError.badRequest("a device id in the path and one in the query");
        }
        String id = inPath != null ? inPath : inQuery;
        if (id == null) {
            throw new ProtocolViolation(CloseReason.BAD_IDENTITY, "no device id in path or query");
        }
        byte[] idBytes = PercentCoding.decode(id);
        DeviceIds.deviceId(Unpooled.wrappedBuffer(idBytes), 0, idBytes.length);
        return idBytes;
    }

    private byte[] token() throws ProtocolViolation {
        String inQuery = target.parameter("token");
        if (inQuery != null && bearer != null) {
            throw HttpError.badRequest("a token in the query and one in a header or subprotocol");
        }
        return inQuery == null ? bearerBytes() : checked(PercentCoding.decode(inQuery));
    }

    /** The token of a header or a subprotocol; empty without. */
    byte[] bearerBytes() throws ProtocolViolation {
        return checked((bearer == null ? "" : bearer).getBytes(StandardCharsets.ISO_8859_1));
    }

    private static byte[] checked(byte[] token) throws ProtocolViolation {
        if (token.length > DeviceIds.MAX_TOKEN_BYTES) {
            throw HttpError.badRequest(
                    "a token of " + token.length + " bytes: need at most " + DeviceIds.MAX_TOKEN_BYTES);
        }
        DeviceIds.requireText(Unpooled.wrappedBuffer(token), 0, token.length, "token");
        return token;
    }

    private long wantedMillis() {
        String text = target.parameter("heartbeat_ms");
        if (text == null) {
            return 0;
        }
        long millis = text.matches("[0-9]{1,10}") ? Long.parseLong(text) : -1;
        if (millis < 0 || millis > MAX_WANTED_MILLIS) {
            throw HttpError.badRequest("heartbeat_ms: need 0.." + MAX_WANTED_MILLIS);
        }
        return millis;
    }

    // ------------------------------------------------------------------ one rule each

    /** The path itself or one segment below it. */
    static void requirePath(String path, String base) {
        if (!isBelow(path, base)) {
            throw new HttpError(404, "not_found", "nothing is here");
        }
    }

    private static boolean isBelow(String path, String base) {
        return path.equals(base) || (path.startsWith(base + "/") && path.indexOf('/', base.length() + 1) < 0);
    }

    private static void requireUpgrade(HttpRequest request) {
        HttpHeaders headers = request.headers();
        boolean upgrade = request.method().equals(HttpMethod.GET)
                && request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && headers.containsValue(CONNECTION, UPGRADE, true)
                && headers.containsValue(UPGRADE, "websocket", true);
        if (!upgrade) {
            throw new HttpError(426, UPGRADE_NEEDED, "not a WebSocket upgrade: need GET, HTTP/1.1 and Upgrade");
        }
        List<String> versions = headers.getAll(SEC_WEBSOCKET_VERSION);
        if (versions.size() != 1 || !versions.get(0).equals("13")) {
            throw new HttpError(426, UPGRADE_NEEDED, "Sec-WebSocket-Version: need 13, once");
        }
    }

    private static String requireHost(HttpHeaders headers, RequestTarget target, List<String> accepted) {
        String named = only(headers, HOST);
        // an absolute target overrules the header, RFC 9112 section 3.2.2
        String host = target.authority() == null ? named : target.authority();
        String name = RequestTarget.host(host);
        if (name == null) {
            throw HttpError.badRequest("malformed Host");
        }
        if (!accepted.isEmpty() && !accepted.contains(name.toLowerCase(Locale.ROOT))) {
            throw new HttpError(403, "unknown_host", "not for this Host");
        }
        return host;
    }

    private static void requireNoBody(HttpHeaders headers) {
        boolean empty = headers.getAll(CONTENT_LENGTH).stream().allMatch("0"::equals);
        if (!empty || headers.contains(TRANSFER_ENCODING)) {
            throw HttpError.badRequest("an upgrade with a body");
        }
    }

    private static void requireOrigin(HttpHeaders headers, List<String> accepted, List<String> hosts)
            throws ProtocolViolation {
        String origin = atMostOne(headers, ORIGIN);
        if (origin != null && !PageOrigin.isAccepted(origin, accepted, hosts, headers.get(USER_AGENT, ""))) {
            throw new ProtocolViolation(
                    CloseReason.FOREIGN_ORIGIN,
                    "Origin \"" + quoted(origin) + "\": need one listed in websocket.origins"
                            + (accepted.isEmpty() ? ", or a page of " + quoted(String.join(" or ", hosts)) : ""));
        }
    }

    private static String quoted(String words) {
        return SafeText.of(HttpError.quote(words), Integer.MAX_VALUE);
    }

    private static @Nullable String atMostOne(HttpHeaders headers, AsciiString name) {
        List<String> values = headers.getAll(name);
        if (values.size() > 1) {
            throw HttpError.badRequest(name + ": need at most one");
        }
        return values.isEmpty() ? null : values.get(0);
    }

    private static String only(HttpHeaders headers, AsciiString name) {
        String value = atMostOne(headers, name);
        if (value == null) {
            throw HttpError.badRequest(name + ": need one");
        }
        return value;
    }

    private static String accept(String key) {
        try {
            if (key.length() == KEY_CHARACTERS && Base64.getDecoder().decode(key).length == KEY_BYTES) {
                byte[] digest =
                        MessageDigest.getInstance("SHA-1").digest((key + GUID).getBytes(StandardCharsets.US_ASCII));
                return Base64.getEncoder().encodeToString(digest);
            }
        } catch (IllegalArgumentException notBase64) {
            // refused below
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
        throw HttpError.badRequest("Sec-WebSocket-Key: need 16 bytes in base64");
    }

    private static Set<String> offered(HttpHeaders headers) {
        Set<String> offered = new LinkedHashSet<>();
        for (String value : headers.getAll(SEC_WEBSOCKET_PROTOCOL)) {
            for (String each : value.split(",", -1)) {
                String name = each.strip();
                // a recipient of a list passes over its empty elements: RFC 9110 section 5.6.1.2
                if (!name.isEmpty() && !(HeaderScanner.isToken(name) && offered.add(name))) {
                    throw HttpError.badRequest("Sec-WebSocket-Protocol: need distinct tokens");
                }
            }
        }
        return offered;
    }

    /** The one that is chosen. Nothing is agreed on in silence: browsers would end the connection, and others send frames to whoever takes none. */
    private static @Nullable String subprotocol(Set<String> offered) throws ProtocolViolation {
        for (String each : PROTOCOLS) {
            if (offered.contains(each)) {
                return each;
            }
        }
        if (!offered.isEmpty()) {
            throw new ProtocolViolation(
                    CloseReason.BAD_VERSION,
                    "Sec-WebSocket-Protocol: need " + String.join(" or ", PROTOCOLS) + " among those offered, or none");
        }
        return null;
    }

    private static @Nullable String offeredBearer(Set<String> offered) {
        String found = null;
        for (String each : offered) {
            if (each.startsWith(BEARER_OFFER)) {
                if (found != null) {
                    throw HttpError.badRequest("Sec-WebSocket-Protocol: need one " + BEARER_OFFER + " at most");
                }
                found = each.substring(BEARER_OFFER.length());
            }
        }
        return found;
    }

    private static @Nullable String bearer(HttpHeaders headers) {
        String value = atMostOne(headers, AUTHORIZATION);
        Matcher parts = BEARER.matcher(value == null ? "" : value);
        return parts.matches() ? parts.group(1) : null;
    }
}
