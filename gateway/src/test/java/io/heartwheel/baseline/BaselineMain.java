package io.heartwheel.baseline;

import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@link BaselineServer} as a process of its own; it ends with its standard input. */
@Command(name = "baseline", description = "The server that most teams write.", mixinStandardHelpOptions = true)
public final class BaselineMain implements Callable<Integer> {
    @Option(names = "--transport", defaultValue = "EPOLL", description = "EPOLL, IO_URING or NIO.")
    private BaselineServer.Engine engine = BaselineServer.Engine.EPOLL;

    @Option(names = "--loops", defaultValue = "2", description = "Event loops.")
    private int loops;

    @Option(names = "--idle", defaultValue = "60", description = "Seconds of silence after which it closes.")
    private long idleSeconds;

    @Option(names = "--registry", description = "Keep a map from device id to channel.")
    private boolean registry;

    @Option(names = "--ports-file", description = "Written after start: name=host:port, one a line.")
    private @Nullable Path portsFile;

    public static void main(String[] args) {
        System.exit(new CommandLine(new BaselineMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }

    @Override
    public Integer call() throws Exception {
        try (BaselineServer server = new BaselineServer(engine, loops, Duration.ofSeconds(idleSeconds), registry)) {
            String ports = line("tcp", server.tcp()) + line("websocket", server.webSocket());
            System.out.print(ports);
            if (portsFile != null) {
                Path whole = portsFile.resolveSibling(portsFile.getFileName() + ".part");
                Files.writeString(whole, ports);
                Files.move(whole, portsFile, StandardCopyOption.ATOMIC_MOVE);
            }
            System.in.transferTo(OutputStream.nullOutputStream());
        }
        return CommandLine.ExitCode.OK;
    }

    private static String line(String name, InetSocketAddress address) {
        return name + '=' + address.getAddress().getHostAddress() + ':' + address.getPort() + '\n';
    }
}
