package io.heartwheel.baseline;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One side on the stage: its server and its crowd, each a process of its own.
 */
record Stage(Side side, Child server, Child crowd) implements AutoCloseable {
    static final List<String> CROWD_JVM = List.of("-Xms384m", "-Xmx384m", "-XX:+UseSerialGC");

    /** Files a server may open meanwhile: jars, the socket that jcmd talks to. */
    private static final int OTHER_DESCRIPTORS = 50;

    /**
     * Where and how all servers run alike.
     *
     * @param jvm options of the servers' virtual machine
     */
    record Settings(Path directory, List<String> jvm, String transport, int loops) {}

    /** @param quietMillis how long a client may be silent: asked of the gateway, set in the baseline */
    static Stage open(Side side, Settings settings, String name, int quietMillis) throws Exception {
        Path ports = settings.directory().resolve(name + ".ports");
        Files.deleteIfExists(ports);
        List<String> arguments =
                side.arguments(settings.transport(), settings.loops(), quietMillis / 1_000, ports.toString());
        Child server = new Child(settings.jvm(), side.main(), arguments, log(settings, name));
        try {
            Map<String, InetSocketAddress> addresses = server.ports(ports);
            Files.delete(ports);
            String port = Integer.toString(addresses.get(side.listener).getPort());
            List<String> crowd = List.of(side.wire.name(), Integer.toString(quietMillis), port);
            return new Stage(
                    side, server, new Child(CROWD_JVM, CrowdMain.class, crowd, log(settings, name + "-crowd")));
        } catch (Exception failed) {
            server.close();
            throw failed;
        }
    }

    private static Path log(Settings settings, String name) {
        return settings.directory().resolve(name + ".log");
    }

    /**
     * Connects so many more.
     *
     * @throws IOException if some were refused
     */
    void gather(int count, int perSecond) throws Exception {
        long[] answer = crowd.ask("gather " + count + " " + perSecond, 300);
        if (answer[0] != count || answer[1] != 0) {
            throw new IOException(
                    side.title + ": " + answer[0] + " of " + count + " connected, " + answer[1] + " lost");
        }
    }

    Crowd.Round beat(int perSecond, double seconds) throws Exception {
        long[] round = crowd.ask("beat " + perSecond + " " + seconds, 60 + 2 * (long) seconds);
        return new Crowd.Round(round[0], round[1], round[2], round[3], (int) round[4]);
    }

    /** All clients leave; returns when the server has closed their descriptors too, but for a few that are not theirs. */
    void scatter(int descriptorsBefore) throws Exception {
        crowd.ask("scatter", 60);
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (server.descriptors() > descriptorsBefore + OTHER_DESCRIPTORS && System.nanoTime() - untilNanos < 0) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        TimeUnit.MILLISECONDS.sleep(200);
    }

    @Override
    public void close() {
        crowd.close();
        server.close();
    }
}
