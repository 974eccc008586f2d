package io.heartwheel.loadgen.app;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that runs a scenario against a server that is already running, or against gateways of its own. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Plays a scenario's devices against a server and judges what it did.")
final class RunCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Option(
            names = "--target",
            paramLabel = "KIND=HOST:PORT",
            description = "Where devices connect: tcp= or ws= (a Heartwheel gateway), plain= (any WebSocket server),"
                    + " mqtt= or mqtt5=, with TLS tcp+tls= and so on; repeatable, devices are divided evenly. framed"
                    + " and raw servers are described in a scenario.")
    private List<String> targets = new ArrayList<>();

    @Option(names = "--path", description = "WebSocket request path (default ${DEFAULT-VALUE}).")
    private String path = "/ws";

    @Option(names = "--token", description = "Token the devices show.")
    private @Nullable String token;

    @Option(names = "--tls-trust", paramLabel = "FILE", description = "PEM certificates the server's must come from.")
    private @Nullable String trust;

    @Option(names = "--tls-insecure", description = "Take any certificate.")
    private boolean insecure;

    @Option(names = "--list", description = "List the built-in scenarios and leave.")
    private boolean list;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            Scenarios.descriptions().forEach(out::println);
            return 0;
        }
        boolean brokers = !targets.isEmpty() && targets.stream().allMatch(target -> target.startsWith("mqtt"));
        String named = options.scenario() == null && brokers ? Scenarios.MQTT : options.scenario();
        Map<String, Object> keys = new LinkedHashMap<>();
        if (token != null) {
            keys.put("token", token);
        }
        if (!targets.isEmpty()) {
            keys.put("targets", targets.stream().map(this::block).toList());
        }
        Config overlay = ConfigFactory.parseMap(keys, "command line").withFallback(options.overlay());
        return new LocalRun(out, options).run(Scenarios.read(named, overlay));
    }

    private Map<String, Object> block(String text) {
        Map<String, Object> block = block(text, path);
        if (trust != null) {
            block.put("tls", Map.of("trust-file", trust));
        } else if (insecure) {
            block.put("tls", Map.of("insecure", true));
        }
        return block;
    }

    /** Reads {@code tcp=127.0.0.1:7070}; the scenario's reader then checks both sides of it. */
    static Map<String, Object> block(String text, String path) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException(
                    "target = " + text + ": need kind=host:port, for example tcp=127.0.0.1:7070");
        }
        Map<String, Object> block = new LinkedHashMap<>();
        block.put("protocol", text.substring(0, equals));
        block.put("address", text.substring(equals + 1));
        block.put("path", path);
        return block;
    }
}
