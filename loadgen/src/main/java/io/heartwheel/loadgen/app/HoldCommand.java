package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.client.Habits;
import io.heartwheel.loadgen.client.Script;
import io.heartwheel.loadgen.fleet.Contract;
import io.heartwheel.loadgen.fleet.Fleet;
import io.heartwheel.loadgen.fleet.Plan;
import io.heartwheel.loadgen.fleet.Progress;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.scenario.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Holds connections, idle or beating, so that memory and CPU of a server can be measured. Judges nothing. */
@Command(
        name = "hold",
        mixinStandardHelpOptions = true,
        description = {
            "Connects clients, prints 'HOLDING n' and keeps them until a line (or the end) comes on standard input or the"
                    + " duration is over. Exit status 0 when all were connected and stayed, else 1.",
            "raw and raw-ws drive other servers: --hello, --hello-reply, --ping, --ping-reply."
        })
final class HoldCommand implements Callable<Integer> {

    private static final long DAY_MILLIS = 86_400_000L;
    private static final long MILLI = 1_000_000L;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Option(
            names = "--target",
            required = true,
            paramLabel = "KIND=HOST:PORT",
            description = "tcp=, ws=, plain=, raw= or raw-ws=.")
    private String target = "";

    @Option(names = "--clients", defaultValue = "1000", description = "Connections (default ${DEFAULT-VALUE}).")
    private int clients;

    @Option(names = "--rate", defaultValue = "2000", description = "Connects a second (default ${DEFAULT-VALUE}).")
    private double rate;

    @Option(
            names = "--duration",
            defaultValue = "0",
            description = "Seconds to hold; 0: until a line on standard input (default ${DEFAULT-VALUE}).")
    private double duration;

    @Option(
            names = "--interval",
            defaultValue = "86400000",
            description = "Heartbeat interval to ask for, milliseconds (default: a day).")
    private long interval;

    @Option(
            names = "--beat",
            defaultValue = "0",
            paramLabel = "MS",
            description = "Each client sends a heartbeat so often, whatever was granted; 0: only to keep its promise.")
    private long beat;

    @Option(names = "--path", defaultValue = "/ws", description = "WebSocket path (default ${DEFAULT-VALUE}).")
    private String path = "/ws";

    @Option(names = "--token", defaultValue = "", description = "Token the devices show.")
    private String token = "";

    @Option(names = "--hello", defaultValue = "", paramLabel = "HEX", description = "raw: bytes said first.")
    private String hello = "";

    @Option(
            names = "--hello-reply",
            defaultValue = "0",
            paramLabel = "N",
            description = "raw: bytes of answer to it (raw-ws: over 0 for one message).")
    private int helloReply;

    @Option(
            names = "--ping",
            defaultValue = "",
            paramLabel = "HEX",
            description = "raw: a heartbeat (raw-ws: empty for native pings).")
    private String ping = "";

    @Option(
            names = "--ping-reply",
            defaultValue = "0",
            paramLabel = "N",
            description = "raw: bytes of answer to each heartbeat (raw-ws: over 0 for one message).")
    private int pingReply;

    @Option(
            names = "--source-block",
            defaultValue = "0",
            description = "First block of 20,000 loopback source ports; another number for each process that shares a"
                    + " target (default ${DEFAULT-VALUE}).")
    private int sourceBlock;

    @Option(names = "--loops", defaultValue = "0", description = "Event loops; 0: half the processors.")
    private int loops;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Plans.requireDescriptors(clients);
        CountDownLatch released = new CountDownLatch(1);
        if (duration <= 0) {
            releaseOnInput(released);
        }
        Plan plan = plan();
        try (Fleet fleet = new Fleet(plan, System::nanoTime, Meters.ofThisProcess())) {
            fleet.begin();
            Progress start = Session.rampUp(fleet, plan, new ProgressLine(out, System.console() != null));
            out.printf("HOLDING %d%n", start.opened() - lost(start));
            out.flush();
            long began = fleet.elapsedNanos();
            hold(released);
            return end(fleet, start, began, out);
        }
    }

    private static long lost(Progress progress) {
        return progress.falseKills() + progress.closed();
    }

    private Plan plan() {
        Target parsed = RunCommand.target(target, path).withScript(Script.hex(hello, helloReply, ping, pingReply));
        long millis = beat > 0 ? Math.max(interval, 2 * beat) : interval;
        Habits habits = new Habits(
                millis,
                0.5,
                beat,
                150,
                token,
                "hold-" + ProcessHandle.current().pid() + "-",
                0,
                (beat > 0 ? 1 : 20) * MILLI);
        int own = loops > 0 ? loops : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return new Plan(
                List.of(parsed),
                clients,
                rate,
                DAY_MILLIS * MILLI,
                habits,
                0,
                0,
                0,
                own,
                sourceBlock,
                Contract.of(20, 20));
    }

    private void hold(CountDownLatch released) throws InterruptedException {
        if (duration > 0) {
            TimeUnit.MILLISECONDS.sleep(Math.round(duration * 1_000));
        } else {
            released.await();
        }
    }

    private int end(Fleet fleet, Progress start, long began, PrintWriter out) throws InterruptedException {
        Progress end = fleet.progress();
        double seconds = (fleet.elapsedNanos() - began) / 1e9;
        out.printf(
                Locale.ROOT,
                "HELD %d for %.1f s; %d refused, %d lost; %d beats sent, %d answered (%.0f/s); round trip p99 %.2f ms%n",
                end.opened() - lost(end),
                seconds,
                end.refused(),
                lost(end),
                end.beatsSent() - start.beatsSent(),
                end.beatsAnswered() - start.beatsAnswered(),
                (end.beatsSent() - start.beatsSent()) / seconds,
                end.recentP99Nanos() / 1e6);
        out.flush();
        fleet.dismiss(TimeUnit.SECONDS.toNanos(10));
        return end.opened() == clients && lost(end) == 0 ? 0 : 1;
    }

    /** Lets go at the first line or at the end of standard input; a daemon thread waits for it. */
    private static void releaseOnInput(CountDownLatch released) {
        Thread reader = new Thread(
                () -> {
                    try {
                        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
                    } catch (IOException e) {
                        // An input that breaks has ended.
                    }
                    released.countDown();
                },
                "release");
        reader.setDaemon(true);
        reader.start();
    }
}
