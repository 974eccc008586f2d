package io.heartwheel.event;

import io.heartwheel.event.ConnectionEvent.Connected;
import io.heartwheel.event.ConnectionEvent.Disconnected;
import io.heartwheel.event.ConnectionEvent.IdConflict;
import io.heartwheel.event.ConnectionEvent.Identity;
import io.heartwheel.event.ConnectionEvent.Lost;
import io.heartwheel.event.ConnectionEvent.Message;
import io.heartwheel.event.ConnectionEvent.NodeLost;
import io.heartwheel.event.ConnectionEvent.Present;
import io.heartwheel.event.ConnectionEvent.Recovered;
import io.heartwheel.event.ConnectionEvent.Refused;
import io.heartwheel.event.ConnectionEvent.Suspect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Events to send through sinks. */
public final class Events {
    public static final Identity DEVICE = new Identity("sensor/42", 7, 1_700_000_000_000_001L);
    public static final long AT = 1_767_225_600_007L; // 2026-01-01T00:00:00.007Z

    private Events() {}

    public static Message text(long id, String text) {
        return new Message(DEVICE, 2, AT, id, true, text.getBytes(StandardCharsets.UTF_8));
    }

    public static Message binary(long id, byte... payload) {
        return new Message(DEVICE, 2, AT, id, false, payload);
    }

    public static Connected connected(String clientName) {
        return new Connected(DEVICE, AT, "heartwheel", "10.0.0.1:5000", "", clientName, 60_000);
    }

    public static Disconnected disconnected(CloseReason reason) {
        return new Disconnected(evidence(reason), 3);
    }

    public static Suspect suspect() {
        return new Suspect(DEVICE, 2, AT);
    }

    public static Recovered recovered() {
        return new Recovered(DEVICE, 3, AT, 1_250);
    }

    /** With somebody from elsewhere. */
    public static IdConflict idConflict() {
        return new IdConflict(DEVICE, AT, "10.0.0.1:5000", "192.0.2.9:40112");
    }

    /** Of an incarnation that began an hour before. */
    public static Lost lost() {
        return new Lost(DEVICE, AT, AT / 1_000 - 3_600, AT - 3_600_007);
    }

    /** Of another gateway. */
    public static NodeLost nodeLost(CloseReason reason) {
        return new NodeLost(DEVICE, AT, "gw-2", (AT - 3_600_007) * 1_000, reason);
    }

    /** It was silent for 15 s. */
    public static NodeDown nodeDown() {
        return new NodeDown(AT, "gw-2", (AT - 3_600_007) * 1_000, 15_000);
    }

    /** In the first snapshot. */
    public static Present present(String via) {
        return new Present(DEVICE, 3, AT, 1, "heartwheel", "10.0.0.1:5000", via, "acme-fw/2.1", 60_000, 120_000);
    }

    /** The same, with a group and an attribute. */
    public static Present granted(Present present) {
        return new Present(
                present.identity(),
                present.sequence(),
                present.atEpochMillis(),
                present.snapshot(),
                present.protocol(),
                present.remote(),
                present.via(),
                present.clientName(),
                present.grantedIntervalMillis(),
                present.openMillis(),
                List.of("acme"),
                Map.of("site", "north"));
    }

    /** A mass expiry as it begins, or as it has ended. */
    public static Incident incident(boolean ended) {
        return new Incident(1, ended, AT, 42_000, List.of("all", "listener tcp"), 1_200, 10_000, 900, 850, 40, 10);
    }

    /** The end of a traced life. */
    public static TraceSegment traceSegment() {
        return new TraceSegment(
                AT,
                52_033,
                7,
                "heartwheel",
                1_200,
                31_500,
                30_000,
                150,
                new int[] {3, 27_000, 27_001},
                130_504,
                CloseReason.HEARTBEAT_TIMEOUT);
    }

    /** Of somebody who claimed to be the device. */
    public static Refused refused(long unreported) {
        return new Refused(evidence("sensor/42", CloseReason.UNAUTHORIZED, false, AT), unreported);
    }

    /** Of a device that fell silent. */
    public static Evidence evidence(CloseReason reason) {
        return evidence("sensor/42", reason, true, AT);
    }

    /** The same of any device. */
    public static Evidence evidence(String device, CloseReason reason, boolean established, long at) {
        return evidence(device, "10.0.0.1:5000", reason, established, at);
    }

    /** The same from anywhere. */
    public static Evidence evidence(String device, String remote, CloseReason reason, boolean established, long at) {
        return new Evidence(
                new Identity(established ? device : "", DEVICE.sessionId(), established ? DEVICE.epoch() : 0),
                established ? "" : device,
                established ? "heartwheel" : "handshake",
                remote,
                "",
                "acme-fw/2.1",
                established,
                at,
                120_000,
                reason,
                "silent for 90.0 s",
                null,
                null,
                new Evidence.Limit(DeadlineKind.HEARTBEAT, DeadlineOrigin.ASKED, 90_000, 60_000, 150, -2),
                new Evidence.Traffic(90_001, 90_001, "PING", 29_900, "PING", 0, 0, List.of()),
                new Evidence.Probes(2, 1, 29_900, List.of(41_000)),
                new Evidence.Path(40_100, 2_000, 3, 5, 1, 0, 90_000, 90_000, 4_711),
                new Evidence.Timing(90_001_000, 1_500, 0, 1, 9_000, 9_001, false),
                0,
                "");
    }
}
