package io.heartwheel.metrics;

import io.prometheus.client.Collector.Type;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.List;
import java.util.Locale;

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
 * <p>On the page each is called after its constant: {@code CLOSES}, a counter, is {@code heartwheel_closes_total}.
 *
 * <p>Immutable; any thread.
 */
enum Metric {
    BUILD_INFO(gauge("version", "netty", "transport"), "Always 1; the labels tell what is running."),

    RELOADS(counter("outcome"), "Reloads of the configuration. refused: it was invalid and changed nothing."),
    RELOAD_WAITING_CHANGES(gauge(), "Changes that the last reload found and that need a restart."),

    READY(gauge(), "1 while the gateway accepts new devices; 0 while it starts or drains, from the notice on."),
    CONNECTIONS(gauge("protocol"), "Open connections. handshake: not yet established."),
    CONNECTIONS_LIMIT(gauge(), "Maximum number of connections."),
    ACCEPTS(counter(), "Connections accepted from the kernel."),
    ACCEPTS_SHED(
            counter(),
            "Connections closed at accept because more came than accept-limit allows, or from where they may not; not among the accepts."),
    ACCEPT_PAUSES(counter(), "Times a listener paused because descriptors or memory had run out."),
    REFUSALS(
            counter("reason"), "Connections that the gateway refused before they were established, by its own reason."),
    HANDSHAKE_FAILURES(
            counter("reason"),
            "Connections that ended for any other reason before they were established. normal: an HTTP request was answered."),
    PROXY_HEADERS(
            counter("outcome"),
            "Connections on listeners that expect a PROXY header. v1, v2: it named a source; local: a health check; unknown: it named no IP address; malformed: missing or invalid, from a trusted balancer; checksum: from one, with a wrong CRC32C; untrusted: from any other address, closed unread."),
    FORWARDED_HEADERS(
            counter("outcome"),
            "WebSocket requests on listeners that accept forwarding headers. taken: from a trusted balancer; absent: a trusted balancer sent none; unknown: a trusted balancer does not know or hides the source; malformed: invalid, request refused; untrusted: from any other address, ignored."),
    HTTP_REQUESTS(
            counter("outcome"),
            "HTTP requests on device listeners that ask for no WebSocket. ready, not_ready: health checks, answered 200 or 503; other: refused, one in a minute is logged."),
    HANDSHAKES_PENDING(gauge(), "Connections that are not yet established."),
    HANDSHAKES_PENDING_LIMIT(gauge(), "Maximum number of pending handshakes, all event loops together."),
    HANDSHAKES_EVICTED(counter(), "Pending handshakes closed, oldest first, to make room for new ones."),
    SOURCES(gauge(), "Sources with at least one connection; 0 while source-limits is off."),
    SOURCE_REFUSALS(
            counter("limit"),
            "Connections refused because their source has too many (connections) or opens them too fast (rate)."),
    SOURCES_UNCOUNTED(counter(), "Connections accepted but not counted because the table of sources was full."),
    GROUP_CONNECTIONS(gauge("group"), "Established connections of each group that connection-limits.groups names."),
    CONNECTION_LIMIT_REFUSALS(
            counter("limit"),
            "Connections refused because a group of theirs (group), or a value of one of their attributes (attribute), has as many as it may."),
    RATE_CLASSES_UNKNOWN(
            counter(),
            "Devices granted a rate class that limits.classes does not have; they have the ordinary limits."),
    OPENS(counter("protocol"), "Connections established."),
    CLOSES(
            counter("protocol", "reason"),
            "Connections closed, each once, by the reason that decided. handshake: never established."),
    TAKEOVERS(counter(), "Connections replaced by a newer one with the same device id on this gateway."),
    ID_CONFLICTS(
            gauge(), "Device ids that connections take from each other again and again, so that the newer one waits."),

