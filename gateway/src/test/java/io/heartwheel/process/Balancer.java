package io.heartwheel.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Debian's HAProxy or nginx as a process, configured as the documents show it, but for the addresses. */
final class Balancer implements AutoCloseable {
    private static final Path DOCUMENT = Path.of("docs", "proxy.md");
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    private final Process process;
    private final Path log;
    private final Map<Integer, Integer> ports;

    private Balancer(Process process, Path log, Map<Integer, Integer> ports) {
        this.process = process;
        this.log = log;
        this.ports = ports;
    }

    /**
     * The example of the document.
     *
     * @param language the one its block is marked with
     */
    static String example(String language) throws IOException {
        return examples(DOCUMENT, language).get(0);
    }

    /** The example of another document. */
    static String example(Path document, String language) throws IOException {
        return examples(document, language).get(0);
    }

    /** The example of the document with {@code Forwarded} in the place of {@code X-Forwarded-For}. */
    static String forwardedExample(String language) throws IOException {
        List<String> blocks = examples(DOCUMENT, language);
        return switch (language) {
            case "haproxy" -> replace(blocks.get(0), "    option forwardfor\n", blocks.get(1));
            case "nginx" ->
                replace(
                        replace(blocks.get(0), "http {\n", "http {\n" + blocks.get(1)),
                        "            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;\n",
                        blocks.get(2));
            default -> throw new AssertionError(language);
        };
    }

    private static List<String> examples(Path document, String language) throws IOException {
        List<String> blocks = Pattern.compile("(?s)```" + language + "\n(.*?)```")
                .matcher(Files.readString(document))
                .results()
                .map(block -> block.group(1))
                .toList();
        if (blocks.isEmpty()) {
            throw new AssertionError(document + " has no block of " + language);
        }
        return blocks;
    }

    /** @param gateway where its listeners are, by the port they have in the document */
    static Balancer haproxy(Path directory, String example, Map<Integer, InetSocketAddress> gateway, Path pem)
            throws Exception {
        Map<Integer, Integer> ports = freePorts(7070, 7443, 7080);
        String config = example.replace("/etc/haproxy/heartwheel.pem", pem.toString());
        for (var each : ports.entrySet()) {
            config = replace(config, "bind *:" + each.getKey(), "bind 127.0.0.1:" + each.getValue());
        }
        return haproxy(directory, withGateway(config, gateway), ports);
    }

    /** @param ports where the configuration binds, by the port in the document */
    static Balancer haproxy(Path directory, String config, Map<Integer, Integer> ports) throws Exception {
        Path file = Files.writeString(directory.resolve("haproxy.cfg"), config);
        return start(directory, ports, "/usr/sbin/haproxy", "-db", "-f", file.toString());
    }

    /** @param gateway where its listeners are, by the port they have in the document */
    static Balancer nginx(Path directory, String example, Map<Integer, InetSocketAddress> gateway) throws Exception {
        Map<Integer, Integer> ports = freePorts(7070, 7080);
        String config = example;
        for (var each : ports.entrySet()) {
            config = replace(config, "listen " + each.getKey() + ";", "listen 127.0.0.1:" + each.getValue() + ";");
        }
        config = withGateway(config, gateway);
        StringBuilder scratch = new StringBuilder("http {\naccess_log off;\n");
        for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
            scratch.append(kind)
                    .append("_temp_path ")
                    .append(directory.resolve(kind))
                    .append(";\n");
        }
        config = replace(config, "http {\n", scratch.toString());
        Path file = Files.writeString(
                directory.resolve("nginx.conf"),
                "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\ndaemon off;\npid " + directory.resolve("pid")
                        + ";\nerror_log stderr;\nevents {}\n" + config);
        return start(directory, ports, "/usr/sbin/nginx", "-e", "stderr", "-c", file.toString());
    }

    private static String withGateway(String config, Map<Integer, InetSocketAddress> gateway) {
        String result = config;
        for (var each : gateway.entrySet()) {
            result = replace(
                    result,
                    "10.0.0.11:" + each.getKey(),
                    "127.0.0.1:" + each.getValue().getPort());
        }
        return result;
    }

    static String replace(String text, String what, String by) {
        if (!text.contains(what)) {
            throw new AssertionError("the example has no " + what);
        }
        return text.replace(what, by);
    }

    static Map<Integer, Integer> freePorts(int... named) throws IOException {
        Map<Integer, Integer> ports = new TreeMap<>();
        for (int each : named) {
            try (ServerSocket free = new ServerSocket(0, 1, LOOPBACK)) {
                ports.put(each, free.getLocalPort());
            }
        }
        return ports;
    }

    private static Balancer start(Path directory, Map<Integer, Integer> ports, String... command) throws Exception {
        Path log = directory.resolve("balancer.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Balancer balancer = new Balancer(process, log, ports);
        try {
            Await.until("a balancer that listens", balancer::listens);
            return balancer;
        } catch (Exception | Error failed) {
            try (balancer) {
                throw failed;
            }
        }
    }

    private boolean listens() throws IOException {
        if (!process.isAlive()) {
            throw new AssertionError("ended, status " + process.exitValue() + ":\n" + log());
        }
        for (int port : ports.values()) {
            try (Socket probe = new Socket(LOOPBACK, port)) {
                probe.setTcpNoDelay(true);
            } catch (IOException refused) {
                return false;
            }
        }
        return true;
    }

    /**
     * Where it listens.
     *
     * @param named the port in the document
     */
    InetSocketAddress port(int named) {
        return new InetSocketAddress(LOOPBACK, ports.get(named));
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    @Override
    public void close() {
        // nginx ends its workers on SIGTERM, and orphans them when it is killed
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
