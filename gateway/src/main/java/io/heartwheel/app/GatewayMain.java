package io.heartwheel.app;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.app.doctor.BindTrial;
import io.heartwheel.app.doctor.DoctorCommand;
import io.heartwheel.config.ConfigException;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.config.SpellingHint;
import io.heartwheel.log.JournalPriority;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.transport.ListenerSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line of the gateway, and the process's life from {@code main} to its exit status.
 *
 * <pre>
 *   0    drained after SIGTERM, SIGINT or the end of standard input; a good configuration with --check; --help, --version
 *   1    could not start, or would not with --check
 *   2    the command line is wrong
 *   70   a thread that carries a promise has ended or stood still for 40 s (EX_SOFTWARE; a supervisor starts it again)
 *   78   the configuration is wrong (EX_CONFIG of sysexits.h; a supervisor need not try again)
 *   130  a second signal was SIGINT      143  ... SIGTERM
 * </pre>
 *
 * <p>No logger is held in a field, here or above: a {@code -Dlogback.configurationFile} that stands behind the jar's name is to count as well.
 */
@Command(
        name = "heartwheel-gateway",
        description = {"A gateway for long-lived device connections.", ""},
        mixinStandardHelpOptions = true,
        versionProvider = Versions.class,
        exitCodeList = {
            "0:orderly end; a good configuration (--check); nothing that fails (doctor)",
            "1:could not start, or would not (--check), for example a port in use or a bad certificate; something fails (doctor)",
            "2:wrong command line",
            "70:a thread that others rely on has ended or stood still for 40 s, as the log says; to be started again",
            "78:wrong configuration, each mistake told with its line",
            "130, 143:ended at once by a second SIGINT or SIGTERM"
        },
        footer = {
            "",
            "SIGTERM or SIGINT sends the devices away and ends when they have left; SIGHUP reads the configuration again. Events of the console sink go to standard output, the log to "
                    + "standard error. CONFIG_FORCE_heartwheel_... variables override the file as -D does."
        })
