package io.heartwheel.loadgen.app;

import io.heartwheel.loadgen.scenario.Addresses;
import io.heartwheel.loadgen.workers.AgentServer;
import io.heartwheel.loadgen.workers.MachineLimits;
import io.heartwheel.loadgen.workers.Token;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that serves coordinators on other machines with devices of this one. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        description = {
            "Plays devices on this machine for a run that is started elsewhere with --agents. Serves one run at a time, until"
                    + " it is stopped; when the connection is lost its devices are gone.",
            "The token keeps strangers out but nothing is encrypted: listen in a private network, or on loopback behind ssh"
                    + " or WireGuard."
        })
final class AgentCommand implements Callable<Integer> {

    private static final long CHILDREN_MILLIS = 5_000;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            description = "Address to listen on; port 0 takes a free one, which is printed.")
    private String listen = "";

    @Option(
            names = "--token-file",
            required = true,
            paramLabel = "FILE",
            description =
                    "Its first line, 16..1024 bytes, is what coordinators must know; they name a file of their own.")
    private Path tokenFile = Path.of("");

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        // A worker that stands still would stay behind: the others leave by themselves when their input ends.
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> EarlyEnd.killDescendants(CHILDREN_MILLIS), "stop-workers"));
        try (AgentServer server = new AgentServer(
                Addresses.read("listen", listen),
                Token.read(tokenFile),
                WorkerPlan.processes()::start,
                MachineLimits::ofThisMachine,
                line -> {
                    out.println(line);
                    out.flush();
                })) {
            out.printf("agent listens on %s%n", Addresses.text(server.address()));
            out.flush();
            server.serve();
        }
        return 0;
    }
}
