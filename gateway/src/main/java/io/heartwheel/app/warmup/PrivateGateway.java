package io.heartwheel.app.warmup;

import io.heartwheel.auth.AuthChain;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.event.EventSink;
import io.heartwheel.history.RecentCloses;
import io.heartwheel.history.RecentIncidents;
import io.heartwheel.liveness.Breaker;
import io.heartwheel.liveness.BreakerSettings;
import io.heartwheel.liveness.ExpiryQueue;
import io.heartwheel.liveness.LivenessPolicy;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.liveness.Location;
import io.heartwheel.liveness.LoopTasks;
import io.heartwheel.liveness.ShadowPolicy;
import io.heartwheel.liveness.Stalls;
import io.heartwheel.liveness.ThreadSupervisor;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.protocol.websocket.WebSocketSettings;
import io.heartwheel.push.Pushes;
import io.heartwheel.session.AuthPolicy;
import io.heartwheel.session.ConnectionQuotas;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.SessionContext;
import io.heartwheel.session.SessionObserver;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.sink.RefusalEvents;
import io.heartwheel.sink.SinkFactory;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.transport.AdmissionSettings;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.ConnectionPolicy;
import io.heartwheel.transport.DeviceTransport;
import io.heartwheel.transport.IoEngine;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.transport.MemoryGuard;
import io.heartwheel.transport.TransportSettings;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import io.heartwheel.wheel.TimerObserver;
import io.heartwheel.wheel.Timers;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelSettings;
import io.heartwheel.wheel.WheelThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Gateway that only devices of the warm-up can use: the same classes as the real one from the socket to the close, with loops, wheel, registry, metrics and
 * history of its own. Nothing of it is seen outside: it has no log, no sink, no admin listener, no files and no pushes.
 *
 * <p>It listens on free ports of loopback, for the accepting is to be compiled too, and lets in who shows a token that was just drawn. Whoever else finds the
 * port is refused, like by any gateway.
 *
 * <p>One thread makes and closes it.
 */
final class PrivateGateway implements AutoCloseable {
    static final String PATH = "/ws";
    /** What a device is granted that asks for the least: it is closed so soon after it fell silent, with half of it more. */
    static final Duration LEAST_INTERVAL = Duration.ofMillis(20);

    private static final Duration TICK = Duration.ofMillis(5);
    private static final int MOST_CONNECTIONS = 4_096;
    private static final long MOST_END_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** What was being closed in slices is closed then. */
    private static final int ROUNDS_TO_END = 4;

    private final SessionRegistry registry = new SessionRegistry(System::nanoTime, PrivateGateway::wallMicros, 0);
    private final GatewayMetrics metrics;
    private final SessionObserver observer;
    private final EventSink sink;
    private final TimingWheel wheel;
    private final WheelThread wheelThread;
    private final Pushes pushes;
    private final Breaker breaker;
    private final DeviceTransport transport;

    /** @param token what lets a device in */
    PrivateGateway(GatewaySettings settings, byte[] token) throws IOException {
        IoEngine engine = IoEngine.choose(settings.transport().kind());
        metrics = new GatewayMetrics("", engine.label());
        sink = SinkFactory.create(
                noSink(settings.sink()), metrics.sink(), null, "", new ThreadSupervisor((thread, why) -> {}, () -> {}));
        observer = SessionObserver.all(List.of(
                metrics, new RecentCloses(settings.evidence()), new RecentIncidents(), new RefusalEvents(sink, 0)));
        wheel = new TimingWheel(
                new WheelSettings(TICK, settings.wheel().buckets(), MOST_CONNECTIONS * 2), System.nanoTime(), metrics);
        wheelThread = new WheelThread(wheel, System::nanoTime, settings.wheel().slice());
        Timers timers =
                new Timers(wheel, System::nanoTime, Timers.ON_WHEEL_THREAD, Integer.MAX_VALUE, TimerObserver.NONE);
        pushes = new Pushes(registry, timers, System::nanoTime, PrivateGateway::wallMicros, settings.messages(), null);
        TransportSettings carried = oneLoop(settings.transport());
        breaker = new Breaker(
                neverTrips(settings.breaker()),
                wheel,
                carried.loopCount(),
                System::nanoTime,
                System::currentTimeMillis,
                observer,
                this::onALoop);
        ConnectionQuotas quotas = new ConnectionQuotas(
                settings.admission().quotas(), settings.protocol().limits());
        ConnectionPolicy policy = policy(settings, token);
        transport = new DeviceTransport(
                engine,
                carried,
                new TlsUpkeepSettings(
                        new TlsUpkeepSettings.Tickets(
                                settings.tls().tickets().enabled(),
                                null,
                                settings.tls().tickets().rotation()),
                        settings.tls().watch()),
                new AdmissionSettings(MOST_CONNECTIONS),
                new MemoryGuard(settings.memory()),
                policy,
                null,
                (index, loop) -> contextOf(settings, index, loop, policy, quotas));
        try {
            wheelThread.start();
        } catch (Throwable none) {
            transport.close();
            throw none;
        }
    }