    TLS_HANDSHAKES(
            counter("version", "kind"),
            "Successful TLS handshakes. resumed: continued an earlier session, without the private key."),
    TLS_FAILURES(
            counter("kind"), "Connections whose TLS handshake failed or whose TLS broke later, by kind of failure."),
    TLS_HANDSHAKE_SECONDS(
            handshake(),
            "Time from accept to the end of a successful TLS handshake, including the network and the peer."),
    TLS_CERTIFICATE_NOT_AFTER_SECONDS(
            gauge("listener", "certificate"), "When a certificate in use expires, seconds since 1970."),
    TLS_STAPLE_NEXT_UPDATE_SECONDS(
            gauge("listener", "certificate"),
            "Until when the OCSP response for a certificate is valid, seconds since 1970; 0: no valid response. Only for certificates with stapling."),
    TLS_RELOADS(
            counter("outcome"),
            "Reloads of certificates or TLS settings. taken: once a listener; refused: they were invalid, the previous ones stay in use."),
    TLS_TICKET_KEY_AGE_SECONDS(gauge(), "Age of the key that encrypts session tickets; 0: there is none."),

    AUTH_RESULTS(
            counter("method", "result"),
            "Devices that asked to come in or to stay, by the method that decided (none: no method did). result: admitted, or the cause; none is counted with auth.mode = none."),
    AUTH_SECONDS(
            handshake(), "Time from the question whether a device may come in to the answer, all methods together."),
    AUTH_CALL_SECONDS(
            call(),
            "Time that a method of authentication held the thread that asked it, which is often an event loop."),
    AUTH_PENDING(gauge(), "Devices that wait for an answer of a method of authentication."),
    AUTH_FAILURES_LIMITED(
            counter(), "Devices that no method was asked about because their source had failed too often."),
    AUTH_FILE_PROBLEMS(gauge(), "Mistakes in files of methods of authentication; what was read before stays in use."),
    AUTH_KEYS(gauge(), "Public keys in force for signed tokens; 0 without any, or when they have become too old."),
    AUTH_KEYS_AGE_SECONDS(gauge(), "Time since the public keys for signed tokens were read or fetched; 0: never."),
    AUTH_KEY_FETCHES(counter("result"), "Fetches of public keys from auth.jwt.keys-url. result: ok or failed."),
    AUTH_HTTP_CALLS(
            counter("result"),
            "Calls of the service of auth.http that have ended. ok: with a decision; failed: without, an outage."),
    AUTH_HTTP_CALLS_PENDING(
            gauge("state"), "Calls of the service of auth.http that are under way, or wait for one of them to end."),
    AUTH_HTTP_BREAKER_OPEN(
            gauge(), "1 while the service of auth.http is left alone after failures, or one call tries it again."),
    AUTH_HTTP_CACHE(
            counter("result"),
            "Devices that were looked for among the kept answers of auth.http. hit: no call was needed; miss: nothing fresh was kept; stale: admitted in an outage by an answer from before."),
    AUTH_HTTP_ADMITTED_UNASKED(counter(), "Devices admitted without any answer, with auth.http.on-outage = admit."),

    FRAMES_RECEIVED(counter("type"), "Complete frames received."),
    FRAMES_SENT(counter("type"), "Frames written."),
    RECEIVED_BYTES(counter(), "Bytes read from devices, after TLS decryption."),
    SENT_BYTES(counter(), "Bytes written to devices, before TLS encryption."),

    PROBES(counter(), "Probes sent to silent devices."),
    KEEP_ALIVES(counter(), "Keep-alives sent by the gateway to keep the path open, and pings of heartbeat.ping-every."),
    REPRIEVES(counter(), "Expired devices not closed because unread data was waiting in the socket."),
    READING_PAUSES(counter(), "Times the gateway stopped reading from a device that did not read its own data."),
    RATE_PAUSES(
            counter(),
            "Times the gateway stopped reading from a device for a while because it exceeded its rate limit."),

