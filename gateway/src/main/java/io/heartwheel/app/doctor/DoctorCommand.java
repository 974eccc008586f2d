package io.heartwheel.app.doctor;

import io.heartwheel.config.ConfigException;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command {@code doctor}: checks the machine and says what to change. It changes nothing, and listens nowhere for longer than a moment. */
@Command(
        name = "doctor",
        description = {"Look this machine over for what stands in the gateway's way, and say what to change.", ""},
        mixinStandardHelpOptions = true,
        exitCodeList = {"0:nothing fails; there may be warnings", "1:something fails", "2:wrong command line"},
        footer = {
            "",
            "Run it as the account the gateway runs as: rights are those of the process. Where the package has installed a service, limits and Java's "
                    + "options are those of the service; elsewhere they are those of the process as well."
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final int STATUS_FAILS = 1;
    private static final int MOST_CONNECTIONS = 10_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "How many the gateway is to hold, 1..10000000. Without it: transport.max-connections.")
    private @Nullable Integer connections;

    @Option(names = "--json", description = "Tell it as JSON.")
    private boolean json;

    private final LoadedConfig.Source source;
    private final Supplier<String> sourceName;
    private final Machine machine;
    private final Probes probes;

    /**
     * For this machine.
     *
     * @param source the configuration, as the gateway itself would read it
     * @param sourceName what an operator calls that: a file, or the defaults
     */
    public DoctorCommand(LoadedConfig.Source source, Supplier<String> sourceName) {
        this(source, sourceName, new Machine(Path.of("/")), new RealProbes());
    }

    DoctorCommand(LoadedConfig.Source source, Supplier<String> sourceName, Machine machine, Probes probes) {
        this.source = source;
        this.sourceName = sourceName;
        this.machine = machine;
        this.probes = probes;
    }

    @Override
    public Integer call() throws ConfigException {
        if (connections != null && (connections < 1 || connections > MOST_CONNECTIONS)) {
            throw new ParameterException(
                    spec.commandLine(), "--connections = " + connections + ": need 1.." + MOST_CONNECTIONS);
        }
        List<String> problems = List.of();
        LoadedConfig loaded;
        try {
            loaded = source.read();
        } catch (ConfigException wrong) {
            problems = wrong.problems();
            loaded = ConfigLoader.read(null, Map.of(), Map.of());
        }
        Report report = examine(problems, loaded);
        if (json) {
            report.printJson(spec.commandLine().getOut());
        } else {
            report.printText(spec.commandLine().getOut());
        }
        return report.fails() ? STATUS_FAILS : 0;
    }

    private Report examine(List<String> problems, LoadedConfig loaded) {
        long wanted = connections == null ? loaded.settings().transport().maxConnections() : connections;
        List<Finding> findings = new ArrayList<>(
                Checks.ofConfiguration(sourceName.get(), problems).toList());
        findings.addAll(Checks.of(new CheckContext(loaded.settings(), loaded.authFiles(), wanted, machine, probes)));
        return new Report(wanted, findings);
    }
}
