package io.heartwheel.app;

import io.heartwheel.admin.GatewayInfo;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.heartwheel.protocol.websocket.ForwardedSettings;
import io.heartwheel.transport.ListenerProtocol;
import io.heartwheel.transport.ListenerSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Addresses where listeners are bound, as they are told: to the file of ports and to the operator. Any thread. */
final class BoundPorts {
    private BoundPorts() {}

    /** Writes one {@code name=host:port} a line, all or nothing; nowhere if there is no file. */
    static void write(@Nullable Path file, Map<String, InetSocketAddress> ports) throws IOException {
        if (file == null) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        ports.forEach((name, address) ->
                lines.append(name).append('=').append(text(address)).append('\n'));
        Path whole = file.resolveSibling(file.getFileName() + ".part");
        Files.writeString(whole, lines, StandardCharsets.UTF_8);
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The listeners for devices. */
    static List<GatewayInfo.Listener> listeners(GatewaySettings settings, Map<String, InetSocketAddress> ports) {
        return settings.listeners().stream()
                .map(listener -> listener(listener, settings.webSocket().forwarded(), text(ports.get(listener.name()))))
                .toList();
    }

    private static GatewayInfo.Listener listener(
            ListenerSettings listener, @Nullable ForwardedSettings forwarded, String address) {
        Networks balancers = listener.balancers();
        return new GatewayInfo.Listener(
                listener.name(),
                listener.protocol().name().toLowerCase(Locale.ROOT),
                listener.tls() != null,
                address,
                balancers == null ? null : new GatewayInfo.Proxy(balancers.texts()),
                forwarded == null || listener.protocol() == ListenerProtocol.HEARTWHEEL
                        ? null
                        : new GatewayInfo.Forwarded(
                                forwarded.header(), forwarded.trusted().texts()));
    }

    /** Empty while it is not bound. */
    static String text(@Nullable InetSocketAddress address) {
        return address == null ? "" : IpAddress.text(address);
    }
}