public final class GatewayMain implements Callable<Integer> {
    private static final int STATUS_NOT_STARTED = 1;
    private static final int STATUS_CONFIG = 78;
    private static final int HELP_WIDTH = 110;
    private static final String OWN_KEYS = "heartwheel.";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-c", "--config"},
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description =
                    "Configuration (HOCON) over the built-in defaults, and conf.d/*.conf beside it over that. Without it: the defaults.")
    private @Nullable Path config;

    @Option(
            names = "-D",
            scope = ScopeType.INHERIT,
            paramLabel = "KEY=VALUE",
            description =
                    "Override a key, as in -Dheartwheel.heartbeat.interval=30s; any other key becomes a system property.")
    private Map<String, String> overrides = new LinkedHashMap<>();

    @Option(
            names = "--check",
            description =
                    "Validate the configuration and what its TLS files hold, look names up and try what a start would bind; tell every mistake, and end.")
    private boolean check;

    @Option(names = "--exit-with-stdin", description = "Drain and end when standard input closes.")
    private boolean exitWithStdin;

    private final RunningGateway.Starter starter;
    private final StopSwitch stopSwitch;
    private final Map<String, String> environment;
    private final InputStream input;
    private final Function<GatewaySettings, List<BindTrial>> binds;

    /** @param binds tries what a start would bind */
    GatewayMain(
            RunningGateway.Starter starter,
            StopSwitch stopSwitch,
            Map<String, String> environment,
            InputStream input,
            Function<GatewaySettings, List<BindTrial>> binds) {
        this.starter = starter;
        this.stopSwitch = stopSwitch;
        this.environment = environment;
        this.input = input;
        this.binds = binds;
    }

    /** Runs the gateway until it has drained. Ends the process with the status of the class comment. */
    public static void main(String[] args) {
        StopSwitch stopSwitch = new StopSwitch();
        RunningGateway.Starter starter = (config, source) -> {
            Telemetry.applyLog(config.settings().log());
            new Signals(stopSwitch, Runtime.getRuntime()::halt).install();
            Supervisor supervisor =
                    Supervisor.of(System.getenv(), ProcessHandle.current().pid());
            RunningGateway running = Gateway.start(config, source, supervisor);
            // The JVM collects everything when its classes first take 21 MB, amid the first closes: 90 ms with 10,000
            // devices. Done here it is over before they come, and moves that mark up.
            System.gc();
            return running;
        };
        GatewayMain command = new GatewayMain(starter, stopSwitch, System.getenv(), System.in, BindTrial::of);
        System.exit(commandLine(command).execute(args));
    }

    /** A wrong command line gets a line and where the help is, not the whole of it. */
    static CommandLine commandLine(GatewayMain command) {
        CommandLine all =
                new CommandLine(command).addSubcommand(command.doctor()).addSubcommand(new TokenCommand(command.input));
        Stream.concat(Stream.of(all), all.getSubcommands().values().stream())
                .map(each -> each.getCommandSpec().usageMessage())
                .forEach(help -> help.sortOptions(false).width(HELP_WIDTH).exitCodeListHeading("%nExit status:%n"));
        return all.setParameterExceptionHandler((failure, args) -> {
            CommandLine wrong = failure.getCommandLine();
            String mistake =
                    failure instanceof UnmatchedArgumentException unmatched ? unmatched(unmatched) : inOneLine(failure);
            wrong.getErr().println("heartwheel-gateway: " + mistake);
            wrong.getErr().println("see " + wrong.getCommandSpec().qualifiedName() + " --help");
            return CommandLine.ExitCode.USAGE;
        });
    }

    /** The first that nobody knows: what stands behind it may have been its value. */
    private static String unmatched(UnmatchedArgumentException failure) {
        String first = failure.getUnmatched().get(0).split("=", 2)[0];
        CommandLine known = failure.getCommandLine();
        Set<String> words = new HashSet<>(known.getCommandSpec().optionsMap().keySet());
        words.addAll(known.getSubcommands().keySet());
        return (failure.isUnknownOption() ? "unknown option " : "unexpected argument ")
                + first
                + SpellingHint.of(first, words)
                        .map(near -> ", did you mean " + near + "?")
                        .orElse("");
    }

    @Override
    public Integer call() {
        Map<String, String> properties = properties();
        LoadedConfig.Source source = () -> ConfigLoader.read(config, properties, environment);
        try {
            if (check) {
                LoadedConfig good = ConfigLoader.check(config, properties, environment);
                return check(good.settings());
            }
            return run(source.read(), source);
        } catch (ConfigException e) {
            tellProblems(e);
            return STATUS_CONFIG;
        }
    }

    /** A good configuration, and what a start would bind: what a gateway has that runs is told, and no mistake. */
    private int check(GatewaySettings settings) {
        List<BindTrial> trials = binds.apply(settings);
        List<BindTrial> refused = trials.stream()
                .filter(trial -> trial.state() == BindTrial.State.REFUSED)
                .toList();
        if (refused.isEmpty()) {
            tellGood(settings, trials);
            return CommandLine.ExitCode.OK;
        }
        tellError("heartwheel-gateway: " + source() + ": good, and could not start here:");
        refused.forEach(trial ->
                tellError("  heartwheel." + trial.key() + " = " + trial.address() + ": " + inOneLine(trial.text())));
        return STATUS_NOT_STARTED;
    }

    /**
     * Tells where the gateway would listen and where events would go.
     *
     * @param trials of what a start would bind, none of them refused
     */
    private void tellGood(GatewaySettings settings, List<BindTrial> trials) {
        out().println("ok: " + source());
        for (ListenerSettings listener : settings.listeners()) {
            line(
                    "listener " + listener.name(),
                    listener.bind() + " " + word(listener.protocol()) + (listener.tls() == null ? "" : " tls"));
        }
        line(
                "transport",
                word(settings.transport().kind()) + ", at most "
                        + settings.transport().maxConnections() + " connections");
        line("auth", word(settings.auth().mode()));
        line(
                "sink",
                word(settings.sink().kind())
                        + (settings.sink().kind() == SinkKind.FILE
                                ? " " + settings.sink().file()
                                : ""));
        AdminSettings admin = settings.admin();
        line("admin", admin.enabled() ? admin.bind() + (admin.tls() == null ? "" : " tls") : "off");
        if (admin.monitor().enabled()) {
            line("monitor", admin.monitor().bind() + (admin.monitor().tls() == null ? "" : " tls"));
        }
        for (BindTrial trial : trials) {
            if (trial.state() == BindTrial.State.RUNNING) {
                line(
                        "in use",
                        trial.address() + ": " + trial.text()
                                + "; fine for a reload or a restart, in the way of another one");
            }
        }
        line(
                "tried",
                "names looked up, addresses bound and given back; no file opened for writing, no limit looked at (doctor does)");
        out().flush();
    }

    private void line(String name, String value) {
        out().printf(Locale.ROOT, "  %-18s %s%n", name, value);
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private int run(LoadedConfig loaded, LoadedConfig.Source source) {
        try {
            RunningGateway gateway = starter.start(loaded, source);
            stopSwitch.started(gateway);
            if (exitWithStdin) {
                watchInput();
            }
            gateway.awaitTermination();
            return CommandLine.ExitCode.OK;
        } catch (Exception | LinkageError e) {
            LoggerFactory.getLogger(GatewayMain.class).debug("could not start", e);
            tellError("heartwheel-gateway: could not start: " + withHolder(inOneLine(e), loaded.settings()));
            return STATUS_NOT_STARTED;
        }
    }

    /** Why it could not start; if the reason is an address that cannot be had, with whoever has it, as {@code --check} tells it. */
    private String withHolder(String why, GatewaySettings settings) {
        return binds.apply(settings).stream()
                .filter(trial -> trial.state() != BindTrial.State.FREE && why.startsWith(trial.key() + " = "))
                .findFirst()
                .map(trial -> trial.key() + " = " + trial.address() + ": " + inOneLine(trial.text()))
                .orElse(why);
    }

    private DoctorCommand doctor() {
        return new DoctorCommand(() -> ConfigLoader.read(config, properties(), environment), this::source);
    }

    /** System properties as the operator means them: those behind the jar's name beat those before it. */
    private Map<String, String> properties() {
        overrides.forEach((key, value) -> {
            if (!key.startsWith(OWN_KEYS)) {
                System.setProperty(key, value);
            }
        });
        Map<String, String> all = new HashMap<>();
        for (String name : System.getProperties().stringPropertyNames()) {
            all.put(name, System.getProperty(name, ""));
        }
        all.putAll(overrides);
        return all;
    }

    private void watchInput() {
        Thread watcher = new Thread(this::stopAtEndOfInput, "heartwheel-stdin");
        watcher.setDaemon(true);
        watcher.start();
    }

    private void stopAtEndOfInput() {
        try {
            input.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (IOException e) {
            // as good as closed
        }
        LoggerFactory.getLogger(GatewayMain.class).info("standard input closed");
        stopSwitch.stop();
    }

    private void tellProblems(ConfigException e) {
        int count = e.problems().size();
        tellError("heartwheel-gateway: " + source() + ": " + count + (count == 1 ? " mistake" : " mistakes"));
        e.problems().forEach(problem -> tellError("  " + problem));
    }

    /** The files that count, or those that would if they could be found. */
    private String source() {
        Path file = config;
        if (file == null) {
            return "built-in defaults";
        }
        try {
            return ConfigLoader.files(file).stream().map(Path::toString).collect(Collectors.joining(", "));
        } catch (ConfigException e) {
            return file.toString();
        }
    }

    private void tellError(String line) {
        err().println(JournalPriority.ofProcess().error(line));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** The messages of a failure and its causes, but for those that repeat what was said. */
    private static String inOneLine(Throwable failure) {
        StringBuilder line = new StringBuilder();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            String message = at.getMessage();
            String text = message == null || message.isBlank() ? at.getClass().getSimpleName() : message;
            if (line.indexOf(text) < 0) {
                line.append(line.length() == 0 ? "" : ": ").append(text);
            }
        }
        return inOneLine(line.toString());
    }

    private static String inOneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
