package io.heartwheel.admin;

import io.heartwheel.transport.BindAddress;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Settings of the admin server. Immutable; any thread.
 *
 * @param enabled whether there is any
 * @param bind where it listens
 * @param maxBodyBytes largest request body
 * @param maxConnections connections at once
 * @param hosts further names in Host that it answers to; {@code *} stands for all
 */
public record AdminSettings(
        boolean enabled, BindAddress bind, int maxBodyBytes, int maxConnections, List<String> hosts) {
    private static final Pattern HOST =
            Pattern.compile("\\*|[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*");

    /** Copies the list. */
    public AdminSettings {
        hosts = List.copyOf(hosts);
    }

    /** Whether a text can stand in {@link #hosts}. */
    public static boolean isHost(String text) {
        return HOST.matcher(text).matches();
    }
}
