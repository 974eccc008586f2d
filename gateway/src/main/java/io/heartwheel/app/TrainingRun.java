package io.heartwheel.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * The run of a gateway that a class archive is made from ({@code systemd/bin/heartwheel-class-archive}): what it loads, every later start maps.
 *
 * <pre>
 *   start -- devices say HELLO, beat, fall silent, are probed and closed -- fewer by WebSocket -- /metrics -- drain, end
 * </pre>
 *
 * <p>From Java 25 on an archive also keeps how methods were used (JEP 515), so that a start compiles them sooner: there it is {@value #ROUNDS} rounds of {@value
 * #MANY} devices, elsewhere one device of each kind.
 *
 * <p>A main class of its own, on ports that only this machine reaches. Exit status as of {@link GatewayMain}; 1 if a device was not served as it should.
 */
public final class TrainingRun {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int INTERVAL_MILLIS = 100;
    private static final int HELLO_BYTES = 21;
    private static final int ID_BYTES = 8;
    private static final int FIRST_ID = 10_000_000;
    private static final int ROUNDS = 40;
    /** Both ends of each are descriptors of this process. */
    private static final int MANY = 200;

    private static final boolean KEEPS_PROFILES = Runtime.version().feature() >= 25;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final byte[] BEAT = {3, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    /** A ping of no bytes, then a close with 1000, masked by zeros. */
    private static final byte[] WEB_SOCKET_END = {
        (byte) 0x89, (byte) 0x80, 0, 0, 0, 0, (byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 0x03, (byte) 0xe8
    };

    private TrainingRun() {}

    /** Takes no arguments. */
    public static void main(String[] args) throws IOException {
        PipedOutputStream end = new PipedOutputStream();
        System.setIn(new PipedInputStream(end));
        Path ports = Files.createTempDirectory("heartwheel-training-").resolve("ports");
        Thread devices = new Thread(() -> devices(ports, end), "training");
        devices.setDaemon(true);
        devices.start();
        GatewayMain.main(new String[] {
            "--exit-with-stdin",
            "-Dheartwheel.ports-file=" + ports,
            "-Dheartwheel.heartbeat.min=" + INTERVAL_MILLIS + "ms",
            "-Dheartwheel.breaker.enabled=false",
            "-Dheartwheel.listeners.tcp.bind=127.0.0.1:0",
            "-Dheartwheel.listeners.websocket.bind=127.0.0.1:0",
            "-Dheartwheel.admin.bind=127.0.0.1:0"
        });
    }

    private static void devices(Path ports, PipedOutputStream end) {
        try (end) {
            Properties at = awaitPorts(ports);
            String upgrade =
                    "GET /ws/training HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
            for (int round = KEEPS_PROFILES ? ROUNDS : 1; round > 0; round--) {
                silent(at.getProperty("tcp"), KEEPS_PROFILES ? MANY : 1);
                for (int i = KEEPS_PROFILES ? MANY / 4 : 1; i > 0; i--) {
                    ask(at.getProperty("websocket"), upgrade, WEB_SOCKET_END, 101);
                }
            }
            String admin = at.getProperty("admin");
            ask(admin, "GET /metrics HTTP/1.1\r\nHost: " + admin + "\r\nConnection: close\r\n\r\n", new byte[0], 200);
        } catch (IOException | RuntimeException | InterruptedException failed) {
            failed.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** The file is there, and whole, when every listener is open. */
    private static Properties awaitPorts(Path file) throws IOException, InterruptedException {
        while (!Files.exists(file)) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        Properties ports = new Properties();
        ports.load(new StringReader(Files.readString(file)));
        Files.delete(file);
        Files.delete(file.getParent());
        return ports;
    }

    /** They beat, then say nothing until they are closed for that. */
    private static void silent(String address, int count) throws IOException {
        List<Socket> devices = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                Socket device = connect(address);
                devices.add(device);
                device.getOutputStream().write(hello(String.valueOf(FIRST_ID + i)));
            }
            for (Socket device : devices) {
                device.getOutputStream().write(BEAT);
            }
            for (Socket device : devices) {
                int told = device.getInputStream().readAllBytes().length;
                if (told <= BEAT.length) {
                    throw new IOException(
                            "training run: a device was told " + told + " bytes: need WELCOME, PONG, PING and CLOSE");
                }
            }
        } finally {
            for (Socket device : devices) {
                device.close();
            }
        }
    }

    private static byte[] hello(String id) {
        ByteBuffer hello = ByteBuffer.allocate(4 + HELLO_BYTES - 1 + ID_BYTES);
        hello.putInt(1 << 24 | HELLO_BYTES - 1 + ID_BYTES)
                .put((byte) 'H')
                .put((byte) 'W')
                .put((byte) 1);
        hello.putInt(8, INTERVAL_MILLIS)
                .put(HELLO_BYTES - 1, (byte) ID_BYTES)
                .put(HELLO_BYTES, id.getBytes(StandardCharsets.US_ASCII));
        return hello.array();
    }

    private static void ask(String address, String request, byte[] then, int status) throws IOException {
        try (Socket socket = connect(address)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(then);
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            if (!answer.startsWith("HTTP/1.1 " + status)) {
                throw new IOException(
                        "training run: " + request.lines().findFirst() + ": need " + status + ", not " + answer);
            }
        }
    }

    private static Socket connect(String address) throws IOException {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        Socket socket = new Socket(InetAddress.getByAddress(LOOPBACK), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }
}