    EXPIRY_LATENESS_SECONDS(
            delay(),
            "Time from a deadline to the decision to close, for closes by deadline. Never negative; more than a tick is a delay of the gateway."),
    DETECTION_SECONDS(
            silence(),
            "Time from the last sign of life (a complete frame, or a byte of one under way) to the close, for established connections closed as silent or stalled: how long dead connections were held."),
    CLOSE_SILENCE_SECONDS(
            silence(),
            "Time from the last sign of life (a complete frame, or a byte of one under way) to the close, for every established connection, whatever the reason."),

    EXPIRY_OVERDUE_SECONDS(
            gauge(),
            "How long the oldest expiry has been waiting for its verdict, or how late the wheel is; 0 when nothing waits."),
    EXPIRY_LATENESS_WORST_SECONDS(gauge(), "Maximum lateness of a close by deadline within the last 30 to 60 s."),

    STALLS(counter("loop"), "Stalls of an event loop: times it stood still and read from no device."),
    STALL_SECONDS(counter("loop"), "Total time the event loop was stalled."),
    CREDITS(counter(), "Devices that stayed connected only because of the credit for stalls of the gateway."),
    CREDIT_SECONDS(credit(), "How far the deadlines of these devices had moved."),
    PAUSE_SECONDS(
            counter("cause"),
            "Time in which the process could not run. gc: garbage collections; steal: the host ran other machines; suspend: the machine slept; unknown: stalls of event loops beyond these."),

    BREAKER_OPEN(gauge(), "1 during a mass expiry, else 0."),
    BREAKER_OPEN_SCOPES(
            gauge("kind"), "Subnets, listeners and event loops with a mass expiry now; all: 1 if it is everywhere."),
    BREAKER_SUSPECTS(gauge(), "Suspects now: connections whose deadline has passed and whose close is held back."),
    BREAKER_INCIDENTS(counter(), "Mass expiries."),
    BREAKER_SUSPICIONS(counter(), "Connections that became suspects."),
    BREAKER_SUSPECT_OUTCOMES(
            counter("outcome"),
            "Suspects settled. absolved: spoke again; closed: stayed silent; left: ended for another reason."),

    SHADOW_KILLS(counter("deadline"), "Connections that the shadow policy would have closed."),
    SHADOW_OUTCOMES(
            counter("deadline", "outcome"),
            "Outcomes of these connections. spoke: alive, so a false kill; closed: dead, found later; left: ended for another reason, which proves nothing."),
    SHADOW_SPOKE_AFTER_SECONDS(
            silence(), "Time from the shadow deadline to the next sign of life, for devices that were alive."),

    THREAD_STILL_SECONDS(
            gauge("thread"),
            "Time for which a thread has had something to do and done nothing of it; 30 and more if it has ended. At 40 the process ends."),
    WHEEL_RUNNING(gauge(), "1 while the wheel's thread runs, else 0."),
    WHEEL_LAG_SECONDS(
            delay(),
            "Age of the oldest tick not yet processed, for each turn that found entries. Under one tick when on time."),
    WHEEL_TICK_SECONDS(gauge(), "Length of a tick."),
    WHEEL_ENTRIES(
            gauge("state"),
            "Entries of the wheel. registered: have a handle; armed: wait for a deadline; filed: lie in the ring."),
    WHEEL_ENTRIES_LIMIT(gauge(), "Maximum number of entries."),
    WHEEL_EXPIRIES(counter(), "Entries whose deadline was reached."),
    WHEEL_MOVES(counter(), "Entries filed again because their deadline had moved later."),
    WHEEL_CASCADES(counter(), "Entries moved down from a coarser level of the wheel."),
    WHEEL_DROPS(counter(), "Disarmed entries removed from the ring."),
    WHEEL_HANDOVERS(counter(), "Entries checked because an event loop had marked them."),
    WHEEL_REJECTIONS(counter(), "Registrations refused because the wheel was full."),
    WHEEL_FAILURES(counter(), "Exceptions thrown by the wheel or its entries: bugs of the gateway."),

