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
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * The run of a gateway that a class archive is made from ({@code systemd/bin/heartwheel-class-archive}): what it loads, every later start maps.
 *
 * <pre>
 *   start -- a device says HELLO, beats, falls silent, is probed and closed -- one by WebSocket -- /metrics -- drain, end
 * </pre>
 *
 * <p>A main class of its own, on ports that only this machine reaches. Exit status as of {@link GatewayMain}; 1 if a device was not served as it should.
 */
public final class TrainingRun {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int INTERVAL_MILLIS = 100;
    private static final int HELLO_BYTES = 21;
    private static final byte[] ID = "training".getBytes(StandardCharsets.US_ASCII);
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
            "-Dheartwheel.listeners.tcp.bind=127.0.0.1:0",
            "-Dheartwheel.listeners.websocket.bind=127.0.0.1:0",
            "-Dheartwheel.admin.bind=127.0.0.1:0"
        });
    }

    private static void devices(Path ports, PipedOutputStream end) {
        try (end) {
            Properties at = awaitPorts(ports);
            silent(at.getProperty("tcp"));
            String admin = at.getProperty("admin");
            ask(admin, "GET /metrics HTTP/1.1\r\nHost: " + admin + "\r\nConnection: close\r\n\r\n", new byte[0], 200);
            String upgrade =
                    "GET /ws/training HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
            ask(at.getProperty("websocket"), upgrade, WEB_SOCKET_END, 101);
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

    /** Beats, then says nothing until it is closed for that. */
    private static void silent(String address) throws IOException {
        ByteBuffer hello = ByteBuffer.allocate(4 + HELLO_BYTES - 1 + ID.length);
        hello.putInt(1 << 24 | HELLO_BYTES - 1 + ID.length)
                .put((byte) 'H')
                .put((byte) 'W')
                .put((byte) 1);
        hello.putInt(8, INTERVAL_MILLIS).put(HELLO_BYTES - 1, (byte) ID.length).put(HELLO_BYTES, ID);
        try (Socket device = connect(address)) {
            device.getOutputStream().write(hello.array());
            device.getOutputStream().write(BEAT);
            int told = device.getInputStream().readAllBytes().length;
            if (told <= BEAT.length) {
                throw new IOException(
                        "training run: a device was told " + told + " bytes: need WELCOME, PONG, PING and CLOSE");
            }
        }
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
