package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.wire.CloseCodes;
import java.util.Locale;

/**
 * One thing the gateway did wrong, with what is needed to look for it in the gateway's log.
 *
 * @param device device id
 * @param atSeconds when it was seen, since the run began
 * @param silentMillis since the device's last frame
 * @param allowedMillis interval x grace
 * @param widestGapMillis the device's longest silence before
 */
public record Evidence(
        String what,
        String device,
        double atSeconds,
        int code,
        String detail,
        double silentMillis,
        double allowedMillis,
        double widestGapMillis) {

    private static final double MILLI = 1e6;

    static Evidence of(String what, Device device, long atNanos, int code, String detail) {
        return new Evidence(
                what,
                device.id(),
                atNanos / 1e9,
                code,
                detail,
                (atNanos - device.lastSentNanos()) / MILLI,
                device.allowedSilenceNanos() / MILLI,
                device.widestGapNanos() / MILLI);
    }

    /** One line for people. */
    public String line() {
        return String.format(
                Locale.ROOT,
                "%s: %s at %.3fs, %s%s, %.1f ms after its last frame (allowed %.0f ms, widest gap before %.1f ms)",
                what,
                device,
                atSeconds,
                code == CloseCodes.NONE ? "no code" : code + " " + CloseCodes.name(code),
                detail.isEmpty() ? "" : " \"" + detail + "\"",
                silentMillis,
                allowedMillis,
                widestGapMillis);
    }
}
