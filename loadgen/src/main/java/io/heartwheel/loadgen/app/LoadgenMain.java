package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.workers.GatewayPool;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of {@code heartwheel-loadgen.jar}. Exit status: 0 PASS, 1 FAIL, 2 usage, 3 INCONCLUSIVE. */
@Command(
        name = "heartwheel-loadgen",
        mixinStandardHelpOptions = true,
        version = "heartwheel-loadgen " + LoadgenMain.VERSION,
        description = "Plays many devices against a Heartwheel gateway and judges it.",
        subcommands = {
            DemoCommand.class,
            RunCommand.class,
            HoldCommand.class,
            AgentCommand.class,
            WorkerCommand.class,
            CompareCommand.class
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:PASS: the gateway kept the contract",
            "1:FAIL: it did not, or did not start",
            "2:usage",
            "3:INCONCLUSIVE: the generator was the bottleneck, or failed"
        })
public final class LoadgenMain implements Runnable {

    static final String VERSION = "0.1.0";

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    /** Runs the command and leaves with its exit status. */
    public static void main(String[] arguments) {
        if (arguments.length > 0 && !arguments[0].equals(WorkerCommand.NAME)) {
            IgnoredSignals.ofThisProcess().ifPresent(System.err::println);
        }
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new LoadgenMain()).setExecutionExceptionHandler((exception, command, parsed) -> {
            command.getErr().println(message(exception));
            return exception instanceof IllegalArgumentException ? 2 : exception instanceof GatewayPool.Failure ? 1 : 3;
        });
    }

    private static String message(Exception exception) {
        String message = exception.getMessage();
        return message == null
                        || (exception instanceof RuntimeException && !(exception instanceof IllegalArgumentException))
                ? exception.toString()
                : message;
    }

    /** Without a subcommand: says what there is. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is needed: demo, run, hold or compare");
    }
}
