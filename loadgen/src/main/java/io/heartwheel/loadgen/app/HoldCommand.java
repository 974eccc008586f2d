package io.heartwheel.loadgen.app;

import com.typesafe.config.ConfigFactory;
import io.heartwheel.loadgen.fleet.Worker;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Scenario;
import io.heartwheel.loadgen.scenario.ScenarioReader;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that holds connections, idle or beating, so that memory and CPU of a server can be measured. Judges nothing. */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        description = {
            "Connects clients, prints 'HOLDING n' and keeps them until a line (or the end) comes on standard input or the"
                    + " duration is over. Exit status 0 when all were connected and stayed, 4 when nobody listens, else 1.",
            "raw and raw-ws send bytes of yours, so that any server can be measured: --hello, --hello-reply, --ping,"
                    + " --ping-reply."
        })
final class HoldCommand implements Callable<Integer> {

    private static final long LOOK_MILLIS = 100;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Option(
            names = "--target",
            required = true,
            paramLabel = "KIND=HOST:PORT",
            description = "tcp=, ws=, plain=, raw= or raw-ws=.")
    private String target = "";

    @Option(names = "--clients", description = "Connections (default ${DEFAULT-VALUE}).")
    private int clients = 1_000;

    @Option(names = "--rate", description = "Connects a second (default ${DEFAULT-VALUE}).")
    private double rate = 2_000;

    @Option(names = "--duration", description = "Seconds to hold; 0, the default: until a line on standard input.")
    private double duration;

    @Option(names = "--interval", description = "Heartbeat interval to ask for, milliseconds (default: a day).")
    private long interval = 86_400_000;

    @Option(
            names = "--beat",
            paramLabel = "MS",
            description = "Each client sends a heartbeat so often, whatever was granted; 0: only to keep its promise.")
    private long beat;

    @Option(names = "--path", description = "WebSocket path (default ${DEFAULT-VALUE}).")
    private String path = "/ws";

    @Option(names = "--token", description = "Token the devices show.")
    private String token = "";

    @Option(names = "--hello", paramLabel = "HEX", description = "raw: bytes said first.")
    private String hello = "";

    @Option(
            names = "--hello-reply",
            paramLabel = "N",
            description = "raw: bytes of its answer (raw-ws: 1 for a message).")
    private int helloReply;

    @Option(names = "--ping", paramLabel = "HEX", description = "raw: a heartbeat (raw-ws: empty for native pings).")
    private String ping = "";

    @Option(
            names = "--ping-reply",
            paramLabel = "N",
            description = "raw: bytes of its answer (raw-ws: 1 for a message).")
    private int pingReply;

    @Option(
            names = "--source",
            paramLabel = "RANGE",
            description = "Addresses to come from, for example 127.9.0.1-127.9.0.4; another range for each process that"
                    + " shares a target.")
    private String sources = "";

    @Option(names = "--loops", description = "Event loops; 0: half the processors.")
    private int loops;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Scenario scenario = scenario();
        NobodyListensException.check(scenario.targets()).ifPresent(out::println);
        WorkerPlan workerPlan = WorkerPlan.here(scenario);
        if (!workerPlan.fits() || workerPlan.workers() > 1) {
            workerPlan.lines().forEach(out::println);
            throw new IllegalArgumentException(
                    "clients = " + clients + ": more than one process can hold here; see run, or the remedy above");
        }
        CountDownLatch released = new CountDownLatch(1);
        if (duration <= 0) {
            releaseOnInput(released);
        }
        try (Worker worker = workerPlan.start(scenario)) {
            worker.begin();
            Ledger start = rampUp(worker, scenario);
            out.printf("HOLDING %d%n", held(start));
            out.flush();
            long began = System.nanoTime();
            if (duration > 0) {
                TimeUnit.MILLISECONDS.sleep(Math.round(duration * 1_000));
            } else {
                released.await();
            }
            return end(worker, scenario, start, (System.nanoTime() - began) / 1e9, out);
        }
    }

    private static long held(Ledger ledger) {
        return ledger.of(Count.OPENED) - ledger.of(Count.ENDED);
    }

    private static Ledger snapshot(Worker worker) {
        Ledger ledger = new Ledger();
        worker.snapshot().ledger().addTo(ledger);
        return ledger;
    }

    private Ledger rampUp(Worker worker, Scenario scenario) throws InterruptedException {
        long until = System.nanoTime() + scenario.rampPatienceNanos();
        Ledger ledger = snapshot(worker);
        while (ledger.of(Count.ARRIVED) < clients && System.nanoTime() - until < 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            ledger = snapshot(worker);
        }
        return ledger;
    }

    private Scenario scenario() {
        long millis = beat > 0 ? Math.max(interval, 2 * beat) : interval;
        Map<String, Object> block = RunCommand.block(target, path);
        if (target.startsWith("raw")) {
            block.put(
                    "script", Map.of("hello", hello, "hello-reply", helloReply, "ping", ping, "ping-reply", pingReply));
        }
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("clients", clients);
        keys.put("ramp.rate", rate);
        keys.put("duration", "1d");
        keys.put("heartbeat.interval", millis + "ms");
        keys.put("heartbeat.share", 0.5);
        keys.put("heartbeat.period", beat + "ms");
        keys.put("heartbeat.step", beat > 0 ? "1ms" : "20ms");
        keys.put("token", token);
        keys.put("id-prefix", "hold-" + ProcessHandle.current().pid() + "-");
        keys.put("loops", loops);
        keys.put("sources", sources);
        keys.put("targets", List.of(block));
        return ScenarioReader.read(ConfigFactory.parseMap(keys, "command line"), "hold");
    }

    private int end(Worker worker, Scenario scenario, Ledger start, double seconds, PrintWriter out)
            throws InterruptedException {
        Ledger end = snapshot(worker);
        long sent = end.of(Count.BEATS_SENT) - start.of(Count.BEATS_SENT);
        out.printf(
                Locale.ROOT,
                "HELD %d for %.1f s; %d refused, %d not made by this machine, %d lost; %d beats sent, %d answered (%.0f/s); round trip p99 %.2f ms%n",
                held(end),
                seconds,
                end.of(Count.REFUSED),
                end.of(Count.OWN_FAILURES),
                end.of(Count.ENDED),
                sent,
                end.of(Count.BEATS_ANSWERED) - start.of(Count.BEATS_ANSWERED),
                sent / seconds,
                end.of(Timing.ROUND_TRIP).summary().p99Nanos() / 1e6);
        out.flush();
        Coordinator.sayGoodbye(worker, scenario);
        return end.of(Count.OPENED) == clients && end.of(Count.ENDED) == 0 ? 0 : 1;
    }

    /** Lets go at the first line or at the end of standard input; a daemon thread waits for it. */
    private static void releaseOnInput(CountDownLatch released) {
        new DefaultThreadFactory("release", true)
                .newThread(() -> {
                    try {
                        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
                    } catch (IOException e) {
                        // An input that breaks has ended.
                    }
                    released.countDown();
                })
                .start();
    }
}
