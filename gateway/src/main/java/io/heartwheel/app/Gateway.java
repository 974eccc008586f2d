package io.heartwheel.app;

import io.heartwheel.backend.SinkFactory;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.event.EventSink;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.session.AuthSettings;
import io.heartwheel.session.Credentials;
import io.heartwheel.session.ExpiryInbox;
import io.heartwheel.session.LivenessPolicy;
import io.heartwheel.session.LoopScope;
import io.heartwheel.session.LoopStats;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.transport.DeviceLoops;
import io.heartwheel.transport.DeviceTransport;
import io.heartwheel.transport.IoEngine;
import io.heartwheel.transport.ListenerSettings;
import io.heartwheel.wheel.TimingWheel;
import io.heartwheel.wheel.WheelThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway as a whole: wires the floors, starts them from the bottom up and ends them from the top down.
 *
 * <pre>
 *   wheel thread -- expiries --&gt; device loops -- events --&gt; sink
 *                                     ^
 *   listeners -- accepted channels ---+         admin: metrics, health, devices
 * </pre>
 *
 * Start on one thread; {@link #shutdown} and {@link #awaitTermination} from any.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    private final GatewaySettings settings;
    private final SessionRegistry registry = new SessionRegistry(Gateway::wallMicros);
    private final GatewayMetrics metrics;
    private final EventSink sink;
    private final WheelThread wheelThread;
    private final DeviceTransport transport;
    private final Map<String, InetSocketAddress> ports = new LinkedHashMap<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Gateway(GatewaySettings settings) throws IOException {
        this.settings = settings;
        IoEngine engine = IoEngine.choose(settings.transport().kind());
        metrics = new GatewayMetrics(Versions.own(), engine.label());
        sink = SinkFactory.create(settings.sink(), metrics);
        TimingWheel wheel = new TimingWheel(settings.wheel(), System.nanoTime(), metrics);
        wheelThread = new WheelThread(wheel, System::nanoTime, settings.wheel().slice());
        LivenessPolicy policy = new LivenessPolicy(settings.liveness());
        Credentials credentials = credentials(settings.auth());
        transport = new DeviceTransport(
                engine,
                settings.transport(),
                settings.protocol(),
                settings.webSocket(),
                (index, loop) -> new LoopScope(
                        wheel,
                        policy,
                        registry,
                        credentials,
                        sink,
                        metrics,
                        new LoopStats(),
                        new ExpiryInbox(loop, System::nanoTime, metrics),
                        System::nanoTime,
                        System::currentTimeMillis));
        watch(wheel);
    }

    private void watch(TimingWheel wheel) {
        DeviceLoops loops = transport.loops();
        metrics.watchWheel(wheel, wheelThread::isRunning);
        metrics.watchLoops(loops.scopes().stream().map(LoopScope::stats).toList(), loops::pendingTasks);
        metrics.watchAdmission(transport.admission());
    }

    /** Starts a gateway. When it returns, every listener is open. @throws IOException naming what cannot be used; nothing is left running then */
    public static Gateway start(GatewaySettings settings) throws IOException {
        Gateway gateway = new Gateway(settings);
        try {
            gateway.open();
            return gateway;
        } catch (IOException | RuntimeException failed) {
            gateway.close();
            throw failed;
        }
    }

    private void open() throws IOException {
        wheelThread.start();
        LOG.info(
                "transport {}, {} event loops, wheel tick {} ms",
                transport.engine().label(),
                transport.loops().scopes().size(),
                settings.wheel().tick().toMillis());
        for (ListenerSettings listener : settings.listeners()) {
            ports.put(listener.name(), transport.listen(listener));
        }
        writePorts();
        LOG.info("ready");
    }

    private void writePorts() throws IOException {
        Path file = settings.portsFile();
        if (file == null) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        ports.forEach((name, address) -> lines.append(name)
                .append('=')
                .append(address.getAddress().getHostAddress())
                .append(':')
                .append(address.getPort())
                .append('\n'));
        Path whole = file.resolveSibling(file.getFileName() + ".part");
        Files.writeString(whole, lines, StandardCharsets.UTF_8);
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The bound addresses by listener name. */
    public Map<String, InetSocketAddress> ports() {
        return Map.copyOf(ports);
    }

    /** Begins the orderly end on a thread of its own, once: no new devices, GOAWAY, drain, CLOSE. Any thread. */
    public void shutdown() {
        if (ending.compareAndSet(false, true)) {
            new Thread(this::drainAndClose, "shutdown").start();
        }
    }

    private void drainAndClose() {
        try {
            transport.stopListening();
            new DrainSequence(registry, settings.drain()).run();
        } finally {
            close();
        }
    }

    private void close() {
        transport.close();
        wheelThread.close();
        try {
            sink.close();
        } catch (IOException failed) {
            LOG.warn("the sink did not close: {}", failed.getMessage());
        }
        ended.countDown();
    }

    /** Waits for the end of an orderly shutdown. */
    public void awaitTermination() throws InterruptedException {
        ended.await();
    }

    private static Credentials credentials(AuthSettings auth) {
        return switch (auth.mode()) {
            case NONE -> Credentials.ANYBODY;
            case SHARED_TOKEN -> Credentials.sharedToken(auth.token());
        };
    }

    private static long wallMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
