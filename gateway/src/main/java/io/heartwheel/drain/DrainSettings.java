package io.heartwheel.drain;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * Settings of a drain. Immutable; any thread.
 *
 * @param retryMin least time devices stay away
 * @param retryMax greatest, retryMin or more
 * @param drain how long the gateway waits for devices to leave, at most {@link #MAX_DRAIN}
 * @param goawayRate devices told to leave a second at most, {@link #MIN_RATE}..{@link #MAX_RATE}
 * @param readmitRate connections a second that the rest of the fleet can take, {@link #MIN_RATE}..{@link #MAX_RATE}
 * @param notice for so long it says that it is not ready and takes newcomers all the same, before anything else; at most {@link #MAX_NOTICE}
 * @param alternateHost where devices are sent, {@code host:port}, at most 255 bytes; empty: the same address
 */
public record DrainSettings(
        Duration retryMin,
        Duration retryMax,
        Duration drain,
        int goawayRate,
        int readmitRate,
        Duration notice,
        String alternateHost) {
    /** Greatest time for a drain. */
    public static final Duration MAX_DRAIN = Duration.ofHours(24);
    /** Greatest notice. */
    public static final Duration MAX_NOTICE = Duration.ofHours(1);
    /** Least of the two rates, a second. */
    public static final int MIN_RATE = 1;
    /** Greatest of the two rates, a second. */
    public static final int MAX_RATE = 1_000_000;

    private static final Pattern HOST_PORT = Pattern.compile("([^\\s:\\[\\]/]+|\\[[0-9A-Fa-f:.%]+]):([0-9]{1,5})");

    /** Whether devices can be sent there: empty, or a host and a port in 1..65535 that fit a GOAWAY. */
    public static boolean isAlternateHost(String text) {
        if (text.isEmpty()) {
            return true;
        }
        var matcher = HOST_PORT.matcher(text);
        if (!matcher.matches() || text.getBytes(StandardCharsets.UTF_8).length > 255) {
            return false;
        }
        int port = Integer.parseInt(matcher.group(2));
        return port >= 1 && port <= 65_535;
    }

    /**
     * A drain as it is configured.
     *
     * @param stay whether the process goes on afterwards
     */
    public DrainOrder order(boolean stay) {
        return new DrainOrder(goawayRate, readmitRate, drain, stay, notice);
    }
}
