package io.heartwheel.metrics;

import io.prometheus.client.Collector.Type;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;

/**
 * Catalogue of metrics: each one of the gateway's own, declared once. Beside these the page shows those of the JVM and the process ({@code jvm_*},
 * {@code process_*}), as the Prometheus client names them.
 *
 * <p>Base units; {@code _total} on counters; labels whose values are few and known beforehand, never an id. Counters start with the process and
 * only grow. These sums hold, but for what is on its way at the moment of reading:
 *
 * <pre>
 *   accepts = opens + refusals + handshake failures + connections{protocol="handshake"}
 *   closes  = refusals + handshake failures + closes of established connections
 *   opens   = closes of established connections + connections{protocol != "handshake"}
 * </pre>
 *
 * <p>Immutable; any thread.
 */
enum Metric {
    BUILD_INFO(
            "heartwheel_build_info",
            Type.GAUGE,
            "Always 1; the labels tell what is running.",
            "version",
            "netty",
            "transport"),

    RELOADS(
            "heartwheel_reloads_total",
            Type.COUNTER,
            "Reloads of the configuration. refused: it was invalid and changed nothing.",
            "outcome"),
    RELOAD_WAITING_CHANGES(
            "heartwheel_reload_waiting_changes",
            Type.GAUGE,
            "Changes that the last reload found and that need a restart."),

    READY("heartwheel_ready", Type.GAUGE, "1 while the gateway accepts new devices; 0 while it starts or drains."),
    CONNECTIONS("heartwheel_connections", Type.GAUGE, "Open connections. handshake: not yet established.", "protocol"),
    CONNECTIONS_LIMIT("heartwheel_connections_limit", Type.GAUGE, "Maximum number of connections."),
    ACCEPTS("heartwheel_accepts_total", Type.COUNTER, "Connections accepted from the kernel."),
    ACCEPT_PAUSES(
            "heartwheel_accept_pauses_total",
            Type.COUNTER,
            "Times a listener paused because descriptors or memory had run out."),
    REFUSALS(
            "heartwheel_refusals_total",
            Type.COUNTER,
            "Connections that the gateway refused before they were established, by its own reason.",
            "reason"),
    HANDSHAKE_FAILURES(
            "heartwheel_handshake_failures_total",
            Type.COUNTER,
            "Connections that ended for any other reason before they were established.",
            "reason"),
    PROXY_HEADERS(
            "heartwheel_proxy_headers_total",
            Type.COUNTER,
            "Connections on listeners that expect a PROXY header. v1, v2: it named a source; local: a health check; unknown: it named no IP address; malformed: missing or invalid, from a trusted balancer; untrusted: from any other address, closed unread.",
            "outcome"),
    FORWARDED_HEADERS(
            "heartwheel_forwarded_headers_total",
            Type.COUNTER,
            "WebSocket requests on listeners that accept forwarding headers. taken: from a trusted balancer; absent: a trusted balancer sent none; unknown: a trusted balancer does not know or hides the source; malformed: invalid, request refused; untrusted: from any other address, ignored.",
            "outcome"),
    HANDSHAKES_PENDING("heartwheel_handshakes_pending", Type.GAUGE, "Connections that are not yet established."),
    HANDSHAKES_PENDING_LIMIT(
            "heartwheel_handshakes_pending_limit",
            Type.GAUGE,
            "Maximum number of pending handshakes, all event loops together."),
    HANDSHAKES_EVICTED(
            "heartwheel_handshakes_evicted_total",
            Type.COUNTER,
            "Pending handshakes closed, oldest first, to make room for new ones."),
    SOURCES("heartwheel_sources", Type.GAUGE, "Sources with at least one connection; 0 while source-limits is off."),
    SOURCE_REFUSALS(
            "heartwheel_source_refusals_total",
            Type.COUNTER,
            "Connections refused because their source has too many (connections) or opens them too fast (rate).",
            "limit"),
    SOURCES_UNCOUNTED(
            "heartwheel_sources_uncounted_total",
            Type.COUNTER,
            "Connections accepted but not counted because the table of sources was full."),
    OPENS("heartwheel_opens_total", Type.COUNTER, "Connections established.", "protocol"),
    CLOSES(
            "heartwheel_closes_total",
            Type.COUNTER,
            "Connections closed, each once, by the reason that decided. handshake: never established.",
            "protocol",
            "reason"),
    TAKEOVERS(
            "heartwheel_takeovers_total",
            Type.COUNTER,
            "Connections replaced by a newer one with the same device id on this gateway."),

