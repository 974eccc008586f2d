package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.fleet.Outcome;
import io.heartwheel.loadgen.fleet.Plan;
import io.heartwheel.loadgen.scenario.Protocol;
import io.heartwheel.loadgen.scenario.Target;
import io.heartwheel.loadgen.swarm.GatewayPool;
import io.heartwheel.loadgen.swarm.GatewaySetup;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A real gateway, ten thousand devices, a tenth of which fall silent, and a verdict. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Starts a gateway, plays devices against it, lets some fall silent, and judges what it did.")
final class DemoCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Option(
            names = "--gateway-jar",
            paramLabel = "FILE",
            description = "The gateway (default: gateway/target/heartwheel-gateway.jar beside this module).")
    private @Nullable Path gatewayJar;

    @Option(
            names = "--gateway-java",
            paramLabel = "OPTION",
            description =
                    "Option for the gateway's virtual machine, for example -Xmx2g or -Dheartwheel.x=y; repeatable.")
    private List<String> gatewayJava = new ArrayList<>(List.of("-Xmx1g", "-XX:+UseParallelGC"));

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Path jar = jar();
        long seed = options.seedOrDrawn();
        // Judged before anything is started: a wrong option must not cost a gateway.
        plan(Map.of("tcp", placeholder(), "websocket", placeholder()), seed);
        try (GatewayPool gateway = new GatewayPool(GatewaySetup.loopback(jar, 1, settings(), gatewayJava))) {
            Map<String, InetSocketAddress> addresses = gateway.start();
            out.printf("gateway pid %d, %s; seed %d%n", gateway.pid(0), addresses, seed);
            Outcome outcome = Session.run(plan(addresses, seed), out, options.json, () -> gateway.reading()
                    .ownLateness());
            if (!gateway.isAlive(0)) {
                out.println("the gateway died; the end of its log:\n" + gateway.logTail(0));
                return 1;
            }
            return outcome.verdict().exitStatus();
        }
    }

    private static InetSocketAddress placeholder() {
        return new InetSocketAddress("127.0.0.1", 1);
    }

    private Plan plan(Map<String, InetSocketAddress> addresses, long seed) {
        List<Target> targets = List.of(
                Target.of(Protocol.TCP, address(addresses, "tcp"), "", 1),
                Target.of(Protocol.WS, address(addresses, "websocket"), "/ws", 1));
        return Plans.of(options, targets, "", seed);
    }

    private static InetSocketAddress address(Map<String, InetSocketAddress> addresses, String name) {
        InetSocketAddress address = addresses.get(name);
        if (address == null) {
            throw new IllegalStateException("the gateway has no listener " + name);
        }
        return address;
    }

    private List<String> settings() {
        return List.of(
                "  heartbeat { min = " + Math.min(1_000, options.interval) + "ms, grace = " + options.grace + " }",
                "  wheel.tick = " + options.tick + "ms");
    }

    private Path jar() throws URISyntaxException {
        Path given = gatewayJar;
        Path jar = given != null ? given : beside();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException(
                    "gateway jar = " + jar + ": no such file; build it or use --gateway-jar");
        }
        return jar.toAbsolutePath().normalize();
    }

    private static Path beside() throws URISyntaxException {
        Path own = Path.of(DemoCommand.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return own.resolveSibling(Path.of("..", "..", "gateway", "target", "heartwheel-gateway.jar"));
    }
}
