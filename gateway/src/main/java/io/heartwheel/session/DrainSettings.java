package io.heartwheel.session;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How the gateway takes its leave. Immutable; any thread.
 *
 * @param retryMin least time devices stay away, {@link #MIN}..{@link #MAX}
 * @param retryMax greatest, retryMin..{@link #MAX}
 * @param drain how long the gateway waits for devices to leave, {@link #MIN}..{@link #MAX}
 * @param alternateHost where devices are sent, {@code host:port}, at most 255 bytes; empty: the same address
 */
public record DrainSettings(Duration retryMin, Duration retryMax, Duration drain, String alternateHost) {
    /** Least of the three times. */
    public static final Duration MIN = Duration.ZERO;
    /** Greatest of the three times. */
    public static final Duration MAX = Duration.ofHours(1);

    private static final Pattern HOST_PORT = Pattern.compile("([^\\s:\\[\\]/]+|\\[[0-9A-Fa-f:.%]+]):([0-9]{1,5})");

    /** @throws IllegalArgumentException naming what is out of range */
    public DrainSettings {
        inRange("retry-min", retryMin);
        inRange("retry-max", retryMax);
        inRange("drain", drain);
        if (retryMin.compareTo(retryMax) > 0) {
            throw new IllegalArgumentException(
                    "shutdown.retry-min = " + retryMin + ": need at most retry-max = " + retryMax);
        }
        if (!isAlternateHost(alternateHost)) {
            throw new IllegalArgumentException(
                    "shutdown.alternate-host = " + alternateHost + ": need host:port of at most 255 bytes, or nothing");
        }
    }

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

    /** The same as devices are told it. */
    public GoAway goAway() {
        return new GoAway(retryMin.toMillis(), retryMax.toMillis(), alternateHost);
    }

    private static void inRange(String key, Duration value) {
        if (value.compareTo(MIN) < 0 || value.compareTo(MAX) > 0) {
            throw new IllegalArgumentException("shutdown." + key + " = " + value + ": need 0s..1h");
        }
    }
}
