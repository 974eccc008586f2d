package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.pace.Cadence;
import java.util.function.IntUnaryOperator;

/**
 * Settings that all devices of a run have in common.
 *
 * @param wantedMillis heartbeat interval asked for in HELLO, milliseconds, 0..2^32-1
 * @param beatShare a beat is sent each {@code beatShare} of the granted interval: below 1, so that the promise is kept
 * @param beatMillis if over 0, beats are sent at this period whatever was granted
 * @param graceHundredths grace to assume where the gateway does not say it (plain WebSocket), hundredths
 * @param token sent in HELLO, may be empty
 * @param idPrefix device ids are this and the device's number
 * @param jitter each beat is earlier by up to this share of its period, at random, 0..1
 * @param stepNanos width of a pacing slot, nanoseconds
 * @param sharedIds by a device's number that of the id that it shares, below 0 for its own
 */
public record DeviceDefaults(
        long wantedMillis,
        double beatShare,
        long beatMillis,
        int graceHundredths,
        String token,
        String idPrefix,
        double jitter,
        long stepNanos,
        IntUnaryOperator sharedIds) {

    /** Each device has an id of its own. */
    public static final IntUnaryOperator OWN_IDS = index -> -1;

    /** Name told in HELLO. */
    public static final String CLIENT_NAME = "heartwheel-loadgen/1";

    private static final double MILLI = 1e6;

    /** Checks the ranges. */
    public DeviceDefaults {
        if (wantedMillis < 0 || wantedMillis > 0xFFFF_FFFFL) {
            throw new IllegalArgumentException("interval = " + wantedMillis + "ms: need 0..4294967295ms");
        }
        if (!(beatShare > 0 && beatShare <= 1)) {
            throw new IllegalArgumentException("beat share = " + beatShare + ": need over 0, at most 1");
        }
        if (!(jitter >= 0 && jitter < 1)) {
            throw new IllegalArgumentException("jitter = " + jitter + ": need 0 to below 1");
        }
    }

    private DeviceDefaults with(long interval, int grace, String shown, IntUnaryOperator ids) {
        return new DeviceDefaults(interval, beatShare, beatMillis, grace, shown, idPrefix, jitter, stepNanos, ids);
    }

    /** The same with another interval and grace. */
    public DeviceDefaults with(long interval, int grace) {
        return with(interval, grace, token, sharedIds);
    }

    /** The same with these shared ids. */
    public DeviceDefaults sharing(IntUnaryOperator numbers) {
        return with(wantedMillis, graceHundredths, token, numbers);
    }

    /** The device id of the device with this number. */
    public String id(int index) {
        return appendId(new StringBuilder(), index).toString();
    }

    StringBuilder appendId(StringBuilder out, int index) {
        int shared = sharedIds.applyAsInt(index);
        out.append(idPrefix);
        return shared < 0 ? out.append(index) : out.append("shared-").append(shared);
    }

    /** The same with this token. */
    DeviceDefaults showing(String shown) {
        return shown.equals(token) ? this : with(wantedMillis, graceHundredths, shown, sharedIds);
    }

    /** When devices beat that were granted this interval, milliseconds. */
    public Cadence cadence(long grantedMillis) {
        double period = beatMillis > 0 ? beatMillis * MILLI : grantedMillis * MILLI * beatShare;
        return Cadence.of((long) period, stepNanos);
    }
}
