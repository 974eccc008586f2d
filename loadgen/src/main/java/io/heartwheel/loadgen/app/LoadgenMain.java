package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.scenario.Spelling;
import io.heartwheel.loadgen.workers.ProcessPool;
import io.netty.util.Version;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of {@code heartwheel-loadgen.jar}. Exit status: 0 PASS, 1 FAIL, 2 usage, 3 INCONCLUSIVE, 4 not begun. */
@Command(
        name = "heartwheel-loadgen",
        mixinStandardHelpOptions = true,
        versionProvider = LoadgenMain.Versions.class,
        description = "Plays many devices against a server and judges it: a Heartwheel gateway, an MQTT broker, or any"
                + " other of which a scenario says what it promises.",
        subcommands = {
            DemoCommand.class,
            RunCommand.class,
            HoldCommand.class,
            WorkerCommand.class,
            CompareCommand.class,
            ConformCommand.class
        },
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:PASS: the server kept the contract",
            "1:FAIL: it did not, or a gateway that was to be started did not start",
            "2:usage, or this machine cannot play it",
            "3:INCONCLUSIVE: the generator or its machine was the bottleneck, or failed",
            "4:not begun: nobody listens at a target"
        })
public final class LoadgenMain implements Runnable {

    static final String VERSION = "0.1.0";

    private static final int NOT_BEGUN = 4;

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
        CommandLine line = new CommandLine(new LoadgenMain());
        line.getSubcommands().values().forEach(each -> each.getCommandSpec().versionProvider(new Versions()));
        return line.setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((failure, arguments) -> {
                    CommandLine command = failure.getCommandLine();
                    command.getErr().println(mistake(failure));
                    command.getErr().println("see " + command.getCommandSpec().qualifiedName() + " --help");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    command.getErr().println(message(exception));
                    return status(exception);
                });
    }

    /** Of what nobody knows the first: what stands behind it may have been its value. */
    private static String mistake(ParameterException failure) {
        if (failure instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().get(0).split("=", 2)[0];
            CommandLine command = failure.getCommandLine();
            Set<String> words =
                    new TreeSet<>(command.getCommandSpec().optionsMap().keySet());
            words.addAll(command.getSubcommands().keySet());
            return (unmatched.isUnknownOption() ? "unknown option " : "unexpected argument ")
                    + first
                    + Spelling.hint(first, words);
        }
        return String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
    }

    private static int status(Exception exception) {
        if (exception instanceof NobodyListensException) {
            return NOT_BEGUN;
        }
        return exception instanceof IllegalArgumentException ? 2 : exception instanceof ProcessPool.Failure ? 1 : 3;
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
        throw new ParameterException(
                spec.commandLine(), "a command is needed: demo, run, hold, worker, compare or conform");
    }

    /** Versions printed by {@code --version}: its own, and those of what it runs on. */
    static final class Versions implements IVersionProvider {
        @Override
        public String[] getVersion() {
            Version netty = Version.identify(LoadgenMain.class.getClassLoader()).get("netty-common");
            return new String[] {
                "heartwheel-loadgen " + VERSION,
                "java " + Runtime.version() + " (" + System.getProperty("java.vm.name") + ")",
                "netty " + (netty == null ? "(unknown)" : netty.artifactVersion())
            };
        }
    }
}