    TLS_HANDSHAKES(
            "heartwheel_tls_handshakes_total",
            Type.COUNTER,
            "Successful TLS handshakes. resumed: continued an earlier session, without the private key.",
            "version",
            "kind"),
    TLS_FAILURES(
            "heartwheel_tls_failures_total",
            Type.COUNTER,
            "Connections whose TLS handshake failed or whose TLS broke later, by kind of failure.",
            "kind"),
    TLS_HANDSHAKE_SECONDS(
            "heartwheel_tls_handshake_seconds",
            Buckets.handshake(),
            "Time from accept to the end of a successful TLS handshake, including the network and the peer."),
    TLS_CERTIFICATE_NOT_AFTER_SECONDS(
            "heartwheel_tls_certificate_not_after_seconds",
            Type.GAUGE,
            "When a certificate in use expires, seconds since 1970.",
            "listener",
            "certificate"),
    TLS_STAPLE_NEXT_UPDATE_SECONDS(
            "heartwheel_tls_staple_next_update_seconds",
            Type.GAUGE,
            "Until when the OCSP response for a certificate is valid, seconds since 1970; 0: no valid response. Only for certificates with stapling.",
            "listener",
            "certificate"),
    TLS_RELOADS(
            "heartwheel_tls_reloads_total",
            Type.COUNTER,
            "Reloads of certificates or TLS settings. taken: once a listener; refused: they were invalid, the previous ones stay in use.",
            "outcome"),
    TLS_TICKET_KEY_AGE_SECONDS(
            "heartwheel_tls_ticket_key_age_seconds",
            Type.GAUGE,
            "Age of the key that encrypts session tickets; 0: there is none."),

    FRAMES_RECEIVED("heartwheel_frames_received_total", Type.COUNTER, "Complete frames received.", "type"),
    FRAMES_SENT("heartwheel_frames_sent_total", Type.COUNTER, "Frames written.", "type"),
    RECEIVED_BYTES("heartwheel_received_bytes_total", Type.COUNTER, "Bytes read from devices, after TLS decryption."),
    SENT_BYTES("heartwheel_sent_bytes_total", Type.COUNTER, "Bytes written to devices, before TLS encryption."),

    PROBES("heartwheel_probes_total", Type.COUNTER, "Probes sent to silent devices."),
    KEEP_ALIVES("heartwheel_keep_alives_total", Type.COUNTER, "Keep-alives sent by the gateway to keep the path open."),
    REPRIEVES(
            "heartwheel_reprieves_total",
            Type.COUNTER,
            "Expired devices not closed because unread data was waiting in the socket."),
    READING_PAUSES(
            "heartwheel_reading_pauses_total",
            Type.COUNTER,
            "Times the gateway stopped reading from a device that did not read its own data."),
    RATE_PAUSES(
            "heartwheel_rate_pauses_total",
            Type.COUNTER,
            "Times the gateway stopped reading from a device for a while because it exceeded its rate limit."),

    EXPIRY_LATENESS_SECONDS(
            "heartwheel_expiry_lateness_seconds",
            Buckets.delay(),
            "Time from a deadline to the decision to close, for closes by deadline. Never negative; more than a tick is a delay of the gateway."),
    DETECTION_SECONDS(
            "heartwheel_detection_seconds",
            Buckets.silence(),
            "Time from the last sign of life (a complete frame, or a byte of one under way) to the close, for established connections closed as silent or stalled: how long dead connections were held."),
    CLOSE_SILENCE_SECONDS(
            "heartwheel_close_silence_seconds",
            Buckets.silence(),
            "Time from the last sign of life (a complete frame, or a byte of one under way) to the close, for every established connection, whatever the reason."),

