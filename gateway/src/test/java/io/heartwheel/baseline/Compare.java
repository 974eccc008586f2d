package io.heartwheel.baseline;

import io.heartwheel.baseline.CpuTrial.Load;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The gateway beside the baseline, in one run, each server a process of its own with the same virtual machine options: live heap a connection, then
 * processor time a heartbeat. See gateway/docs/benchmarks.md.
 */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Measures heap a connection and CPU a heartbeat of the gateway and the baseline.",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:every heap target is met", "1:a heap target is missed, or a side could not be measured"})
public final class Compare implements Callable<Integer> {
    /**
     * The heap is resident from the start, so that what is resident later is memory outside of it. The last two keep the collector from leaving dead
     * objects where they lie, which a histogram would count as int arrays.
     */
    private static final List<String> SERIAL = List.of(
            "-Xms512m",
            "-Xmx512m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseSerialGC",
            "-XX:MarkSweepDeadRatio=0",
            "-XX:MarkSweepAlwaysCompactCount=1");

    @Option(names = "--out", defaultValue = "target/compare", description = "Logs, histograms, result.json.")
    private Path out = Path.of("target", "compare");

    @Option(names = "--transport", defaultValue = "epoll", description = "epoll, io_uring or nio, for both.")
    private String transport = "epoll";

    @Option(names = "--loops", defaultValue = "2", description = "Event loops, for both.")
    private int loops;

    @Option(
            names = "--jvm",
            description = "Option of both servers' JVM; repeatable. Default: 512 MB, Serial, always compacting.")
    private List<String> jvm = new ArrayList<>();

    @Option(names = "--connections", defaultValue = "18000", description = "Idle connections of the heap trial.")
    private int connections;

    @Option(names = "--beating", defaultValue = "15000", description = "Connections of the CPU trial.")
    private int beating;

    @Option(names = "--rate", defaultValue = "15000", description = "Heartbeats a second, all together.")
    private int rate;

    @Option(names = "--seconds", defaultValue = "20", description = "Length of a round of the CPU trial.")
    private double seconds;

    @Option(names = "--warm-up", defaultValue = "20", description = "Seconds that each side beats before it counts.")
    private double warmUp;

    @Option(names = "--pairs", defaultValue = "5", description = "Pairs of rounds; 0: no CPU trial.")
    private int pairs;

    @Option(names = "--no-heap", description = "No heap trial.")
    private boolean noHeap;

    @Option(
            names = "--only",
            description = "Only these sides of the heap trial, for example GATEWAY_TCP,BASELINE_TCP.",
            split = ",")
    private List<Side> only = new ArrayList<>();

    @Option(names = "--mass", description = "Only the mass expiry: nearly all fall silent at once.")
    private boolean mass;

    @Option(names = "--mass-silent", defaultValue = "14000", description = "Connections that fall silent.")
    private int massSilent;

    @Option(names = "--mass-live", defaultValue = "1000", description = "Connections that beat on.")
    private int massLive;

    @Option(
            names = "--mass-rehearsal",
            defaultValue = "14000",
            description = "Connections that die before, so that closing is compiled; 0: none.")
    private int massRehearsal;

    @Option(names = "--mass-rounds", defaultValue = "4", description = "Turns of each side of the mass expiry.")
    private int massRounds;

    @Option(
            names = "--mass-only",
            defaultValue = "BASELINE,GATEWAY_PLAIN,GATEWAY_BREAKER",
            description = "Only these sides of the mass expiry.",
            split = ",")
    private List<MassTrial.Rival> massOnly = new ArrayList<>();

    @Option(names = "--tls", description = "Only TLS: BoringSSL beside the JDK's provider and a listener in the clear.")
    private boolean tls;

    @Option(names = "--tls-handshakes", defaultValue = "4000", description = "Full handshakes of a turn.")
    private int tlsHandshakes;

    @Option(names = "--tls-rounds", defaultValue = "5", description = "Turns of each side.")
    private int tlsRounds;

    public static void main(String[] args) {
        System.exit(new CommandLine(new Compare()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(out);
        List<String> options = jvm.isEmpty() ? SERIAL : jvm;
        Stage.Settings settings = new Stage.Settings(out.toAbsolutePath(), options, transport, loops);
        Report report = new Report(settings);
        if (mass) {
            MassTrial.Load load = new MassTrial.Load(massSilent, massLive, massRounds, massRehearsal, massOnly);
            say(
                    "mass expiry: %,d silent, %,d live, %d rounds, after %,d that died before",
                    massSilent, massLive, massRounds, massRehearsal);
            report.add(new MassTrial(settings, load).run());
            return tell(report);
        }
        if (tls) {
            say("TLS: %,d connections, %d turns of %,d handshakes", connections, tlsRounds, tlsHandshakes);
            report.add(new TlsTrial(settings, new TlsTrial.Load(connections, tlsHandshakes, tlsRounds)).run());
            return tell(report);
        }
        if (!noHeap) {
            heap(settings, report);
        }
        if (pairs > 0) {
            cpu(settings, report);
        }
        return tell(report);
    }

    private int tell(Report report) throws IOException {
        System.out.print(report.text());
        report.write(out.resolve("result.json"));
        return report.status();
    }

    private void heap(Stage.Settings settings, Report report) {
        HeapTrial trial = new HeapTrial(settings, connections);
        for (Side side : Side.values()) {
            boolean wanted = only.isEmpty() ? side != Side.BASELINE_WS_PING : only.contains(side);
            if (wanted) {
                say("heap, %s: %,d connections", side.title, connections);
                try {
                    report.add(trial.run(side));
                } catch (Exception failed) {
                    report.failed(side, failed);
                }
            }
        }
    }

    private void cpu(Stage.Settings settings, Report report) {
        CpuTrial trial = new CpuTrial(settings, new Load(beating, rate, seconds, warmUp, pairs));
        Side[][] rivals = {
            {Side.GATEWAY_TCP, Side.BASELINE_TCP},
            {Side.GATEWAY_WS, Side.BASELINE_WS},
            {Side.GATEWAY_PLAIN, Side.BASELINE_WS_PING}
        };
        for (Side[] rival : rivals) {
            if (only.isEmpty() || only.contains(rival[0])) {
                say("CPU, %s against %s: %,d beats/s, %d pairs", rival[0].title, rival[1].title, rate, pairs);
                try {
                    report.add(trial.run(rival[0], rival[1]));
                } catch (Exception failed) {
                    report.failed(rival[0], failed);
                }
            }
        }
    }

    private static void say(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }
}