    LOOP_LAG_SECONDS(
            gauge("loop"),
            "How late the loop is at the time of reading. Measured ten times a second while the loop has work, and on each scrape; grows while the loop is stuck."),
    LOOP_LAG_MAX_SECONDS(gauge("loop"), "Maximum lag of the loop since start."),
    LOOP_PENDING_TASKS(gauge("loop"), "Tasks that wait for the loop."),
    BUFFER_MEMORY_BYTES(gauge("allocator", "area"), "Memory held by Netty's buffer allocator."),

    MEMORY_USED_BYTES(
            gauge("area"),
            "Memory in use. heap: after the last collection; direct: buffers outside of the heap; process: as counted against the limit of the control group."),
    MEMORY_LIMIT_BYTES(gauge("area"), "Limit of this memory; 0: no limit."),
    MEMORY_SHORT(gauge(), "1 while new connections are refused because memory is short, else 0."),
    MEMORY_SHORTAGES(counter(), "Times memory became short."),
    UNFINISHED_BYTES(gauge(), "Memory held by incomplete frames and messages of devices."),
    ADMIN_CONNECTIONS(gauge(), "Open connections of the admin listener."),
    ADMIN_REQUESTS(counter("status"), "Requests answered by the admin listener, by class of status."),
    ADMIN_REFUSALS(counter(), "Connections of the admin listener refused or closed because there were too many."),
    SINK_MESSAGES(counter("outcome"), "Messages of devices settled by the sink. lost: their senders cannot be told."),
    SINK_DROPPED_EVENTS(counter(), "Connection events lost by the sink."),
    SINK_WRITE_FAILURES(counter(), "Failed writes of the sink."),
    SINK_QUEUE_EVENTS(gauge(), "Events that wait to be written."),
    SINK_QUEUE_LIMIT(gauge(), "Maximum number of waiting events; 0 for a sink without a queue."),
    SINK_WAITING_PEERS(gauge(), "Devices that are not read until the sink has room for their message."),
    JOURNAL_EVENTS(counter(), "Events committed to the journal since it was made."),
    JOURNAL_BYTES(gauge(), "Bytes on the disk of the events that the journal keeps."),
    JOURNAL_LIMIT_BYTES(gauge(), "Maximum number of bytes that the journal may keep."),
    JOURNAL_SEGMENTS(gauge(), "Files of events that the journal keeps."),
    JOURNAL_OLDEST_AGE_SECONDS(gauge(), "Age of the oldest event that the journal keeps; 0: there is none."),
    JOURNAL_KEEPER_LAG_EVENTS(gauge(), "Events that the journal's view of present devices does not show yet."),
    JOURNAL_FAILED_COMMITS(counter(), "Commits of the journal that could not be written or forced to the disk."),
    JOURNAL_DAMAGED_EVENTS(counter(), "Events of the journal that cannot be read, each found once since the start."),
    JOURNAL_COMMIT_SECONDS(
            histogram(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1),
            "Time that a commit of the journal took, the disk included."),

    PRESENCE_SNAPSHOTS(
            counter("outcome"), "Snapshots of all devices. abandoned: begun anew because events were lost meanwhile."),
    PRESENCE_LOST_DEVICES(
            counter(), "Devices reported with gateway_lost because they did not come back after a crash."),

    PUSH_RESULTS(
            counter("outcome"),
            "Messages to devices by what became of them, in the words of the answers over HTTP. A stored one is queued first, and has its end besides."),
    PUSH_WAITING(gauge(), "Messages in memory that wait for an acknowledgement, or for their turn."),
    PUSH_WAITING_BYTES(gauge(), "Memory taken by messages that wait, 512 bytes and the payload each."),
    PUSH_WAITING_LIMIT_BYTES(gauge(), "Maximum memory that messages that wait may take."),
    PUSH_RESENDS(counter(), "Messages sent again, over a new connection or because the device did not want them yet."),
    PUSH_STRAY_ACKS(counter(), "ACKs of devices for which no message waited: repeated, too late or of an unknown id."),
    PUSH_STORED(gauge(), "Messages on the disk."),
    PUSH_STORED_BYTES(gauge(), "Room taken by what is kept on the disk, 512 bytes and the payload each."),
    PUSH_STORED_LIMIT_BYTES(gauge(), "Maximum room that what is kept on the disk may take."),
    PUSH_DAMAGED(counter(), "Messages that were damaged on the disk: not delivered, or not removed."),
    PUSH_KEYS(gauge(), "Idempotency-Keys held."),
    PUSH_KEYS_BYTES(gauge(), "Memory taken by Idempotency-Keys and their results."),
    JOBS_RUNNING(gauge(), "Messages to groups or to all that are under way."),
    GROUP_MEMBERS(gauge(), "Members of groups that the API made, each counted once for each of its groups."),
    PUSH_REPEATS(counter(), "Requests that got the result of an earlier one with the same Idempotency-Key."),

