package io.heartwheel.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grant;
import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.directory.MemoryGateway;
import io.heartwheel.history.EvidenceSettings;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.history.ShadowLedger;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.outlet.Outlets;
import io.heartwheel.presence.PresenceSettings;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.TestDatabase;
import io.heartwheel.push.group.GroupMembers;
import io.heartwheel.push.group.JobSettings;
import io.heartwheel.push.group.Jobs;
import io.heartwheel.push.schedule.MemoryRows;
import io.heartwheel.push.schedule.RunResult;
import io.heartwheel.push.schedule.ScheduleLimits;
import io.heartwheel.push.schedule.Schedules;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.FakeSession;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.VirtualGateway;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.tls.TlsListeners;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.heartwheel.wheel.TimingWheel;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An admin server on a free loopback port, over a gateway without sockets whose time the test sets. */
final class AdminFixture implements AutoCloseable {
    static final int MAX_PAYLOAD = 1_000;
    static final int MAX_BODY = 2_048;
    /** A name that callers may use beside those of loopback. */
    static final List<String> HOSTS = List.of("gw");

    /** What watched devices leave behind. */
    final RecentCloses closes = new RecentCloses(EvidenceSettings.DEFAULTS);

    final FakeDrains drains = new FakeDrains();
    final Outlets outlets;
    /** Its part in a fleet; null: it is alone. */
    final @Nullable MemoryGateway part;

    final RecentIncidents incidents = new RecentIncidents();
    final ShadowLedger shadow = new ShadowLedger(() -> 1_700_000_000_000L);
    private static final ObjectMapper JSON = new ObjectMapper();

    final VirtualGateway gateway = new VirtualGateway(1_000_000_000L, LivenessSettings.defaults());
    final Snapshots snapshots = new Snapshots(
            gateway.registry,
            gateway.sessionContext.sink(),
            PresenceSettings.DEFAULTS,
            gateway::now,
            () -> 1_700_000_000_000L);
    /** Whose messages it sends. */
    final Pushes pushes;

    final GroupMembers members = new GroupMembers(gateway.registry, null, 50);
    /** Whose steps are taken by a thread of their own. */
    private final ExecutorService jobsThread = Executors.newSingleThreadExecutor();
    /** In a fleet they are taken by the test. */
    final Queue<Runnable> jobsTasks = new ArrayDeque<>();
    /** To devices of the whole fleet; null: it is alone. */
    final @Nullable FleetPushes anywhere;

    final GroupPorts groups;
    /** Of devices. */
    private final SessionContext loop;

    final Schedules schedules = schedules();
    private final Diagnostics diagnostics;
    final TlsListeners secured =
            new TlsListeners(TlsUpkeepSettings.DEFAULTS, Runnable::run, System::nanoTime, System::currentTimeMillis);
    final AdminServer server;
    volatile List<String> notAlive = List.of();
    volatile List<String> notReady = List.of();
    volatile ReloadReport reload = ReloadReport.applied(List.of(), List.of());

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private long lastSession;

    AdminFixture() {
        this(16);
    }

    AdminFixture(int maxConnections) {
        this(settings("127.0.0.1:0", maxConnections, null, null));
    }

    AdminFixture(AdminSettings settings) {
        this(settings, Outlets.NONE, null);
    }

    /** With outlets. */
    AdminFixture(Outlets outlets) {
        this(settings("127.0.0.1:0", 16, null, null), outlets, null);
    }

    /** With a policy that is tried. */
    AdminFixture(LivenessSettings tried) {
        this(settings("127.0.0.1:0", 16, null, null), Outlets.NONE, tried);
    }

    /** Messages to devices that are away are kept. */
    static AdminFixture storing() {
        return new AdminFixture(
                settings("127.0.0.1:0", 16, null, null), Outlets.NONE, null, TestDatabase.ready()::pushes, null);
    }

    /** One of several gateways, whose devices it answers for, and which keeps messages. */
    static AdminFixture inFleet(MemoryFleet fleet, String name) {
        return inFleet(fleet, name, TestDatabase.ready());
    }

