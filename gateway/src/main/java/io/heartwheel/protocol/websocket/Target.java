package io.heartwheel.protocol.websocket;

import io.heartwheel.event.CloseReason;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a request goes: the target of its first line, taken apart and still percent-encoded. Immutable; any thread.
 *
 * @param authority host and port of an absolute target, else null
 * @param path from the first slash
 * @param query what stands behind the question mark, may be empty
 */
record Target(@Nullable String authority, String path, String query) {
    private static final long MAX_WANTED_MILLIS = 0xFFFF_FFFFL;

    /**
     * Who a plain peer says it is.
     *
     * @param id checked as a device id
     * @param token as shown, may be empty
     * @param wantedMillis wanted heartbeat interval, unsigned 32 bits, 0 for none
     */
    @SuppressWarnings("ArrayRecordComponent") // read once and handed on; compared by nobody
    record Device(byte[] id, byte[] token, long wantedMillis) {}

    /** Takes a target apart, in origin or absolute form (RFC 9112 section 3.2). */
    static Target parse(String text) throws UpgradeError {
        if (text.indexOf('#') >= 0 || !text.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw UpgradeError.badRequest("malformed request target");
        }
        String rest = text;
        String authority = null;
        if (!text.startsWith("/")) {
            String lower = text.toLowerCase(Locale.ROOT);
            int start = lower.startsWith("http://") ? 7 : lower.startsWith("https://") ? 8 : -1;
            int slash = start < 0 ? -1 : text.indexOf('/', start);
            if (slash < 0) {
                throw UpgradeError.badRequest("request target without a path");
            }
            authority = text.substring(start, slash);
            rest = text.substring(slash);
        }
        int mark = rest.indexOf('?');
        return mark < 0
                ? new Target(authority, rest, "")
                : new Target(authority, rest.substring(0, mark), rest.substring(mark + 1));
    }

    /** @throws UpgradeError with 404 unless the path is {@code base} or one segment below it */
    void requireBelow(String base) throws UpgradeError {
        boolean here = path.equals(base);
        boolean below = path.startsWith(base + "/") && path.indexOf('/', base.length() + 1) < 0;
        if (!here && !below) {
            throw new UpgradeError(HttpResponseStatus.NOT_FOUND, "nothing is here");
        }
    }

    /**
     * Who asks.
     *
     * @param bearer the token of an Authorization header, null without
     */
    Device device(String base, @Nullable String bearer) throws UpgradeError, ProtocolViolation {
        String inPath = path.length() > base.length() ? path.substring(base.length() + 1) : null;
        String inQuery = parameter("device");
        if (inPath != null && inQuery != null) {
            throw UpgradeError.badRequest("a device id in the path and one in the query");
        }
        String id = inPath != null ? inPath : inQuery;
        if (id == null) {
            throw new ProtocolViolation(CloseReason.BAD_IDENTITY, "no device id in path or query");
        }
        byte[] idBytes = PercentCoding.decode(id);
        DeviceIds.deviceId(Unpooled.wrappedBuffer(idBytes), 0, idBytes.length);
        return new Device(idBytes, token(bearer), wantedMillis());
    }

    private byte[] token(@Nullable String bearer) throws UpgradeError, ProtocolViolation {
        String inQuery = parameter("token");
        if (inQuery != null && bearer != null) {
            throw UpgradeError.badRequest("a token in the query and one in a header");
        }
        byte[] token =
                inQuery != null ? PercentCoding.decode(inQuery) : PercentCoding.bytes(bearer == null ? "" : bearer);
        if (token.length > DeviceIds.MAX_TOKEN_BYTES) {
            throw UpgradeError.badRequest(
                    "a token of " + token.length + " bytes: need at most " + DeviceIds.MAX_TOKEN_BYTES);
        }
        DeviceIds.requireText(Unpooled.wrappedBuffer(token), 0, token.length, "token");
        return token;
    }

    private long wantedMillis() throws UpgradeError {
        String text = parameter("heartbeat_ms");
        if (text == null) {
            return 0;
        }
        boolean digits = !text.isEmpty() && text.length() <= 10 && text.chars().allMatch(c -> c >= '0' && c <= '9');
        long millis = digits ? Long.parseLong(text) : -1;
        if (millis < 0 || millis > MAX_WANTED_MILLIS) {
            throw UpgradeError.badRequest("heartbeat_ms: need 0.." + MAX_WANTED_MILLIS);
        }
        return millis;
    }

    /**
     * The value of a parameter, still encoded; null if it is absent.
     *
     * @throws UpgradeError if it stands twice
     */
    private @Nullable String parameter(String name) throws UpgradeError {
        String found = null;
        int at = 0;
        while (at <= query.length()) {
            int end = query.indexOf('&', at);
            end = end < 0 ? query.length() : end;
            String pair = query.substring(at, end);
            if (pair.startsWith(name) && (pair.length() == name.length() || pair.charAt(name.length()) == '=')) {
                if (found != null) {
                    throw UpgradeError.badRequest(name + " stands twice in the query");
                }
                found = pair.substring(Math.min(pair.length(), name.length() + 1));
            }
            at = end + 1;
        }
        return found;
    }
}