    private static SinkSettings noSink(SinkSettings sink) {
        return new SinkSettings(SinkKind.NONE, sink.file(), sink.queue(), sink.instance(), sink.journal());
    }

    private static TransportSettings oneLoop(TransportSettings real) {
        return new TransportSettings(
                real.kind(),
                1,
                real.receiveBufferBytes(),
                MOST_CONNECTIONS,
                real.writeLowWatermarkBytes(),
                real.writeHighWatermarkBytes(),
                real.acceptPause());
    }

    private static BreakerSettings neverTrips(BreakerSettings real) {
        return new BreakerSettings(
                real.enabled(), real.window(), 1, 1, Integer.MAX_VALUE, real.patience(), real.closeRate());
    }

    private ConnectionPolicy policy(GatewaySettings settings, byte[] token) {
        LivenessSettings usual = LivenessSettings.defaults();
        LivenessSettings.Heartbeat beat = usual.heartbeat();
        LivenessSettings liveness = new LivenessSettings(
                usual.handshake(),
                new LivenessSettings.Heartbeat(
                        true,
                        beat.interval(),
                        LEAST_INTERVAL,
                        beat.max(),
                        beat.grace(),
                        true,
                        beat.probeMargin(),
                        null),
                usual.readProgress(),
                usual.readerIdle(),
                usual.writerIdle(),
                usual.writeProgress(),
                usual.age(),
                usual.configured());
        AuthSettings real = settings.auth();
        AuthSettings auth = new AuthSettings(
                AuthSettings.Mode.SHARED_TOKEN,
                token,
                List.of(),
                real.refused(),
                real.warnBefore(),
                real.failures(),
                real.workers(),
                real.watch());
        WebSocketSettings webSocket = settings.webSocket();
        return new ConnectionPolicy(
                new LivenessPolicy(liveness, settings.protocol().limits()),
                new AuthPolicy(
                        new AuthChain(auth, List.of(), metrics.auth(), System::nanoTime),
                        auth::closesLater,
                        auth.warnBefore().toNanos()),
                settings.protocol(),
                new WebSocketSettings(
                        PATH, null, List.of(), List.of(), webSocket.maxRequestBytes(), webSocket.compression(), null));
    }

    private SessionContext contextOf(
            GatewaySettings settings, int index, LoopTasks loop, ConnectionPolicy policy, ConnectionQuotas quotas) {
        Stalls stalls = new Stalls(index, settings.stalls(), System.nanoTime(), observer);
        return new SessionContext(
                wheel,
                policy.policy(),
                new ShadowPolicy(null),
                registry,
                policy.auth(),
                quotas,
                sink,
                observer,
                new LoopStats(),
                new ExpiryQueue(loop, System::nanoTime, observer, stalls, breaker),
                stalls,
                breaker,
                pushes.on(loop::execute),
                new Location(index, 0, ""),
                System::nanoTime,
                System::currentTimeMillis);
    }

    private void onALoop(Runnable task) {
        transport.loops().execute(task);
    }

    /**
     * Listens like this one, on a free port of loopback.
     *
     * @throws IOException if that is not to be had, or its certificate cannot be used
     */
    InetSocketAddress listen(ListenerSettings like) throws IOException {
        return transport.listenUnseen(new ListenerSettings(
                like.name(),
                new BindAddress("127.0.0.1", 0),
                like.protocol(),
                MOST_CONNECTIONS,
                false,
                withoutClientCertificates(like.tls()),
                null));
    }

    private static @Nullable TlsSettings withoutClientCertificates(@Nullable TlsSettings tls) {
        return tls == null
                ? null
                : new TlsSettings(
                        tls.provider(),
                        tls.certificates(),
                        tls.oldest(),
                        tls.ciphers(),
                        TlsSettings.ClientAuth.NONE,
                        null);
    }

    /** What it counted. */
    GatewayMetrics metrics() {
        return metrics;
    }

    /** Who is in. */
    SessionRegistry registry() {
        return registry;
    }

    /** Waits, bounded, until those who left are gone and nothing is due, since a loop that ends amid that warns of it; then ends its threads. */
    @Override
    public void close() {
        wheelThread.close();
        transport.stopListening();
        long untilNanos = System.nanoTime() + MOST_END_NANOS;
        while ((transport.loops().waitingToBeTakenIn() > 0
                        || transport.admission().open() > 0)
                && System.nanoTime() - untilNanos < 0) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        for (int i = 0; i < ROUNDS_TO_END; i++) {
            CountDownLatch round = new CountDownLatch(1);
            onALoop(round::countDown);
            awaitUntil(untilNanos, round);
        }
        transport.close();
    }

    private static void awaitUntil(long untilNanos, CountDownLatch round) {
        try {
            boolean passed = round.await(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            assert passed || System.nanoTime() - untilNanos >= 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static long wallMicros() {
        return System.currentTimeMillis() * 1_000;
    }
}
