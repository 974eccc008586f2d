package io.heartwheel.drain;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Settings of a drain. Immutable; any thread.
 *
 * @param retryMin least time devices stay away
 * @param retryMax greatest, retryMin or more
 * @param drain how long the gateway waits for devices to leave, at most {@link #MAX_DRAIN}
 * @param goawayRate devices told to leave a second at most, {@link #MIN_RATE}..{@link #MAX_RATE}
 * @param readmitRate connections a second that the rest of the fleet can take, {@link #MIN_RATE}..{@link #MAX_RATE}, or {@link #BY_FLEET}
 * @param notice for so long it says that it is not ready and takes newcomers all the same, before anything else; at most {@link #MAX_NOTICE}
 * @param alternateHost where devices are sent, {@code host:port}, at most 255 bytes; empty: the same address; {@link #LEAST_LOADED}: to another gateway
 * @param announcing how many gateways say that they take so many together; 0: as configured, or none says anything
 */
public record DrainSettings(
        Duration retryMin,
        Duration retryMax,
        Duration drain,
        int goawayRate,
        int readmitRate,
        Duration notice,
        String alternateHost,
        int announcing) {
    /** Greatest time for a drain. */
    public static final Duration MAX_DRAIN = Duration.ofHours(24);
    /** Greatest notice. */
    public static final Duration MAX_NOTICE = Duration.ofHours(1);
    /** Least of the two rates, a second. */
    public static final int MIN_RATE = 1;
    /** Greatest of the two rates, a second. */
    public static final int MAX_RATE = 1_000_000;
    /** In the place of a rate: what the other gateways say. */
    public static final int BY_FLEET = 0;
    /** In the place of a host: of the other gateways the one with the fewest devices. */
    public static final String LEAST_LOADED = "least-loaded";

    private static final int DEFAULT_RATE = 1_000;

    private static final Pattern HOST_PORT = Pattern.compile("([^\\s:\\[\\]/]+|\\[[0-9A-Fa-f:.%]+]):([0-9]{1,5})");

    /** Whether devices can be sent there: empty, or a host and a port in 1..65535 that fit a GOAWAY. */
    public static boolean isAddress(String text) {
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

    /** What a gateway with these settings takes itself, if it has no other limit. */
    public int ownRate() {
        return readmitRate == BY_FLEET ? DEFAULT_RATE : readmitRate;
    }

    /** Whether where devices are sent is decided when they are told. */
    public boolean isToLeastLoaded() {
        return alternateHost.equals(LEAST_LOADED);
    }

    /**
     * The same, with what is left to the fleet as it is now.
     *
     * @param takers what each of the others takes a second, more than 0
     */
    public DrainSettings among(List<Integer> takers) {
        if (readmitRate != BY_FLEET) {
            return this;
        }
        IntStream rates = takers.stream().mapToInt(Integer::intValue);
        // devices may all go to one of them for a while
        long together =
                isToLeastLoaded() ? rates.min().orElse(0) : rates.asLongStream().sum();
        int rate = takers.isEmpty() ? DEFAULT_RATE : (int) Math.min(together, MAX_RATE);
        return new DrainSettings(retryMin, retryMax, drain, goawayRate, rate, notice, alternateHost, takers.size());
    }

    /**
     * A drain as it is configured.
     *
     * @param stay whether the process goes on afterwards
     */
    public DrainOrder order(boolean stay) {
        return new DrainOrder(goawayRate, ownRate(), drain, stay, notice, null, announcing);
    }
}
