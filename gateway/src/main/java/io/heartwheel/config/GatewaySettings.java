package io.heartwheel.config;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.cluster.ClusterSettings;
import io.heartwheel.drain.DrainSettings;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.StallSettings;
import io.heartwheel.log.LogSettings;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.presence.PresenceSettings;
import io.heartwheel.protocol.ProtocolSettings;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.push.PushSettings;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.schedule.ScheduleSettings;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.transport.AdmissionSettings;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemorySettings;
import io.heartwheel.transport.TransportSettings;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.heartwheel.wheel.WheelSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a gateway, each part in the record of its owner. Its {@code toString} shows no secret. Immutable; any thread.
 *
 * @param listeners the enabled ones, at least one, in order of their names
 * @param transport how bytes are carried
 * @param tls what keeps the TLS of all listeners fresh
 * @param admission who is let in
 * @param webSocket what a WebSocket request must look like
 * @param protocol what holds for every protocol
 * @param auth who may come in
 * @param liveness the deadlines
 * @param shadow deadlines tried without effect; null: none
 * @param stalls how our own stalls are credited
 * @param breaker what guards against mass kills
 * @param memory when it is short, and what follows
 * @param evidence how many closes are remembered
 * @param wheel what they turn on; its room is {@link TransportSettings#maxConnections} and an eighth more
 * @param sink where facts go
 * @param presence how snapshots and lost devices are told
 * @param messages limits of those that wait for an acknowledgement
 * @param jobs limits of messages to many devices
 * @param schedules limits of messages that are sent later, or again and again
 * @param outlets the enabled ones, in order of their names; used with a journal
 * @param trace whose frames' arrivals are written down
 * @param admin the operator's HTTP
 * @param drain how the gateway takes its leave
 * @param log what the log looks like
 * @param cluster the fleet that it belongs to; null: it is alone
 * @param portsFile where the bound ports are written; null: nowhere
 */
public record GatewaySettings(
        List<ListenerSettings> listeners,
        TransportSettings transport,
        TlsUpkeepSettings tls,
        AdmissionSettings admission,
        WebSocketSettings webSocket,
        ProtocolSettings protocol,
        AuthSettings auth,
        LivenessSettings liveness,
        @Nullable LivenessSettings shadow,
        StallSettings stalls,
        BreakerSettings breaker,
        MemorySettings memory,
        EvidenceSettings evidence,
        WheelSettings wheel,
        SinkSettings sink,
        PresenceSettings presence,
        PushSettings messages,
        JobSettings jobs,
        ScheduleSettings schedules,
        List<OutletSettings> outlets,
        TraceSettings trace,
        AdminSettings admin,
        DrainSettings drain,
        LogSettings log,
        @Nullable ClusterSettings cluster,
        @Nullable Path portsFile) {

    /**
     * @throws IllegalArgumentException if there is a listener beyond loopback while nobody has said who may come in
     */
    public GatewaySettings {
        listeners = List.copyOf(listeners);
        outlets = List.copyOf(outlets);
        if (auth.mode() == AuthSettings.Mode.UNSET) {
            open(listeners).findFirst().ifPresent(listener -> {
                throw new IllegalArgumentException("auth.mode = unset: need shared-token, methods or none, listeners."
                        + listener.name() + " is open to others than this machine (" + listener.bind() + ")");
            });
        }
    }

    /** The listeners beyond loopback that let everybody in who reaches them; empty where devices show a token. */
    public List<ListenerSettings> unprotected() {
        return auth.asks() ? List.of() : open(listeners).toList();
    }

    private static Stream<ListenerSettings> open(List<ListenerSettings> listeners) {
        return listeners.stream()
                .filter(listener -> !listener.bind().isLoopback())
                .filter(listener -> !asksForCertificates(listener.tls()));
    }

    private static boolean asksForCertificates(@Nullable TlsSettings tls) {
        return tls != null && tls.clientAuth() == TlsSettings.ClientAuth.REQUIRED;
    }
}