    EXPIRY_OVERDUE_SECONDS(
            "heartwheel_expiry_overdue_seconds",
            Type.GAUGE,
            "How long the oldest expiry has been waiting for its verdict, or how late the wheel is; 0 when nothing waits."),
    EXPIRY_LATENESS_WORST_SECONDS(
            "heartwheel_expiry_lateness_worst_seconds",
            Type.GAUGE,
            "Maximum lateness of a close by deadline within the last 30 to 60 s."),

    STALLS(
            "heartwheel_stalls_total",
            Type.COUNTER,
            "Stalls of an event loop: times it stood still and read from no device.",
            "loop"),
    STALL_SECONDS("heartwheel_stall_seconds_total", Type.COUNTER, "Total time the event loop was stalled.", "loop"),
    CREDITS(
            "heartwheel_credits_total",
            Type.COUNTER,
            "Devices that stayed connected only because of the credit for stalls of the gateway."),
    CREDIT_SECONDS("heartwheel_credit_seconds", Buckets.credit(), "How far the deadlines of these devices had moved."),
    PAUSE_SECONDS(
            "heartwheel_pause_seconds_total",
            Type.COUNTER,
            "Time in which the process could not run. gc: garbage collections; steal: the host ran other machines; suspend: the machine slept; unknown: stalls of event loops beyond these.",
            "cause"),

    BREAKER_OPEN("heartwheel_breaker_open", Type.GAUGE, "1 during a mass expiry, else 0."),
    BREAKER_OPEN_SCOPES(
            "heartwheel_breaker_open_scopes",
            Type.GAUGE,
            "Subnets, listeners and event loops with a mass expiry now; all: 1 if it is everywhere.",
            "kind"),
    BREAKER_SUSPECTS(
            "heartwheel_breaker_suspects",
            Type.GAUGE,
            "Suspects now: connections whose deadline has passed and whose close is held back."),
    BREAKER_INCIDENTS("heartwheel_breaker_incidents_total", Type.COUNTER, "Mass expiries."),
    BREAKER_SUSPICIONS("heartwheel_breaker_suspicions_total", Type.COUNTER, "Connections that became suspects."),
    BREAKER_SUSPECT_OUTCOMES(
            "heartwheel_breaker_suspect_outcomes_total",
            Type.COUNTER,
            "Suspects settled. absolved: spoke again; closed: stayed silent; left: ended for another reason.",
            "outcome"),

    SHADOW_KILLS(
            "heartwheel_shadow_kills_total",
            Type.COUNTER,
            "Connections that the shadow policy would have closed.",
            "deadline"),
    SHADOW_OUTCOMES(
            "heartwheel_shadow_outcomes_total",
            Type.COUNTER,
            "Outcomes of these connections. spoke: alive, so a false kill; closed: dead, found later; left: ended for another reason, which proves nothing.",
            "deadline",
            "outcome"),
    SHADOW_SPOKE_AFTER_SECONDS(
            "heartwheel_shadow_spoke_after_seconds",
            Buckets.silence(),
            "Time from the shadow deadline to the next sign of life, for devices that were alive."),

    WHEEL_RUNNING("heartwheel_wheel_running", Type.GAUGE, "1 while the wheel's thread runs, else 0."),
    WHEEL_LAG_SECONDS(
            "heartwheel_wheel_lag_seconds",
            Buckets.delay(),
            "Age of the oldest tick not yet processed, for each turn that found entries. Under one tick when on time."),
    WHEEL_TICK_SECONDS("heartwheel_wheel_tick_seconds", Type.GAUGE, "Length of a tick."),
    WHEEL_ENTRIES(
            "heartwheel_wheel_entries",
            Type.GAUGE,
            "Entries of the wheel. registered: have a handle; armed: wait for a deadline; filed: lie in the ring.",
            "state"),
    WHEEL_ENTRIES_LIMIT("heartwheel_wheel_entries_limit", Type.GAUGE, "Maximum number of entries."),
    WHEEL_EXPIRIES("heartwheel_wheel_expiries_total", Type.COUNTER, "Entries whose deadline was reached."),
    WHEEL_MOVES(
            "heartwheel_wheel_moves_total",
            Type.COUNTER,
            "Entries filed again because their deadline had moved later."),
    WHEEL_CASCADES(
            "heartwheel_wheel_cascades_total", Type.COUNTER, "Entries moved down from a coarser level of the wheel."),
    WHEEL_DROPS("heartwheel_wheel_drops_total", Type.COUNTER, "Disarmed entries removed from the ring."),
    WHEEL_HANDOVERS(
            "heartwheel_wheel_handovers_total", Type.COUNTER, "Entries checked because an event loop had marked them."),
    WHEEL_REJECTIONS(
            "heartwheel_wheel_rejections_total", Type.COUNTER, "Registrations refused because the wheel was full."),
    WHEEL_FAILURES(
            "heartwheel_wheel_failures_total",
            Type.COUNTER,
            "Exceptions thrown by the wheel or its entries: bugs of the gateway."),

