package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.WsHandshake;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Upgrade request of a device. Immutable.
 *
 * @param path request target
 * @param whole whether the path is all of it; else the id, the interval and the token are appended as Heartwheel wants them
 * @param headers beside those of the upgrade
 * @param subprotocol asked for, one or several with commas between them; null: none
 */
public record WsRequest(Template path, boolean whole, Map<String, Template> headers, @Nullable Template subprotocol) {

    /** Headers that the upgrade itself needs. */
    private static final List<String> OWN =
            List.of("host", "upgrade", "connection", "content-length", "transfer-encoding");

    /** Keeps its own copy, in the order of the names. */
    public WsRequest {
        headers = Map.copyOf(headers);
    }

    /** A path that is the same for all devices. */
    static WsRequest of(String path, @Nullable String subprotocol) {
        return new WsRequest(Template.of(path), true, Map.of(), subprotocol == null ? null : Template.of(subprotocol));
    }

    /** Whether a header of this name may be set. */
    public static boolean mayBeSet(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.matches("[!#$%&'*+.^_`|~0-9a-z-]{1,64}")
                && !OWN.contains(lower)
                && !lower.startsWith("sec-websocket-");
    }

    String path(DeviceConnection connection) {
        String own = path.of(connection);
        if (whole) {
            return own;
        }
        String token = offersToken(connection) ? "" : connection.token();
        return own + "/" + connection.id() + "?heartbeat_ms=" + connection.wantedMillis()
                + (token.isEmpty() ? "" : "&token=" + token);
    }

    /** As a browser has to: among the subprotocols. */
    private boolean offersToken(DeviceConnection connection) {
        return !whole
                && connection.loopContext().credentials != null
                && !connection.token().isEmpty();
    }

    @Nullable
    String subprotocol(DeviceConnection connection) {
        if (offersToken(connection)) {
            return WsHandshake.PLAIN + ", " + WsHandshake.BEARER + connection.token();
        }
        return subprotocol == null ? null : subprotocol.of(connection);
    }

    /** The further headers, each with the end of its connection. */
    String headers(DeviceConnection connection) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(headers).forEach((name, value) -> text.append(WsHandshake.END_OF_LINE)
                .append(name)
                .append(": ")
                .append(value.of(connection)));
        return text.toString();
    }
}
