package io.heartwheel.loadgen.workers;

import io.heartwheel.loadgen.scenario.Service;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Processes of one service beside the gateways of a run, each with a directory and ports of its own. Any thread. */
public final class ServicePool extends ProcessPool {

    private static final int CONNECT_MILLIS = 200;

    private final Service service;
    private final Map<String, String> ports;

    /**
     * Processes that are not started.
     *
     * @param ports those of {@link #ports} for all services of the run
     */
    public ServicePool(Service service, Map<String, String> ports) throws IOException {
        super(service.name(), service.count(), false);
        this.service = service;
        this.ports = ports;
        for (int number : everyone()) {
            Path own = Files.createDirectory(own(number));
            for (Map.Entry<String, String> file : service.files().entrySet()) {
                Files.writeString(own.resolve(file.getKey()), filled(file.getValue(), number));
            }
        }
    }

    /**
     * Checks that the programs are there.
     *
     * @throws IllegalArgumentException naming each key, value and how to get it
     */
    public static void check(List<Service> services) {
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < services.size(); i++) {
            String program = services.get(i).command().get(0);
            if (found(program).isEmpty()) {
                String install = services.get(i).install();
                missing.add("gateways.services[" + i + "].command = " + program
                        + ": need a program that is there, with its directory or on the path"
                        + (install.isEmpty() ? "" : "; " + install));
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", missing));
        }
    }

    private static Optional<Path> found(String program) {
        String path = program.indexOf('/') < 0 ? System.getenv().getOrDefault("PATH", "") : ".";
        return Stream.of(path.split(File.pathSeparator, -1))
                .map(each -> Path.of(each).resolve(program).toAbsolutePath().normalize())
                .filter(each -> Files.isRegularFile(each) && Files.isExecutable(each))
                .findFirst();
    }

    /** Free ports of loopback for all processes of these services, by what stands for each. */
    public static Map<String, String> ports(List<Service> services) throws IOException {
        Map<String, String> ports = new LinkedHashMap<>();
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (Service service : services) {
                for (int number = 0; number < service.count(); number++) {
                    for (String port : service.ports()) {
                        ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                        held.add(free);
                        ports.put(service.port(number, port), Integer.toString(free.getLocalPort()));
                    }
                }
            }
        } finally {
            for (ServerSocket each : held) {
                each.close();
            }
        }
        return ports;
    }

    /** A text with these ports in their places. */
    public static String filled(String text, Map<String, String> ports) {
        String filled = text;
        for (Map.Entry<String, String> port : ports.entrySet()) {
            filled = filled.replace(port.getKey(), port.getValue());
        }
        return filled;
    }

    private String filled(String text, int number) {
        String filled = text.replace(Service.NUMBER, Integer.toString(number))
                .replace(Service.DIRECTORY, own(number).toString());
        for (String port : service.ports()) {
            filled = filled.replace(Service.own(port), service.port(number, port));
        }
        return filled(filled, ports);
    }

    private Path own(int number) {
        return directory.resolve(name(number));
    }

    /**
     * Starts all and waits until they are up; when one is not, those that are stay until {@link #close}.
     *
     * @throws Failure with the end of the log of the one that did not come up
     */
    public void start() throws IOException {
        startAll(everyone());
    }

    @Override
    void startOne(int number) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(service.command());
        line.replaceAll(text -> filled(text, number));
        found(line.get(0)).ifPresent(program -> line.set(0, program.toString()));
        int port = Integer.parseInt(filled(Service.own(service.readyPort()), number));
        processes.get(number).start(line, Map.of(), () -> listens(port));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