    LOOP_LAG_SECONDS(
            "heartwheel_loop_lag_seconds",
            Type.GAUGE,
            "How late the loop is at the time of reading. Measured ten times a second while the loop has work, and on each scrape; grows while the loop is stuck.",
            "loop"),
    LOOP_LAG_MAX_SECONDS("heartwheel_loop_lag_max_seconds", Type.GAUGE, "Maximum lag of the loop since start.", "loop"),
    LOOP_PENDING_TASKS("heartwheel_loop_pending_tasks", Type.GAUGE, "Tasks that wait for the loop.", "loop"),
    BUFFER_MEMORY_BYTES(
            "heartwheel_buffer_memory_bytes",
            Type.GAUGE,
            "Memory held by Netty's buffer allocator.",
            "allocator",
            "area"),

    MEMORY_USED_BYTES(
            "heartwheel_memory_used_bytes",
            Type.GAUGE,
            "Memory in use. heap: after the last collection; direct: buffers outside of the heap; process: as counted against the limit of the control group.",
            "area"),
    MEMORY_LIMIT_BYTES("heartwheel_memory_limit_bytes", Type.GAUGE, "Limit of this memory; 0: no limit.", "area"),
    MEMORY_SHORT(
            "heartwheel_memory_short",
            Type.GAUGE,
            "1 while new connections are refused because memory is short, else 0."),
    MEMORY_SHORTAGES("heartwheel_memory_shortages_total", Type.COUNTER, "Times memory became short."),
    UNFINISHED_BYTES(
            "heartwheel_unfinished_bytes", Type.GAUGE, "Memory held by incomplete frames and messages of devices."),
    ADMIN_CONNECTIONS("heartwheel_admin_connections", Type.GAUGE, "Open connections of the admin listener."),
    ADMIN_REQUESTS(
            "heartwheel_admin_requests_total",
            Type.COUNTER,
            "Requests answered by the admin listener, by class of status.",
            "status"),
    ADMIN_REFUSALS(
            "heartwheel_admin_refusals_total",
            Type.COUNTER,
            "Connections of the admin listener refused or closed because there were too many."),
    SINK_MESSAGES(
            "heartwheel_sink_messages_total",
            Type.COUNTER,
            "Messages of devices settled by the sink. lost: their senders cannot be told.",
            "outcome"),
    SINK_DROPPED_EVENTS("heartwheel_sink_dropped_events_total", Type.COUNTER, "Connection events lost by the sink."),
    SINK_WRITE_FAILURES("heartwheel_sink_write_failures_total", Type.COUNTER, "Failed writes of the sink."),
    SINK_QUEUE_EVENTS("heartwheel_sink_queue_events", Type.GAUGE, "Events that wait to be written."),
    SINK_QUEUE_LIMIT(
            "heartwheel_sink_queue_limit",
            Type.GAUGE,
            "Maximum number of waiting events; 0 for a sink without a queue."),
    SINK_WAITING_PEERS(
            "heartwheel_sink_waiting_peers",
            Type.GAUGE,
            "Devices that cannot be told of a refusal and are not read until the sink has room."),

