package io.heartwheel.protocol.websocket;

import io.heartwheel.net.HttpError;
import io.heartwheel.net.PercentCoding;
import io.heartwheel.net.RequestTarget;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The target of an upgrade request and the device in it: refused, or an id and a token within their limits that can be written again. */
public final class RequestTargetFuzz {
    private static final String BASE = "/ws";

    private RequestTargetFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        UpgradeRequest.Device device;
        try {
            RequestTarget target = RequestTarget.parse(text, true);
            UpgradeRequest.requirePath(target.path(), BASE);
            device = new UpgradeRequest("", null, null, target, null).device(BASE);
        } catch (HttpError | ProtocolViolation refused) {
            return;
        }
        if (device.id().length < 1
                || device.id().length > DeviceIds.MAX_DEVICE_ID_BYTES
                || device.token().length > DeviceIds.MAX_TOKEN_BYTES
                || device.wantedMillis() < 0
                || device.wantedMillis() > 0xFFFF_FFFFL) {
            throw new AssertionError(text);
        }
        StringBuilder encoded = new StringBuilder();
        for (byte octet : device.id()) {
            encoded.append(String.format("%%%02X", octet));
        }
        if (!Arrays.equals(device.id(), PercentCoding.decode(encoded.toString()))) {
            throw new AssertionError(encoded);
        }
    }
}