    /** The same with this disk. */
    static AdminFixture inFleet(MemoryFleet fleet, String name, TestDatabase disk) {
        return new AdminFixture(
                settings("127.0.0.1:0", 16, null, null),
                Outlets.NONE,
                null,
                disk::pushes,
                gateway -> new MemoryGateway(
                        fleet, name, gateway.registry, OnOutage.LOCAL, gateway.sessionContext.sink()));
    }

    private AdminFixture(AdminSettings settings, Outlets outlets, @Nullable LivenessSettings tried) {
        this(settings, outlets, tried, gateway -> gateway.pushes, null);
    }

    private AdminFixture(
            AdminSettings settings,
            Outlets outlets,
            @Nullable LivenessSettings tried,
            Function<VirtualGateway, Pushes> pushes,
            @Nullable Function<VirtualGateway, MemoryGateway> joining) {
        this.outlets = outlets;
        part = joining == null ? null : joining.apply(gateway);
        this.pushes = pushes.apply(gateway);
        SessionContext alone = FakeSession.sendingBy(this.pushes.on(this::onLoop), gateway.sessionContext);
        loop = part == null ? alone : FakeSession.claimingFrom(part.directory, alone);
        Jobs jobs = new Jobs(
                members,
                gateway.registry,
                this.pushes,
                gateway.timers,
                part == null ? jobsThread : jobsTasks::add,
                gateway::now,
                () -> part == null ? VirtualGateway.WALL_MILLIS : gateway.wallMicros / 1_000,
                new JobSettings(3, Duration.ofHours(1), 50));
        anywhere = part == null ? null : FleetApi.pushes(part.fleet, gateway.registry, this.pushes, gateway::now);
        groups = new GroupPorts(
                members,
                jobs,
                () -> Duration.ofDays(7),
                part == null ? null : new FleetJobs(part.fleet, jobs, anywhere, new FleetMembers(part.fleet, members)));
        Diagnostics.Shadow view =
                tried == null ? null : new Diagnostics.Shadow(tried, LivenessSettings.defaults(), shadow);
        diagnostics = new Diagnostics(closes, gateway.breaker, incidents, () -> view);
        try {
            if (part != null) {
                part.fleet.serve(new FleetApi(ports()));
                MessageMoves.begin(ports());
            }
            server = AdminServer.start(settings, ports(), secured);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * An admin listener, and a monitors' beside it.
     *
     * @param tokens file of them; null: none
     * @param tls null: in the clear
     * @param scopes of callers with a certificate
     */
    static AdminSettings settings(
            String bind, int maxConnections, @Nullable Path tokens, @Nullable TlsSettings tls, Scope... scopes) {
        return new AdminSettings(
                true,
                BindAddress.parse(bind),
                MAX_BODY,
                maxConnections,
                HOSTS,
                tokens,
                tls,
                Set.of(scopes),
                new AdminSettings.Monitor(true, new BindAddress("127.0.0.1", 0), 16, tls));
    }

    /** In memory, and none of them ever due. */
    static Schedules schedules() {
        Object oneAtATime = new Object();
        Schedules schedules = new Schedules(
                new TimingWheel(20_000_000, 64, 1 << 17, 0),
                () -> 0,
                () -> 1_780_000_000_000L,
                new MemoryRows(),
                (spec, id, payload) -> CompletableFuture.completedFuture(RunResult.SENT),
                task -> {
                    synchronized (oneAtATime) {
                        task.run();
                    }
                },
                new AtomicLong(),
                ScheduleLimits.DEFAULTS);
        schedules.start().join();
        return schedules;
    }

    AdminPorts ports() {
        return new AdminPorts(
                gateway.registry,
                new GatewayMetrics("0.1.0", "epoll"),
                () -> notAlive,
                () -> notReady,
                this::info,
                diagnostics,
                drains,
                snapshots,
                pushes,
                groups,
                schedules,
                outlets,
                () -> MAX_PAYLOAD,
                () -> reload,
                gateway::now,
                part == null ? null : part.fleet);
    }

    private GatewayInfo info() {
        GatewayInfo.Proxy proxy = new GatewayInfo.Proxy(List.of("10.0.0.0/8", "fd00::1"));
        GatewayInfo.Forwarded forwarded = new GatewayInfo.Forwarded("forwarded", List.of("10.0.0.2"));
        return new GatewayInfo(
                "0.1.0",
                86_400_000,
                "epoll",
                2,
                notReady.isEmpty(),
                List.of(
                        new GatewayInfo.Listener("tcp", "heartwheel", false, "0.0.0.0:7070", proxy, null),
                        new GatewayInfo.Listener("websocket", "websocket", true, "[::]:7080", null, forwarded)),
                new GatewayInfo.Connections((int) gateway.registry.size(), 1_000_000, gateway.registry.size()));
    }

    /** As on the loop of devices: at once, and nothing else meanwhile. */
    synchronized void onLoop(Runnable task) {
        task.run();
    }

    /** A device that is there. */
    FakeSession device(String id) {
        return device(id, "heartwheel", Runnable::run);
    }

    FakeSession device(String id, String protocol, Executor executor) {
        lastSession++;
        return new FakeSession(
                        FakeSession.watchedBy(closes, loop), protocol, "192.0.2.7:" + (40_000 + lastSession), executor)
                .accept(lastSession)
                .hello(id, "acme-fw/2.1");
    }

    /** A device through another listener, which is granted a group and an attribute. */
    FakeSession member(String id, String group) {
        Grant grant = new Grant(0, 0, "", List.of(group), Map.of("tenant", "acme"));
        Authenticator grants = new Authenticator() {
            @Override
            public String name() {
                return "grants";
            }

            @Override
            public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
                answer.accept(new AuthResult.Admitted(grant, AuthResult.Admitted.NEVER));
            }
        };
        lastSession++;
        return new FakeSession(loop.through(1, "websocket", loop.policy(), new AuthPolicy(grants, cause -> false, 0)))
                .accept(lastSession)
                .hello(id, "");
    }

    /** Somebody claims to be this device and has not the token. */
    void refuse(String id) {
        VirtualGateway strict = new VirtualGateway(gateway.now(), LivenessSettings.defaults(), FakeSession.NOBODY);
        lastSession++;
        new FakeSession(FakeSession.watchedBy(closes, strict.sessionContext))
                .accept(lastSession)
                .hello(id, "acme-fw/2.1");
    }

    HttpResponse<String> get(String target) throws Exception {
        return send(request(target).GET());
    }

    HttpResponse<String> call(String method, String target) throws Exception {
        return send(request(target).method(method, HttpRequest.BodyPublishers.noBody()));
    }

    HttpResponse<String> post(String target, String contentType, byte[] body) throws Exception {
        return send(
                request(target).header("Content-Type", contentType).POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + target))
                .timeout(Duration.ofSeconds(20));
    }

