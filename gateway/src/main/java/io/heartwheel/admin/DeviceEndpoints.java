package io.heartwheel.admin;

import io.heartwheel.auth.Grant;
import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.event.CloseReason;
import io.heartwheel.liveness.ConnectionState;
import io.heartwheel.net.HttpError;
import io.heartwheel.protocol.DeviceIds;
import io.heartwheel.protocol.ProtocolViolation;
import io.heartwheel.protocol.frame.FrameType;
import io.heartwheel.session.Session;
import io.heartwheel.session.SessionCall;
import io.heartwheel.session.SessionRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/** Endpoints of devices. Any thread; a connection is acted on on its own loop ({@link SessionCall}). */
final class DeviceEndpoints {
    /** Sessions that one request for a page looks at, however few of them are wanted. */
    static final int MOST_LOOKED_AT = 100_000;

    /** The id in the path. */
    static final Parameter<String> DEVICE_ID = Parameter.bytes(
            "device_id",
            1,
            DeviceIds.MAX_DEVICE_ID_BYTES,
            DeviceEndpoints::isDeviceId,
            "a device's own name, percent-encoded",
            "sensor-42",
            "a b/c");

    private static final Parameter<String> PREFIX = Parameter.bytes(
            "prefix", 1, DeviceIds.MAX_DEVICE_ID_BYTES, id -> true, "only ids that begin with it", "sensor-");
    private static final Parameter<String> LISTENER = Parameter.text(
            "listener", "[a-z0-9-]{1,32}", "a name of 1..32 characters of [a-z0-9-]", "only through this one", "tcp");
    private static final Parameter<String> GROUP = Parameter.text(
            "group",
            "[A-Za-z0-9._:-]{1," + Grant.LONGEST_NAME + "}",
            "a name of 1.." + Grant.LONGEST_NAME + " characters of [A-Za-z0-9._:-]",
            "only of this group",
            "site-7");
    private static final Parameter<String> PROTOCOL = Parameter.choice(
            "protocol",
            List.of("heartwheel", "heartwheel.v1", "heartwheel.json.v1", "plain"),
            "only those that speak it");
    private static final Parameter<ConnectionState> STATE = Parameter.choice(
                    "state",
                    List.of(label(ConnectionState.ESTABLISHED), label(ConnectionState.LEAVING)),
                    "only in this state; leaving: told to go, and not gone yet")
            .as(label -> ConnectionState.valueOf(label.toUpperCase(Locale.ROOT)));
    private static final Parameter<String> REASON = Parameter.bytes(
            "reason", 0, FrameType.MAX_CLOSE_TEXT_BYTES, DeviceEndpoints::isOneLine, "the text in CLOSE", "moved");
    /** Which connection of which device. */
    static final String IDENTITY = "device:text session:id epoch:id ";
    /** The form of {@link #view}. */
    private static final Schema DEVICE = device();

    private static final String OFFLINE = "offline: not connected, in a fleet to none of its gateways";
    private static final String OUTCOME = "outcome";
    private static final String NOT_CONNECTED = "the device is not connected";

    /** The device's loop is stuck: what becomes of it nobody can say. */
    static final Response UNKNOWN = refused(504, Reach.UNKNOWN, "the device's loop has not answered in time");

    private final AdminPorts ports;

    DeviceEndpoints(AdminPorts ports) {
        this.ports = ports;
    }

    List<Route> routes() {
        return List.of(
                Route.get(
                                "/v1/devices",
                                "Devices, page by page. A page may be short, or empty, and not the last: it is while next is null"
                                        + " that there is no more.",
                                this::list)
                        .takes(
                                PREFIX,
                                LISTENER,
                                GROUP,
                                PROTOCOL,
                                STATE,
                                FleetDevices.CLUSTER,
                                Parameter.LIMIT,
                                FleetDevices.CURSOR)
                        .answers(
                                200,
                                "a page; with cluster = true those of `node`, and which gateways are missing",
                                Schema.page("devices", DEVICE, FleetDevices.CURSOR, FleetDevices.FIELDS))
                        .refuses(404, FleetEndpoints.NO_CLUSTER)
                        .refuses(503, FleetEndpoints.NO_NATS),
                Route.get("/v1/devices/{device_id}", "One device.", this::show)
                        .reaches(Reach.LOOK)
                        .answers(200, "connected", DEVICE)
                        .refuses(404, OFFLINE)
                        .refuses(503, Reach.NOT_REACHED)
                        .refuses(504, "unknown: it is just let in, and its loop did not answer", outcome("unknown")),
                Route.delete("/v1/devices/{device_id}", "Closes its connection with 4007 admin_closed.", this::close)
                        .takes(REASON)
                        .reaches(Reach.CHANGE)
                        .answers(204, new Route.Answer("closed", List.of(), null))
                        .refuses(404, OFFLINE)
                        .refuses(503, Reach.NOT_REACHED)
                        .refuses(
                                504,
                                "unknown: its loop, or the gateway that has it, did not answer",
                                outcome(Reach.UNKNOWN)));
    }

    private static Schema device() {
        return Schema.object(
                        IDENTITY
                                + "listener:text protocol:text remote:text via?:text client:text groups?:text[] attributes?:text{}"
                                + " interval_ms:count connected_for_ms:count last_frame_in_ms_ago:count",
                        Schema.field("state", STATE.schema()))
                .named("Device");
    }

    /** A refusal that says what became of the request too. */
    static Schema outcome(String word) {
        return Schema.problem(Schema.field(OUTCOME, Schema.oneOf(word)));
    }

