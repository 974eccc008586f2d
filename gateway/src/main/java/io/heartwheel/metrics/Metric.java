package io.heartwheel.metrics;

import io.prometheus.client.Collector.Type;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;

/**
 * The catalogue: every metric of the gateway's own, declared once. Beside these the page shows those of the JVM and the process ({@code jvm_*},
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
    BUILD_INFO("heartwheel_build_info", Type.GAUGE, "Always 1; what is running.", "version", "netty", "transport"),

    RELOADS(
            "heartwheel_reloads_total",
            Type.COUNTER,
            "Times the configuration was read again; refused: it was wrong and changed nothing.",
            "outcome"),
    RELOAD_WAITING_CHANGES(
            "heartwheel_reload_waiting_changes",
            Type.GAUGE,
            "Changes of the configuration that wait for a restart, as of the last time it was read again."),

    READY("heartwheel_ready", Type.GAUGE, "1 while new devices are taken; 0 while starting and draining."),
    CONNECTIONS("heartwheel_connections", Type.GAUGE, "Connections now; handshake: not yet established.", "protocol"),
    CONNECTIONS_LIMIT("heartwheel_connections_limit", Type.GAUGE, "Connections there may be."),
    ACCEPTS("heartwheel_accepts_total", Type.COUNTER, "Connections taken from the kernel."),
    ACCEPT_PAUSES(
            "heartwheel_accept_pauses_total",
            Type.COUNTER,
            "Times a listener rested because descriptors or memory had run out."),
    REFUSALS(
            "heartwheel_refusals_total",
            Type.COUNTER,
            "Connections turned away for the gateway's own reasons before they were established.",
            "reason"),
    HANDSHAKE_FAILURES(
            "heartwheel_handshake_failures_total",
            Type.COUNTER,
            "Connections that ended for other reasons before they were established.",
            "reason"),
    PROXY_HEADERS(
            "heartwheel_proxy_headers_total",
            Type.COUNTER,
            "Connections on listeners that want a PROXY header. v1, v2: it told a source; local: a health check; unknown: it told no IP address; "
                    + "malformed: none, or a wrong one, from a trusted balancer; untrusted: from somebody else, closed unread.",
            "outcome"),
    FORWARDED_HEADERS(
            "heartwheel_forwarded_headers_total",
            Type.COUNTER,
            "WebSocket requests where balancers may write where they come from. taken: a trusted one did; absent: a trusted one did not; "
                    + "unknown: a trusted one says that it does not know, or hides it; malformed: it means nothing, refused; untrusted: somebody else did, passed over.",
            "outcome"),
    HANDSHAKES_PENDING("heartwheel_handshakes_pending", Type.GAUGE, "Connections not yet established now."),
    HANDSHAKES_PENDING_LIMIT(
            "heartwheel_handshakes_pending_limit", Type.GAUGE, "Of these there may be, all event loops together."),
    HANDSHAKES_EVICTED(
            "heartwheel_handshakes_evicted_total",
            Type.COUNTER,
            "Handshakes given up because they were the oldest and another needed the place."),
    SOURCES("heartwheel_sources", Type.GAUGE, "Sources with a connection now; 0 while source-limits is off."),
    SOURCE_REFUSALS(
            "heartwheel_source_refusals_total",
            Type.COUNTER,
            "Connections refused because their source has too many (connections) or makes them too fast (rate).",
            "limit"),
    SOURCES_UNCOUNTED(
            "heartwheel_sources_uncounted_total",
            Type.COUNTER,
            "Connections let in uncounted because more sources were connected than are tracked."),
    OPENS("heartwheel_opens_total", Type.COUNTER, "Connections established.", "protocol"),
    CLOSES(
            "heartwheel_closes_total",
            Type.COUNTER,
            "Connections ended, each once, with the one reason that decided; handshake: never established.",
            "protocol",
            "reason"),
    TAKEOVERS(
            "heartwheel_takeovers_total",
            Type.COUNTER,
            "Device ids that a newer connection took from one of this gateway."),

    TLS_HANDSHAKES(
            "heartwheel_tls_handshakes_total",
            Type.COUNTER,
            "TLS handshakes that ended well; resumed: an earlier session went on, so that no key was used.",
            "version",
            "kind"),
    TLS_FAILURES(
            "heartwheel_tls_failures_total",
            Type.COUNTER,
            "Connections whose TLS was not agreed on or broke later, by what was wrong with it.",
            "kind"),
    TLS_HANDSHAKE_SECONDS(
            "heartwheel_tls_handshake_seconds",
            Buckets.handshake(),
            "Accept to the end of a TLS handshake that ended well, the peer's part and the path's included."),
    TLS_CERTIFICATE_NOT_AFTER_SECONDS(
            "heartwheel_tls_certificate_not_after_seconds",
            Type.GAUGE,
            "When a certificate in use expires, seconds since 1970.",
            "listener",
            "certificate"),
    TLS_STAPLE_NEXT_UPDATE_SECONDS(
            "heartwheel_tls_staple_next_update_seconds",
            Type.GAUGE,
            "Until when the OCSP answer for a certificate holds, seconds since 1970; 0: there is none that will do. Only where one is asked for.",
            "listener",
            "certificate"),
    TLS_RELOADS(
            "heartwheel_tls_reloads_total",
            Type.COUNTER,
            "New certificates or TLS settings: taken, once a listener; refused: they would not do, the former stay in use.",
            "outcome"),
    TLS_TICKET_KEY_AGE_SECONDS(
            "heartwheel_tls_ticket_key_age_seconds",
            Type.GAUGE,
            "For how long the key is in use that session tickets are sealed with; 0: there is none."),

    FRAMES_RECEIVED("heartwheel_frames_received_total", Type.COUNTER, "Complete frames that came in.", "type"),
    FRAMES_SENT("heartwheel_frames_sent_total", Type.COUNTER, "Frames written.", "type"),
    RECEIVED_BYTES("heartwheel_received_bytes_total", Type.COUNTER, "Bytes read from devices, TLS taken off."),
    SENT_BYTES("heartwheel_sent_bytes_total", Type.COUNTER, "Bytes written towards devices, TLS not put on yet."),

    PROBES("heartwheel_probes_total", Type.COUNTER, "Silent devices asked for a sign of life."),
    KEEP_ALIVES("heartwheel_keep_alives_total", Type.COUNTER, "Signs of life sent unasked, to keep the path open."),
    REPRIEVES(
            "heartwheel_reprieves_total",
            Type.COUNTER,
            "Devices found due whose frames lay unread in the socket: not closed."),
    READING_PAUSES(
            "heartwheel_reading_pauses_total",
            Type.COUNTER,
            "Times the gateway stopped reading from a device that did not drain."),
    RATE_PAUSES(
            "heartwheel_rate_pauses_total",
            Type.COUNTER,
            "Times the gateway stopped reading from a device for a while because it sent faster than it may."),

    EXPIRY_LATENESS_SECONDS(
            "heartwheel_expiry_lateness_seconds",
            Buckets.delay(),
            "Close decided minus deadline, for closes that a deadline decided. Never negative; more than a tick is a delay of ours."),
    DETECTION_SECONDS(
            "heartwheel_detection_seconds",
            Buckets.silence(),
            "Close minus last sign of life (a complete frame, or a byte of one under way), for established connections closed as silent or stalled: how long a dead one was held."),
    CLOSE_SILENCE_SECONDS(
            "heartwheel_close_silence_seconds",
            Buckets.silence(),
            "Close minus last sign of life (a complete frame, or a byte of one under way), for every established connection, whatever the reason."),

    EXPIRY_OVERDUE_SECONDS(
            "heartwheel_expiry_overdue_seconds",
            Type.GAUGE,
            "For how long the oldest expiry has waited for its verdict now, or the wheel has been late: 0 while all is well."),
    EXPIRY_LATENESS_WORST_SECONDS(
            "heartwheel_expiry_lateness_worst_seconds",
            Type.GAUGE,
            "Greatest lateness of a close by deadline within the last 30 to 60 s."),

    STALLS(
            "heartwheel_stalls_total",
            Type.COUNTER,
            "Times an event loop stood still, so that it heard no peer.",
            "loop"),
    STALL_SECONDS("heartwheel_stall_seconds_total", Type.COUNTER, "For how long it stood still.", "loop"),
    CREDITS(
            "heartwheel_credits_total",
            Type.COUNTER,
            "Devices that lived on only because of the credit for our stalls."),
    CREDIT_SECONDS("heartwheel_credit_seconds", Buckets.credit(), "By how much their deadlines had moved."),
    PAUSE_SECONDS(
            "heartwheel_pause_seconds_total",
            Type.COUNTER,
            "Time in which the process could not run: gc: collections; steal: the machine's host ran others; suspend: the machine slept; "
                    + "unknown: what event loops lost beyond these.",
            "cause"),

    BREAKER_OPEN("heartwheel_breaker_open", Type.GAUGE, "1 during a mass expiry, else 0."),
    BREAKER_OPEN_SCOPES(
            "heartwheel_breaker_open_scopes",
            Type.GAUGE,
            "Where it stands out: how many subnets, listeners, loops; all: everywhere.",
            "kind"),
    BREAKER_SUSPECTS("heartwheel_breaker_suspects", Type.GAUGE, "Connections found dead and held back now."),
    BREAKER_INCIDENTS("heartwheel_breaker_incidents_total", Type.COUNTER, "Mass expiries."),
    BREAKER_SUSPICIONS("heartwheel_breaker_suspicions_total", Type.COUNTER, "Connections found dead and held back."),
    BREAKER_SUSPECT_OUTCOMES(
            "heartwheel_breaker_suspect_outcomes_total",
            Type.COUNTER,
            "What became of them: absolved: spoke after all; closed; left: ended for another reason.",
            "outcome"),

    SHADOW_KILLS(
            "heartwheel_shadow_kills_total",
            Type.COUNTER,
            "Connections that the shadow policy would have closed.",
            "deadline"),
    SHADOW_OUTCOMES(
            "heartwheel_shadow_outcomes_total",
            Type.COUNTER,
            "What became of them: spoke: alive, so a false kill; closed: dead, found later; left: nothing follows from it.",
            "deadline",
            "outcome"),
    SHADOW_SPOKE_AFTER_SECONDS(
            "heartwheel_shadow_spoke_after_seconds",
            Buckets.silence(),
            "How long after the shadow's deadline a living one spoke."),

    WHEEL_RUNNING("heartwheel_wheel_running", Type.GAUGE, "1 while the wheel's thread turns it, else 0."),
    WHEEL_LAG_SECONDS(
            "heartwheel_wheel_lag_seconds",
            Buckets.delay(),
            "Time minus oldest tick to be worked off, for each turn that met entries. Under one tick when on time."),
    WHEEL_TICK_SECONDS("heartwheel_wheel_tick_seconds", Type.GAUGE, "One step of the wheel."),
    WHEEL_ENTRIES(
            "heartwheel_wheel_entries",
            Type.GAUGE,
            "Entries now. registered: have a handle; armed: wait for a deadline; filed: lie in the ring.",
            "state"),
    WHEEL_ENTRIES_LIMIT("heartwheel_wheel_entries_limit", Type.GAUGE, "Entries the wheel has room for."),
    WHEEL_EXPIRIES("heartwheel_wheel_expiries_total", Type.COUNTER, "Entries whose deadline was reached."),
    WHEEL_MOVES(
            "heartwheel_wheel_moves_total",
            Type.COUNTER,
            "Entries met and filed again, because their deadline had moved later."),
    WHEEL_CASCADES(
            "heartwheel_wheel_cascades_total",
            Type.COUNTER,
            "Entries that came down from a coarser level of the wheel."),
    WHEEL_DROPS("heartwheel_wheel_drops_total", Type.COUNTER, "Disarmed entries met and dropped."),
    WHEEL_HANDOVERS(
            "heartwheel_wheel_handovers_total",
            Type.COUNTER,
            "Entries the wheel looked at because an event loop had marked them."),
    WHEEL_REJECTIONS(
            "heartwheel_wheel_rejections_total", Type.COUNTER, "Registrations refused because the wheel was full."),
    WHEEL_FAILURES(
            "heartwheel_wheel_failures_total",
            Type.COUNTER,
            "Errors thrown out of the wheel or its entries: faults of ours."),

    LOOP_LAG_SECONDS(
            "heartwheel_loop_lag_seconds",
            Type.GAUGE,
            "How late the loop is at the time of reading: looked at ten times a second while it has something to do, and when "
                    + "this page is read. It grows while the loop is stuck.",
            "loop"),
    LOOP_LAG_MAX_SECONDS(
            "heartwheel_loop_lag_max_seconds", Type.GAUGE, "How late the loop was at most, since start.", "loop"),
    LOOP_PENDING_TASKS("heartwheel_loop_pending_tasks", Type.GAUGE, "Tasks that wait for the loop.", "loop"),
    BUFFER_MEMORY_BYTES(
            "heartwheel_buffer_memory_bytes",
            Type.GAUGE,
            "Memory that Netty's buffer allocator holds.",
            "allocator",
            "area"),

    MEMORY_USED_BYTES(
            "heartwheel_memory_used_bytes",
            Type.GAUGE,
            "Memory held for good: heap: what a collection left; direct: buffers outside of the heap; process: against its control group's limit.",
            "area"),
    MEMORY_LIMIT_BYTES(
            "heartwheel_memory_limit_bytes",
            Type.GAUGE,
            "How much of it there may be; 0 where there is no limit.",
            "area"),
    MEMORY_SHORT("heartwheel_memory_short", Type.GAUGE, "1 while newcomers are refused for want of memory, else 0."),
    MEMORY_SHORTAGES("heartwheel_memory_shortages_total", Type.COUNTER, "Times memory became short."),
    UNFINISHED_BYTES(
            "heartwheel_unfinished_bytes",
            Type.GAUGE,
            "Memory that unfinished frames and messages of devices hold now."),
    ADMIN_CONNECTIONS("heartwheel_admin_connections", Type.GAUGE, "Connections of the admin listener now."),
    ADMIN_REQUESTS(
            "heartwheel_admin_requests_total",
            Type.COUNTER,
            "Requests of the admin listener answered, by class of status.",
            "status"),
    ADMIN_REFUSALS(
            "heartwheel_admin_refusals_total",
            Type.COUNTER,
            "Connections of the admin listener turned away or closed because there were too many."),
    SINK_MESSAGES(
            "heartwheel_sink_messages_total",
            Type.COUNTER,
            "Messages of devices settled by the sink: accepted, refused, or lost because their senders cannot be told.",
            "outcome"),
    SINK_DROPPED_EVENTS("heartwheel_sink_dropped_events_total", Type.COUNTER, "Connection events lost by the sink."),
    SINK_WRITE_FAILURES("heartwheel_sink_write_failures_total", Type.COUNTER, "Attempts of the sink that failed."),
    SINK_QUEUE_EVENTS("heartwheel_sink_queue_events", Type.GAUGE, "Events that wait to be written."),
    SINK_QUEUE_LIMIT("heartwheel_sink_queue_limit", Type.GAUGE, "Events that may wait; 0 for a sink without a queue."),
    SINK_WAITING_PEERS(
            "heartwheel_sink_waiting_peers",
            Type.GAUGE,
            "Peers that cannot be told of a refusal and are not read until the sink has room."),

    LOG_LINES("heartwheel_log_lines_total", Type.COUNTER, "Lines logged.", "level"),
    LOG_SUPPRESSED_LINES(
            "heartwheel_log_suppressed_lines_total",
            Type.COUNTER,
            "Lines left out because there were too many of their kind within a second."),
    DRAIN_PHASE("heartwheel_drain_phase", Type.GAUGE, "1 for the phase the latest drain is in, else 0.", "phase"),
    DRAIN_REMAINING("heartwheel_drain_remaining", Type.GAUGE, "Devices still here in a drain; 0 without one."),
    DRAIN_TOLD("heartwheel_drain_told_total", Type.COUNTER, "Devices that got a GOAWAY of a drain."),
    DRAIN_LEFT(
            "heartwheel_drain_left_total",
            Type.COUNTER,
            "Devices that left by themselves during a drain, or ended for reasons that have nothing to do with it."),
    DRAIN_CLOSED(
            "heartwheel_drain_closed_total",
            Type.COUNTER,
            "Devices closed by a drain: plain peers at their turn, the others when the time was over."),

    TRACE_CONNECTIONS("heartwheel_trace_connections_total", Type.COUNTER, "Connections chosen to be traced."),
    TRACE_LINES(
            "heartwheel_trace_lines_total",
            Type.COUNTER,
            "Lines of the liveness trace: written; dropped: no room in the queue, or the write failed; beyond: the file is as large as it may be.",
            "outcome"),
    TRACE_WRITTEN_BYTES("heartwheel_trace_written_bytes_total", Type.COUNTER, "Bytes of the liveness trace."),
    TRACE_WRITE_FAILURES("heartwheel_trace_write_failures_total", Type.COUNTER, "Attempts of the trace that failed."),
    TRACE_QUEUE_LINES("heartwheel_trace_queue_lines", Type.GAUGE, "Lines that wait to be written; 0 without a trace."),

    SUPERVISOR_FAILURES(
            "heartwheel_supervisor_failures_total",
            Type.COUNTER,
            "Texts for the service manager that could not be sent.");

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