    /** What comes back, which the document of the API must allow. */
    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        HttpRequest asked = request.build();
        HttpResponse<String> response = client.send(asked, HttpResponse.BodyHandlers.ofString());
        String query = asked.uri().getRawQuery();
        AnswerSchemas.ofThisGateway()
                .check(
                        asked.method(),
                        asked.uri().getRawPath() + (query == null ? "" : "?" + query),
                        response.statusCode(),
                        response.headers().firstValue("content-type").orElse(""),
                        response.body());
        return response;
    }

    int port() {
        return server.address().getPort();
    }

    /** What a GET is answered. */
    JsonNode told(String target) throws Exception {
        return json(get(target));
    }

    int status(String method, String target) throws Exception {
        return call(method, target).statusCode();
    }

    static String text(JsonNode told, String field) {
        return told.path(field).asText();
    }

    static JsonNode json(HttpResponse<String> response) throws IOException {
        return JSON.readTree(response.body());
    }

    static String errorCode(HttpResponse<String> response) throws IOException {
        return json(response).path("code").asText();
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends bytes as they are and returns all that comes back until the server closes. */
    String raw(String bytes) throws IOException {
        return raw(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    String raw(byte[] bytes) throws IOException {
        try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            out.flush();
            return readAll(socket);
        }
    }

    static String readAll(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        server.close();
        jobsThread.shutdownNow();
        secured.close();
    }
}
