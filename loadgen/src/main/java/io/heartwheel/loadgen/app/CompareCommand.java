package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.report.Comparison;
import io.heartwheel.loadgen.report.ResultJson;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that compares two results. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Lays two results side by side and marks what differs.",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:compared; with --fail-if-worse: B is not worse",
            "1:with --fail-if-worse: B is worse",
            "2:usage, or a file that is no result",
            "3:with --fail-if-worse: it cannot be told, since a figure is missing in one or a run was INCONCLUSIVE"
        })
final class CompareCommand implements Callable<Integer> {

    private static final double MOST_PERCENT = 1_000_000;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Parameters(index = "0", paramLabel = "A.json", description = "The run to compare with.")
    private Path first = Path.of("");

    @Parameters(index = "1", paramLabel = "B.json", description = "The run to judge.")
    private Path second = Path.of("");

    @Option(names = "--json", description = "Print JSON instead of a table.")
    private boolean json;

    @Option(
            names = "--fail-if-worse",
            paramLabel = "PERCENT",
            description =
                    "Exit with 1 when lateness p99, round trip p99, memory a connection or false kills of B are more"
                            + " than this above those of A, or its verdict became FAIL.")
    private @Nullable Double failIfWorse;

    @Override
    public Integer call() throws Exception {
        Double limit = failIfWorse;
        if (limit != null && !(limit >= 0 && limit <= MOST_PERCENT)) {
            throw new IllegalArgumentException("fail-if-worse = " + limit + ": need 0..1000000 percent");
        }
        Comparison comparison = Comparison.of(ResultJson.read(first), ResultJson.read(second));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.print(ResultJson.text(comparison));
        } else {
            Terminal terminal = Terminal.ofThisProcess(System.getenv());
            comparison.lines().forEach(line -> Terminal.print(out, terminal, line));
        }
        out.flush();
        return limit == null ? 0 : judge(comparison, limit);
    }

    private int judge(Comparison comparison, double limit) {
        PrintWriter err = spec.commandLine().getErr();
        comparison.worse(limit).forEach(line -> err.println("worse: " + line));
        RunVerdict verdict = comparison.judge(limit);
        if (verdict == RunVerdict.INCONCLUSIVE) {
            err.println("not to be told: a figure is missing in one of them, or a run was INCONCLUSIVE");
        }
        err.flush();
        return verdict.exitStatus();
    }
}
