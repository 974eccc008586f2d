package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Real faults against the real process, with thousands of devices that report what happened to them. In each of them two numbers must be zero: live devices closed
 * for silence, and silent devices that were not closed in time. Alone, because others would be disturbed, and would disturb.
 */
@Isolated
class FaultsIT {
    private static final int LIVE = 3_000;
    /** Of the live ones, those that say nothing unasked. */
    private static final int ANSWERING = 200;

    private static final int SILENT = 80;
    private static final int FROZEN = 1_500;
    private static final Duration FREEZE = Duration.ofSeconds(5);
    private static final Duration CLIENT_FREEZE = Duration.ofSeconds(10);
    private static final Duration COLLECTING = Duration.ofSeconds(8);
    private static final Duration FLOOD = Duration.ofSeconds(4);
    private static final int FLOOD_BYTES = 64 << 10;
    private static final int BALLAST_MILLIONS = 12;

    @TempDir
    private Path scratch;

    /**
     * The promise: the peers' clocks stand still while we stand still. Longer than any device may be silent, and nobody who beat or answers is closed;
     * those who fell silent get all the time they had, and no more.
     */
    @Test
    void stop_ofTheWholeGateway_killsNoLiveOneAndMissesNoSilentOne() throws Exception {
        try (GatewayProcess gateway = FaultTrial.setup().start();
                FaultTrial trial = new FaultTrial(gateway, LIVE, ANSWERING, SILENT)) {
            trial.fallSilent();
            Stall stall = FaultTrial.freeze(gateway, FREEZE);
            trial.judge("gateway stopped", Contract.with(stall));
        }
    }

    /**
     * The promise: a stall is a loop's own. The devices of a loop that stands lose nothing, and those of the other are served, and closed on time,
     * as if nothing were.
     */
    @Test
    void stop_ofOneLoop_leavesTheOtherItsDeadlines() throws Exception {
        try (GatewayProcess gateway = FaultTrial.setup().jvm(LoopFreezer.AGENT).start();
                FaultTrial trial = new FaultTrial(gateway, LIVE, 0, SILENT);
                LoopFreezer loops = new LoopFreezer(gateway)) {
            assertEquals(2, loops.loops());
            trial.fallSilent();
            Stall stall = loops.freeze(0, FREEZE);
            List<DeviceReport> reports = trial.herd().reports();
            long served = reports.stream()
                    .filter(device -> !device.silent())
                    .filter(device -> device.lastHeardNanos() - stall.endingNanos() > -2L * FREEZE.toNanos() / 5)
                    .count();
            assertTrue(served > LIVE / 4 && served < LIVE * 3 / 4, served + " were served while one loop stood");
            // who was closed while it stood cannot have been on it
            Map<Boolean, List<DeviceReport>> whileItStood = trial.awaitTheEnd(Contract.with(stall)).stream()
                    .collect(Collectors.partitioningBy(
                            device -> !device.isOpen() && device.endedNanos() - stall.endingNanos() < 0));
            FaultTrial.verdict("on the loop that went on", whileItStood.get(true), Contract.with(), 0);
            FaultTrial.verdict("the loop stopped, and all live", whileItStood.get(false), Contract.with(stall), LIVE);
            long onTime = whileItStood.get(true).size();
            assertTrue(onTime >= SILENT / 4 && onTime <= SILENT * 3 / 4, onTime + " closed while one loop stood");
        }
    }

