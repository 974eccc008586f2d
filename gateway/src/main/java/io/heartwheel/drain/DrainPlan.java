package io.heartwheel.drain;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The sums of a drain before it begins: how fast devices are told, which windows they get, and at what rate they will come back. Immutable; any thread.
 *
 * <pre>
 *   told      |########|                        devices / time to tell: goaway-rate, admit-rate, and what the deadline leaves
 *   windows      [----][----][----][----]       laid one behind the other, so that they fill the time at the rate that is admitted;
 *   back         |####################|         never before retry-min, never later than retry-max after the telling
 *              0                        time
 * </pre>
 *
 * <p>A device draws a time at random from its window, and the windows of those told one after the other lie side by side; what comes back in a second is
 * therefore the smaller of what is told in a second and what the windows let through, and never more than devices / width of a window. A plain peer knows no
 * windows: it is reckoned to come back the moment it is closed. All times count from the end of the notice.
 *
 * @param devices that are here
 * @param plain those of them that cannot be told, and are closed at their turn instead
 * @param tellPerSecond devices told, or closed if plain, a second
 * @param tellNanos how long that takes
 * @param untold devices for which the time to tell does not suffice; they are told when they are closed
 * @param windowPerSecond devices a second that the windows let through
 * @param windowNanos least width of a window
 * @param peakPerSecond the most that come back in a second
 * @param meanPerSecond the mean while they come back; 0 if nobody does
 * @param lastBackNanos when the last is due back
 * @param limits which bounds are in the way of what was asked for
 * @param enoughDeadlineNanos the least deadline with which nobody comes back faster than admitted
 * @param order what was asked for
 * @param settings the rest
 */
public record DrainPlan(
        long devices,
        long plain,
        double tellPerSecond,
        long tellNanos,
        long untold,
        double windowPerSecond,
        long windowNanos,
        double peakPerSecond,
        double meanPerSecond,
        long lastBackNanos,
        Set<Limit> limits,
        long enoughDeadlineNanos,
        DrainOrder order,
        DrainSettings settings) {

    /** The share of the deadline in which devices are told. */
    static final double TELL_SHARE = 0.6;
    /** The share, at its end, in which those who stayed are closed. */
    static final double CLOSE_SHARE = 0.2;
    /** Narrower windows are of no use: the devices' own clocks and ways differ by more. */
    private static final double LEAST_WINDOW_SECONDS = 1;
    /** Rates are compared with so much patience for rounding. */
    private static final double ROUNDING = 1.000_001;

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Limit that keeps a drain from its rate. */
    public enum Limit {
        /** More have to be told within the deadline than goaway-rate allows: some are told only when they are closed. */
        GOAWAY_RATE,
        /** The deadline is too short to send them away no faster than they are admitted. */
        DEADLINE,
        /** Windows must not reach as far as it would take: they come back faster than admitted. */
        RETRY_MAX,
        /** Plain peers come back when they like, and with them it is more than is admitted. */
        PLAIN_PEERS;

        /** Lower-case name in answers. */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** @throws IllegalArgumentException if the counts contradict each other */
    public DrainPlan {
        if (plain < 0 || devices < plain || untold < 0 || untold > devices) {
            throw new IllegalArgumentException(
                    "drain plan: need 0 <= plain, untold <= devices, not " + plain + ", " + untold + ", " + devices);
        }
        limits = Set.copyOf(limits);
    }

    /**
     * Reckons.
     *
     * @param devices that are here, 0 or more
     * @param plain of them those that cannot be told
     */
    public static DrainPlan of(DrainSettings settings, DrainOrder order, long devices, long plain) {
        double tellLimit = seconds(order.deadline()) * TELL_SHARE;
        double admitted = order.admitPerSecond();
        double rate = Math.min(order.goawayRate(), Math.max(admitted, devices / Math.max(tellLimit, 1e-9)));
        long told = (long) Math.min(devices, Math.floor(rate * tellLimit * ROUNDING));
        long untold = devices - told;
        double telling = untold > 0 ? tellLimit : devices / rate;
        double whole = untold > 0 ? seconds(order.deadline()) : telling;

        double closing = Math.min(seconds(order.deadline()) * CLOSE_SHARE, untold / admitted);
        double share = devices == 0 ? 0 : (double) plain / devices;
        double plainPeak = share * Math.max(inASecond(told, telling), inASecond(untold, closing));

        double framed = devices - (double) plain;
        double min = seconds(settings.retryMin());
        double width = Math.min(LEAST_WINDOW_SECONDS, seconds(settings.retryMax()) - min);
        double least = inASecond(framed, whole + seconds(settings.retryMax()) - min - width);
        double windowed = Math.max(Math.max(admitted - plainPeak, least), 1e-3);
        double framedPeak = Math.min(windowed, inASecond(framed, Math.max(telling, width)));
        boolean overlap = plain > 0 && framed > 0 && whole > min;
        double peak = overlap ? plainPeak + framedPeak : Math.max(plainPeak, framedPeak);
        double lastBack = framed == 0 ? whole : Math.max(whole, framed / windowed) + min + width;
        double firstBack = plain > 0 ? 0 : min;

        Set<Limit> limits = EnumSet.noneOf(Limit.class);
        note(limits, Limit.GOAWAY_RATE, untold > 0);
        note(limits, Limit.DEADLINE, devices / admitted > tellLimit * ROUNDING);
        boolean over = peak > admitted * ROUNDING;
        note(limits, Limit.RETRY_MAX, over && plainPeak < admitted && least > (admitted - plainPeak) * ROUNDING);
        note(limits, Limit.PLAIN_PEERS, over && plain > 0);
        return new DrainPlan(
                devices,
                plain,
                rate,
                nanos(telling),
                untold,
                windowed,
                nanos(width),
                peak,
                devices == 0 ? 0 : devices / Math.max(lastBack - firstBack, 1),
                devices == 0 ? 0 : nanos(lastBack),
                limits,
                nanos(devices / Math.min(admitted, order.goawayRate()) / TELL_SHARE),
                order,
                settings);
    }

    /** A rate as it is felt: nothing is counted over less than a second. */
    private static double inASecond(double count, double seconds) {
        return count / Math.max(1, seconds);
    }

    private static void note(Set<Limit> limits, Limit limit, boolean binds) {
        if (binds) {
            limits.add(limit);
        }
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / NANOS;
    }

    private static long nanos(double seconds) {
        return (long) Math.ceil(seconds * NANOS);
    }

    /** Whether nobody comes back faster than admitted. */
    public boolean isWithinAdmission() {
        return peakPerSecond <= order.admitPerSecond() * ROUNDING;
    }
}
