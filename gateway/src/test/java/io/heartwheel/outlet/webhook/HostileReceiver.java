package io.heartwheel.outlet.webhook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A receiver of webhooks that reads a request and then does what the test says, byte by byte. Its own threads. */
final class HostileReceiver implements AutoCloseable {
    /** Request as it came. */
    record Received(Map<String, String> headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Behaviour towards a request. */
    @FunctionalInterface
    interface Behaviour {
        /** @return whether the connection stays open */
        boolean answer(Received request, OutputStream out, Socket socket) throws Exception;
    }

    final List<Received> received = new CopyOnWriteArrayList<>();
    volatile Behaviour behaviour = status(200);
    private final ServerSocket server;
    private final ConcurrentLinkedQueue<Socket> open = new ConcurrentLinkedQueue<>();

    HostileReceiver(ServerSocket server) {
        this.server = server;
        start(this::accept);
    }

    HostileReceiver() {
        this(free());
    }

    private static ServerSocket free() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Behaviour status(int status, String... headers) {
        return (request, out, socket) -> {
            String more = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
            write(out, "HTTP/1.1 " + status + " x\r\nContent-Length: 0\r\n" + more + "\r\n");
            return true;
        };
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + path);
    }

    int port() {
        return server.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "receiver");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                open.add(socket);
                start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            Received request = read(socket.getInputStream());
            while (request != null) {
                received.add(request);
                if (!behaviour.answer(request, socket.getOutputStream(), socket)) {
                    return;
                }
                request = read(socket.getInputStream());
            }
        } catch (Exception e) {
            // the other end has gone
        }
    }

    private static Received read(InputStream in) throws IOException {
        String head = head(in);
        if (head.isEmpty()) {
            return null;
        }
        Map<String, String> headers = new TreeMap<>();
        head.lines().skip(1).filter(line -> line.contains(":")).forEach(line -> {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        });
        return new Received(headers, in.readNBytes(Integer.parseInt(headers.get("content-length"))));
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int next = in.read();
        while (next >= 0) {
            head.write(next);
            String text = head.toString(StandardCharsets.ISO_8859_1);
            if (text.endsWith("\r\n\r\n")) {
                return text;
            }
            next = in.read();
        }
        return "";
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