    SCHEDULES(gauge(), "Schedules that have times to come."),
    SCHEDULE_RUNS(
            counter("result"),
            "Runs of schedules that have ended. sent, delivered, queued, started: as was asked for; offline, expired, refused: the device did not take it; failed: not stored or not read; skipped: missed and passed over."),

    OUTLET_DELIVERED_EVENTS(
            counter("outlet"),
            "Events delivered to the receiver of an outlet, or to its dead letters; repeats count again."),
    OUTLET_FAILURES(counter("outlet"), "Failed attempts of an outlet to deliver."),
    OUTLET_OVERSIZED_EVENTS(
            counter("outlet"), "Events that are larger than the receiver of an outlet takes, delivered as gaps."),
    OUTLET_LAG_EVENTS(gauge("outlet"), "Records of the journal that an outlet has not passed yet."),
    OUTLET_OLDEST_AGE_SECONDS(
            gauge("outlet"), "Age of the oldest event that an outlet has not delivered; 0: none waits."),
    OUTLET_STATE(
            gauge("outlet", "state"),
            "1 for the state of an outlet, else 0. retrying: its receiver fails and is tried again; paused: by an operator or the receiver."),

    CLUSTER_REACHABLE(gauge(), "1 while NATS can be asked, else 0. Only with cluster.enabled, as those below."),
    CLUSTER_CLAIMS(
            counter("outcome"),
            "Device ids claimed in the fleet. granted: the row was written; local, refused: NATS was not to be had, cluster.on-outage decided; superseded: a newer connection came first; conflict: it has to wait, since connections at two nodes take the id from each other."),
    CLUSTER_CLAIMS_PENDING(gauge(), "Claims that wait for NATS."),
    CLUSTER_KICKS(
            counter("outcome"),
            "Takeovers told to the node that held the device. answered: it knows; no_node: it is gone; lost: it did not answer, its sweep finds out; received: told to this node."),
    CLUSTER_SWEEP_ROWS(
            counter("outcome"),
            "Rows of own devices looked at. kept: as they should be; reasserted: written again; renewed: told as lost, and as connected again; taken: another node has the device, the connection was closed; failed: not read, or changed meanwhile."),
    CLUSTER_RELEASES(
            counter("outcome"),
            "Device ids given back. dropped: NATS was not to be had, the row stays until the device comes again."),
    CLUSTER_CALLS(
            counter("outcome"),
            "Requests of the API carried to other gateways. answered: there; absent: the device was not there any more; busy: refused there; unsupported: of an earlier release; too_large: for max_payload of NATS, or its answer; no_node: it is gone; lost: no answer in time."),
    CLUSTER_SERVED(
            counter("outcome"),
            "Requests of the API that came in at other gateways. answered: here; absent: the device is not here; busy: too much is under way."),
    CLUSTER_GIVEN(
            counter("outcome"),
            "Messages kept here that were offered to the gateway that has their device. taken: kept there; left: not this one, it stays here; refused: by a limit, without messages.directory, or no answer, tried again."),
    CLUSTER_SCHEDULES(
            counter("outcome"),
            "Schedules that another gateway runs than before. taken: this one, which the hash names, or as the other is gone; left: given back by this one when it ended."),
    CLUSTER_NODES(gauge(), "Gateways of the fleet that this one has heard of in the last 3 s, this one among them."),
    CLUSTER_NODES_DOWN(counter(), "Other gateways that this one has told as lost; of each one gateway does."),
    CLUSTER_LOST_DEVICES(
            counter("outcome"),
            "Device ids that lost gateways held. released: given back by this one, which told it; skipped: the device has come back; failed: NATS did not answer, tried again."),