    private static Response refused(int status, String outcome, String detail) {
        return Response.error(status, outcome, detail, Map.of(OUTCOME, outcome));
    }

    // ------------------------------------------------------------------ looking

    CompletionStage<Response> list(Request call) {
        if (!Parameter.flag(FleetDevices.CLUSTER, call)) {
            return listHere(call);
        }
        Fleet fleet = ports.fleet();
        return fleet == null ? FleetEndpoints.alone().now() : new FleetDevices(fleet, this::listHere).page(call);
    }

    private CompletionStage<Response> listHere(Request call) {
        SessionRegistry registry = ports.registry();
        Long after = Parameter.CURSOR.in(call).orElse(null);
        if (after != null && !registry.isCursor(after)) {
            throw Parameter.CURSOR.mistake(HexFormat.of().toHexDigits(after));
        }
        SessionRegistry.Page page = registry.page(after, Parameter.limit(call), MOST_LOOKED_AT, wanted(call));
        long nowNanos = ports.nanoClock().getAsLong();
        List<Map<String, Object>> devices =
                page.sessions().stream().map(session -> view(session, nowNanos)).toList();
        return Response.page("devices", devices, page.next()).now();
    }

    /** Those that are established and pass every filter. */
    private static Predicate<Session> wanted(Request call) {
        List<Predicate<Session>> all = new ArrayList<>();
        all.add(Session::isEstablished);
        STATE.in(call).ifPresent(state -> all.add(session -> session.state() == state));
        LISTENER.in(call)
                .ifPresent(name -> all.add(session -> listenerOf(session).equals(name)));
        PROTOCOL.in(call)
                .ifPresent(name -> all.add(session -> session.protocolName().equals(name)));
        PREFIX.in(call).ifPresent(prefix -> {
            byte[] begin = prefix.getBytes(StandardCharsets.UTF_8);
            all.add(session -> begins(session.deviceIdBytes(), begin));
        });
        GROUP.in(call)
                .ifPresent(name -> all.add(session -> grantOf(session).groups().contains(name)));
        return session -> all.stream().allMatch(filter -> filter.test(session));
    }

    private static boolean begins(byte[] id, byte[] prefix) {
        return id.length >= prefix.length && Arrays.equals(id, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static String listenerOf(Session session) {
        return session.sessionContext().place().listenerName();
    }

    private static Grant grantOf(Session session) {
        Grant grant = session.grant();
        return grant == null ? Grant.NONE : grant;
    }

    CompletionStage<Response> show(Request call) {
        String deviceId = deviceId(call);
        Session session = ports.registry().serving(deviceId);
        return session != null && session.isEstablished()
                ? shown(session).now()
                : send(deviceId, offline(), this::shown); // it may just be let in
    }

    private Response shown(Session session) {
        return Response.json(view(session, ports.nanoClock().getAsLong()));
    }

    /** A device's connection, at one moment. */
    private static Map<String, Object> view(Session session, long nowNanos) {
        Map<String, Object> view = new LinkedHashMap<>();
        putIdentity(session, view);
        view.put("listener", listenerOf(session));
        view.put("protocol", session.protocolName());
        view.put("remote", session.remote());
        if (!session.via().isEmpty()) {
            view.put("via", session.via());
        }
        view.put("client", session.clientName());
        Grant grant = grantOf(session);
        if (!grant.groups().isEmpty()) {
            view.put("groups", grant.groups());
        }
        if (!grant.attributes().isEmpty()) {
            view.put("attributes", grant.attributes());
        }
        boolean stays =
                session.state() == ConnectionState.ESTABLISHED; // else it leaves, or is closed at this very moment
        view.put("state", label(stays ? ConnectionState.ESTABLISHED : ConnectionState.LEAVING));
        view.put("interval_ms", session.intervalMillis());
        view.put("connected_for_ms", millisBetween(session.openedNanos(), nowNanos));
        view.put("last_frame_in_ms_ago", millisBetween(session.lastFrameInNanos(), nowNanos));
        return view;
    }

    private static String label(ConnectionState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    private static void putIdentity(Session session, Map<String, Object> view) {
        view.put("device", session.deviceId());
        view.put("session", session.sessionId());
        view.put("epoch", session.epoch());
    }

    /** A frame may come in after now was read. */
    private static long millisBetween(long thenNanos, long nowNanos) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - thenNanos));
    }

    // ------------------------------------------------------------------ acting

    CompletionStage<Response> close(Request call) {
        String text = REASON.in(call).orElse("closed by the operator");
        return send(deviceId(call), offline(), session -> {
            session.closeSoon(CloseReason.ADMIN_CLOSED, text);
            return Response.noContent();
        });
    }

    private CompletionStage<Response> send(String deviceId, Response offline, Function<Session, Response> act) {
        return new SessionCall<>(ports.registry(), deviceId, act, offline)
                .go()
                .completeOnTimeout(UNKNOWN, SessionCall.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * The second segment of the path.
     *
     * @throws HttpError if no device can have that id
     */
    static String deviceId(Request call) {
        return DEVICE_ID.value(call.segment(2));
    }

    private static boolean isDeviceId(String id) {
        ByteBuf bytes = Unpooled.wrappedBuffer(id.getBytes(StandardCharsets.UTF_8));
        try {
            return DeviceIds.deviceId(bytes, 0, bytes.readableBytes()).length > 0;
        } catch (ProtocolViolation violation) {
            return false;
        }
    }

    private static boolean isOneLine(String text) {
        return text.chars().noneMatch(Character::isISOControl);
    }

    private static Response offline() {
        return Response.error(404, "offline", NOT_CONNECTED);
    }
}
