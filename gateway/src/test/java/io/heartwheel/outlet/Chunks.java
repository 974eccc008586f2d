package io.heartwheel.outlet;

import io.heartwheel.event.EventKind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.LongStream;

/** Events to deliver. */
public final class Chunks {
    private static final long BEGAN_EPOCH_MILLIS = 1_767_225_600_007L;

    private Chunks() {}

    /** Messages number {@code from} to {@code to}, of as many devices in turn. */
    public static List<OutletEvent> messages(long from, long to, int devices) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(number -> message(number, "device-" + number % devices, 100))
                .toList();
    }

    /** One message of a device. */
    public static OutletEvent message(long number, String device, int payloadBytes) {
        String json = "{\"event\":\"data\",\"at\":\"2026-01-01T00:00:00.007Z\",\"device\":\"" + device
                + "\",\"sequence\":" + number + ",\"text\":\"" + "x".repeat(payloadBytes)
                + "\",\"instance\":\"a\",\"more\":{\"instance\":\"b\"},\"incarnation\":7}";
        return event(number, EventKind.DATA, device, json);
    }

    /** An event of no device. */
    public static OutletEvent incarnation(long number) {
        return event(number, EventKind.INCARNATION, "", "{\"event\":\"incarnation\"}");
    }

    private static OutletEvent event(long number, EventKind kind, String device, String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        return new OutletEvent("store-" + number, number, kind, BEGAN_EPOCH_MILLIS + number, device, bytes);
    }
}