    /** The promise: who is gone is closed on time, also when it is very many at once and nothing holds that back; their neighbours notice nothing. */
    @Tag("timed")
    @Test
    void stop_ofTheClients_closesThemOnTimeAndNobodyElse() throws Exception {
        try (GatewayProcess gateway =
                        FaultTrial.setup().set("breaker.enabled", "false").start();
                FaultTrial trial = new FaultTrial(gateway, LIVE, 0, 0);
                HerdProcess frozen = new HerdProcess(Herd.Settings.of(gateway.tcp(), "frozen"))) {
            frozen.connect(FROZEN);
            List<DeviceReport> before = frozen.reports();
            try (Freeze freeze = new Freeze(frozen.pid())) {
                CloseCount.watch(gateway, FROZEN, CLIENT_FREEZE).requireKept(before, freeze.begunNanos());
                freeze.end();
            }
            Await.until(
                    () -> "the frozen ones know",
                    Await.LONG,
                    () -> frozen.count().live() == 0);
            Judgement theirs = Judgement.of(frozen.reports(), Contract.with());
            assertEquals(0, theirs.falseKills() + theirs.lost(), theirs::toString);
            assertEquals(FROZEN, theirs.brokenPromises(), theirs::toString);
            trial.judge("clients stopped, their neighbours", Contract.with());
        }
    }

    /** The promise: a collector that stops the world again and again costs no live device its connection. */
    @Tag("timed")
    @Test
    void collections_fullAndForced_killNoLiveOne() throws Exception {
        try (GatewayProcess gateway = FaultTrial.setup()
                        .jvm("-Xmx768m", Ballast.agent(scratch, BALLAST_MILLIONS))
                        .start();
                FaultTrial trial = new FaultTrial(gateway, LIVE, ANSWERING, SILENT)) {
            trial.fallSilent();
            long beganNanos = System.nanoTime();
            int collections = 0;
            while (System.nanoTime() - beganNanos < COLLECTING.toNanos()) {
                gateway.collectGarbage();
                collections++;
            }
            Stall stall = new Stall(beganNanos, beganNanos, System.nanoTime(), System.nanoTime());
            trial.judge(collections + " full collections", Contract.with(stall.perhaps()));
        }
    }

    /** The promise: one device that floods takes nobody's life: what neighbours sent is read before they are judged. */
    @Tag("timed")
    @Test
    void flood_onOneConnection_killsNoNeighbour() throws Exception {
        try (GatewayProcess gateway =
                        FaultTrial.setup().set("transport.event-loops", "1").start();
                FaultTrial trial = new FaultTrial(gateway, LIVE, 0, SILENT)) {
            trial.fallSilent();
            long pings = flood(gateway, WireFrame.encode(WireFrame.PING, 0, new byte[100]));
            long datas = flood(gateway, WireFrame.data(1, 0, new byte[60]));
            assertTrue(pings > 1 << 20 && datas > 1 << 20, pings + " and " + datas + " bytes are no flood");
            trial.judge("flooded by " + ((pings + datas) >> 20) + " MiB", Contract.with());
        }
    }

    /**
     * As much of this frame as the socket takes, while another thread reads what comes back.
     *
     * @return bytes sent
     */
    private static long flood(GatewayProcess gateway, byte[] frame) throws Exception {
        byte[] many = new byte[FLOOD_BYTES / frame.length * frame.length];
        for (int i = 0; i < many.length; i += frame.length) {
            System.arraycopy(frame, 0, many, i, frame.length);
        }
        AtomicLong sent = new AtomicLong();
        AtomicBoolean over = new AtomicBoolean();
        try (WireClient flooder = WireClient.hello(gateway.tcp(), "flooder-" + frame[0])) {
            Socket socket = flooder.socket();
            List<CompletableFuture<Void>> both = new ArrayList<>();
            both.add(CompletableFuture.runAsync(() -> readAll(socket)));
            both.add(CompletableFuture.runAsync(() -> {
                try {
                    OutputStream out = socket.getOutputStream();
                    while (!over.get()) {
                        out.write(many);
                        sent.addAndGet(many.length);
                    }
                } catch (IOException closedOnUs) {
                    // the count tells
                }
            }));
            TimeUnit.NANOSECONDS.sleep(FLOOD.toNanos());
            over.set(true);
            both.get(1).get(Await.LONG.toSeconds(), TimeUnit.SECONDS);
        }
        return sent.get();
    }

    private static void readAll(Socket socket) {
        try {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException ended) {
            // with the socket
        }
    }
}
