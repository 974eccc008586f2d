package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.conform.Carrier;
import io.heartwheel.loadgen.conform.ConformReport;
import io.heartwheel.loadgen.conform.Conformance;
import io.heartwheel.loadgen.conform.Loopback;
import io.heartwheel.loadgen.conform.Rule;
import io.heartwheel.loadgen.measure.Meters;
import io.heartwheel.loadgen.measure.NanoClock;
import io.heartwheel.loadgen.measure.ProcessStalls;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that plays the gateway, with planted faults, against a device client and judges it. */
@Command(
        name = "conform",
        mixinStandardHelpOptions = true,
        description = {
            "Plays the gateway against a device client, with planted faults, and says which rules of the protocol it keeps.",
            "",
            "CMD is started by the shell once for each case, with HEARTWHEEL_URL, HEARTWHEEL_DEVICE, HEARTWHEEL_TOKEN,"
                    + " HEARTWHEEL_TOKEN_FILE and HEARTWHEEL_INTERVAL_MS in its environment. It sends each line of standard"
                    + " input as a message, prints each message of the gateway as a line, exits with 0 when the input has"
                    + " ended and everything is acknowledged, and with 3 when it must not come back. A run takes a minute"
                    + " or two."
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:PASS: every rule was kept",
            "1:FAIL: a rule was broken",
            "2:usage",
            "3:INCONCLUSIVE: no rule was broken, but some could not be judged",
            "4:not begun: no connection ever came from the client"
        })
final class ConformCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Option(
            names = "--client",
            paramLabel = "CMD",
            required = true,
            description = "The client, a command for the shell.")
    private String client = "";

    @Option(
            names = "--over",
            paramLabel = "CARRIER",
            description = "Frames over TCP (tcp, the default), or JSON over WebSocket (json: heartwheel.json.v1).")
    private Carrier carrier = Carrier.TCP;

    @Option(
            names = "--rule",
            paramLabel = "NAME",
            arity = "1..*",
            description = "These rules alone; a name that is none lists them. Default: all.")
    private List<String> rules = new ArrayList<>();

    @Option(names = "--parallel", paramLabel = "N", description = "Cases at once, 1..64. Default: 8.")
    private int parallel = 8;

    @Override
    public Integer call() throws InterruptedException {
        ConformReport result = run(Conformance.rules(rules, carrier));
        PrintWriter out = spec.commandLine().getOut();
        Terminal terminal = Terminal.ofThisProcess(System.getenv());
        result.lines().forEach(line -> Terminal.print(out, terminal, line));
        out.flush();
        return result.exitStatus();
    }

    private ConformReport run(List<Rule> chosen) throws InterruptedException {
        spec.commandLine().getErr().println(chosen.size() + " rules: a minute or two");
        NanoClock clock = System::nanoTime;
        ProcessStalls stalls = new ProcessStalls(0);
        Conformance conformance = new Conformance(new Loopback(client, clock, stalls), carrier, parallel);
        // Ctrl-C leaves no client behind.
        Thread ending = new Thread(conformance::close, "conform-end");
        Runtime.getRuntime().addShutdownHook(ending);
        stalls.watch(clock, Meters.ofThisProcess());
        try {
            long began = clock.nanos();
            List<ConformReport.RuleResult> results = conformance.run(chosen);
            long ended = clock.nanos();
            return ConformReport.of(
                    TimeUnit.NANOSECONDS.toMillis(ended - began),
                    TimeUnit.NANOSECONDS.toMillis(stalls.within(began, ended)),
                    results);
        } finally {
            conformance.close();
            stalls.close();
            forget(ending);
        }
    }

    private static void forget(Thread ending) {
        try {
            Runtime.getRuntime().removeShutdownHook(ending);
        } catch (IllegalStateException e) {
            return; // It is running: the process is being ended.
        }
    }
}
