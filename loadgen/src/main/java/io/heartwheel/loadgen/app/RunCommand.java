package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.scenario.Protocol;
import io.heartwheel.loadgen.scenario.Target;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The demo's engine and judge against a gateway that is already running. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Plays devices against a running gateway and judges what it did.")
final class RunCommand implements Callable<Integer> {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Mixin
    private LoadOptions options = new LoadOptions();

    @Option(
            names = "--target",
            required = true,
            paramLabel = "KIND=HOST:PORT",
            description = "Where devices connect: tcp=, ws= or plain=; repeatable, devices are divided evenly.")
    private List<String> targets = new ArrayList<>();

    @Option(
            names = "--plain-share",
            defaultValue = "0",
            description = "Share of the devices that go to plain= targets, against the others'; 0: an even share.")
    private double plainShare;

    @Option(names = "--path", defaultValue = "/ws", description = "WebSocket request path (default ${DEFAULT-VALUE}).")
    private String path = "/ws";

    @Option(names = "--token", defaultValue = "", description = "Token the devices show.")
    private String token = "";

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        long seed = options.seedOrDrawn();
        out.printf("seed %d%n", seed);
        return Session.run(Plans.of(options, targets(), token, seed), out, options.json, Optional::empty)
                .verdict()
                .exitStatus();
    }

    private List<Target> targets() {
        List<Target> plain = new ArrayList<>();
        List<Target> others = new ArrayList<>();
        for (String text : targets) {
            Target target = target(text, path);
            (target.protocol() == Protocol.PLAIN ? plain : others).add(target);
        }
        List<Target> all = new ArrayList<>();
        boolean weighted = plainShare > 0 && !plain.isEmpty() && !others.isEmpty();
        plain.forEach(target -> all.add(weighted ? target.withWeight(plainShare / plain.size()) : target));
        others.forEach(target -> all.add(weighted ? target.withWeight((1 - plainShare) / others.size()) : target));
        return all;
    }

    /** Reads {@code tcp=127.0.0.1:7070}. */
    static Target target(String text, String path) {
        int equals = text.indexOf('=');
        int colon = text.lastIndexOf(':');
        if (equals < 1 || colon <= equals) {
            throw new IllegalArgumentException("target = " + text + ": need tcp=host:port, ws=... or plain=...");
        }
        InetSocketAddress address =
                new InetSocketAddress(text.substring(equals + 1, colon), Integer.parseInt(text.substring(colon + 1)));
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("target = " + text + ": unknown host");
        }
        return Target.of(Protocol.of(text.substring(0, equals)), address, path, 1);
    }
}