    LOG_LINES("heartwheel_log_lines_total", Type.COUNTER, "Lines logged.", "level"),
    LOG_SUPPRESSED_LINES(
            "heartwheel_log_suppressed_lines_total",
            Type.COUNTER,
            "Lines not logged because there were too many of the same kind within a second."),
    DRAIN_PHASE("heartwheel_drain_phase", Type.GAUGE, "1 for the phase of the latest drain, else 0.", "phase"),
    DRAIN_REMAINING("heartwheel_drain_remaining", Type.GAUGE, "Devices still connected during a drain; 0 without one."),
    DRAIN_TOLD("heartwheel_drain_told_total", Type.COUNTER, "Devices that a drain sent a GOAWAY."),
    DRAIN_LEFT(
            "heartwheel_drain_left_total",
            Type.COUNTER,
            "Devices that left by themselves during a drain, or ended for unrelated reasons."),
    DRAIN_CLOSED(
            "heartwheel_drain_closed_total",
            Type.COUNTER,
            "Devices closed by a drain: plain peers at their turn, the others at the end."),

    TRACE_CONNECTIONS("heartwheel_trace_connections_total", Type.COUNTER, "Connections selected for the trace."),
    TRACE_LINES(
            "heartwheel_trace_lines_total",
            Type.COUNTER,
            "Lines of the trace. dropped: the queue was full or the write failed; beyond: the file has reached its maximum size.",
            "outcome"),
    TRACE_WRITTEN_BYTES("heartwheel_trace_written_bytes_total", Type.COUNTER, "Bytes written to the trace."),
    TRACE_WRITE_FAILURES("heartwheel_trace_write_failures_total", Type.COUNTER, "Failed writes of the trace."),
    TRACE_QUEUE_LINES("heartwheel_trace_queue_lines", Type.GAUGE, "Lines that wait to be written; 0 without a trace."),

    SUPERVISOR_FAILURES(
            "heartwheel_supervisor_failures_total",
            Type.COUNTER,
            "Messages to the service manager that could not be sent.");

    private final String fullName;
    private final Type type;
    private final String help;
    private final List<String> labels;
    private final double[] buckets;

    Metric(String fullName, Type type, String help, String... labels) {
        this.fullName = fullName;
        this.type = type;
        this.help = help;
        this.labels = List.of(labels);
        buckets = new double[0];
    }

    Metric(String fullName, double[] buckets, String help) {
        this.fullName = fullName;
        type = Type.HISTOGRAM;
        this.help = help;
        labels = List.of();
        this.buckets = buckets;
    }

    /** As it stands on the page, but for the endings of a histogram's series. */
    String fullName() {
        return fullName;
    }

    Type type() {
        return type;
    }

    String help() {
        return help;
    }

    List<String> labels() {
        return labels;
    }

    /** A counter to be told of each event; its series without labels starts at 0. */
    Counter counter(CollectorRegistry registry) {
        return Counter.build(fullName, help)
                .labelNames(labels.toArray(new String[0]))
                .withoutExemplars()
                .register(registry);
    }

    /** A counter of one label: a child for each of these values. */
    Counter.Child[] counters(CollectorRegistry registry, List<String> values) {
        Counter counter = counter(registry);
        return values.stream().map(value -> counter.labels(value)).toArray(Counter.Child[]::new);
    }

    /** A histogram to be told of each value. */
    Histogram histogram(CollectorRegistry registry) {
        return Histogram.build(fullName, help)
                .buckets(buckets)
                .withoutExemplars()
                .register(registry);
    }

    /** Upper bounds of a histogram, seconds. */
    private static final class Buckets {
        /** Of delays of ours, which should stay under a tick: 20 ms, unless configured otherwise. */
        static double[] delay() {
            return new double[] {
                0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
            };
        }

        /** Of handshakes, of which there are two for a round trip on the way and ours of 0.1 to 3 ms. */
        static double[] handshake() {
            return new double[] {0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
        }

        /** Of credit for stalls, which begin at 110 ms and are credited up to an hour. */
        static double[] credit() {
            return new double[] {0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600};
        }

        /** Of silences of devices, whose intervals go from 100 ms to 24 h. */
        static double[] silence() {
            return new double[] {
                0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 45, 60, 90, 120, 180, 300, 600, 1_800, 3_600, 14_400, 43_200,
                86_400, 129_600
            };
        }
    }
}