    LOG_LINES(counter("level"), "Lines logged."),
    LOG_SUPPRESSED_LINES(counter(), "Lines not logged because there were too many of the same kind within a second."),
    DRAIN_PHASE(gauge("phase"), "1 for the phase of the latest drain, else 0."),
    DRAIN_REMAINING(gauge(), "Devices still connected during a drain, in one of a share those of it; 0 without one."),
    DRAIN_TOLD(counter(), "Devices that a drain sent a GOAWAY."),
    DRAIN_LEFT(counter(), "Devices that left by themselves during a drain, or ended for unrelated reasons."),
    DRAIN_CLOSED(counter(), "Devices closed by a drain: plain peers at their turn, the others at the end."),

    TRACE_CONNECTIONS(counter(), "Connections selected for the trace."),
    TRACE_LINES(
            counter("outcome"),
            "Lines of the trace. dropped: the queue was full or the write failed; beyond: the file has reached its maximum size."),
    TRACE_WRITTEN_BYTES(counter(), "Bytes written to the trace."),
    TRACE_WRITE_FAILURES(counter(), "Failed writes of the trace."),
    TRACE_QUEUE_LINES(gauge(), "Lines that wait to be written; 0 without a trace."),

    SUPERVISOR_FAILURES(counter(), "Messages to the service manager that could not be sent.");

    /** The kind of a metric, the names of its labels, and a histogram's upper bounds, seconds. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record Form(Type type, List<String> labels, double[] buckets) {}

    private final String fullName;
    private final String help;
    private final Form form;

    Metric(Form form, String help) {
        this.form = form;
        this.help = help;
        fullName = "heartwheel_" + name().toLowerCase(Locale.ROOT) + (form.type == Type.COUNTER ? "_total" : "");
    }

    private static Form gauge(String... labels) {
        return new Form(Type.GAUGE, List.of(labels), new double[0]);
    }

    private static Form counter(String... labels) {
        return new Form(Type.COUNTER, List.of(labels), new double[0]);
    }

    private static Form histogram(double... buckets) {
        return new Form(Type.HISTOGRAM, List.of(), buckets);
    }

    /** Of delays of ours, which should stay under a tick: 20 ms, unless configured otherwise. */
    private static Form delay() {
        return histogram(
                0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10);
    }

    /** Of handshakes, of which there are two for a round trip on the way and ours of 0.1 to 3 ms. */
    private static Form handshake() {
        return histogram(0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10);
    }

    /** Of what is done on an event loop, where a millisecond is long. */
    private static Form call() {
        return histogram(0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.1, 1);
    }

    /** Of credit for stalls, which begin at 110 ms and are credited up to an hour. */
    private static Form credit() {
        return histogram(0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600);
    }

    /** Of silences of devices, whose intervals go from 100 ms to 24 h. */
    private static Form silence() {
        return histogram(
                0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 45, 60, 90, 120, 180, 300, 600, 1_800, 3_600, 14_400, 43_200,
                86_400, 129_600);
    }

    /** As it stands on the page, but for the endings of a histogram's series. */
    String fullName() {
        return fullName;
    }

    Type type() {
        return form.type;
    }

    String help() {
        return help;
    }

    List<String> labels() {
        return form.labels;
    }

    /** A counter to be told of each event; its series without labels starts at 0. */
    Counter counter(CollectorRegistry registry) {
        return Counter.build(fullName, help)
                .labelNames(form.labels.toArray(new String[0]))
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
                .buckets(form.buckets)
                .withoutExemplars()
                .register(registry);
    }
}
