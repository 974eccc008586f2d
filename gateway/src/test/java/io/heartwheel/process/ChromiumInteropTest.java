package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A browser as a device: a page that knows nothing of heartbeats opens a WebSocket, and lives on the pings that the browser answers by itself.
 * The page tells what it saw to a web server of the test's own.
 */
@Tag("interop")
@Isolated
class ChromiumInteropTest {
    private static final String PAGE =
            """
            <!doctype html><meta charset="utf-8"><title>device</title><script>
            let told = Promise.resolve();
            const tell = text => told = told.then(() => fetch('/told', {method: 'POST', body: text}));
            const socket = new WebSocket('ws://%s/ws/browser?heartbeat_ms=1000');
            socket.binaryType = 'arraybuffer';
            let echoes = 0;
            socket.onopen = () => { socket.send('h\\u00e9'); socket.send(new Uint8Array([0, 255, 7])); };
            socket.onmessage = event => {
              if (event.data === 'h\\u00e9') tell('text');
              else if (event.data === 'later') tell('later');
              else if (event.data instanceof ArrayBuffer) tell('binary ' + new Uint8Array(event.data).join());
            };
            setTimeout(() => socket.send('later'), 15000);
            socket.onclose = event => tell('closed ' + event.code + ' ' + event.reason + ' ' + event.wasClean);
            </script>
            """;

    @TempDir
    private Path profile;

    @Test
    void page_thatAnswersPingsOnly_staysAndSeesTheCloseCode() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        HttpServer web = listen();
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo", "heartbeat.interval", "1s")
                .set("heartbeat.grace", "10.0", "websocket.origins", "[\"" + origin(web) + "\"]")
                .start()) {
            serve(web, page(gateway), told);
            Process browser = browse(origin(web) + "/");
            try {
                assertEquals("text", next(told));
                assertEquals("binary 0,255,7", next(told));
                // longer than silence would have been borne
                assertEquals("later", next(told));
                assertTrue(gateway.metrics().sum("heartwheel_probes_total") >= 2);
                assertEquals(
                        204,
                        gateway.admin("DELETE", "/v1/devices/browser?reason=enough")
                                .status());
                assertEquals("closed 4007 enough true", next(told));
            } finally {
                end(browser);
            }
            assertEquals(1, gateway.metrics().sum("heartwheel_opens_total"));
            assertEquals(1, gateway.metrics().closes("admin_closed"));
        } finally {
            web.stop(0);
        }
    }

    /** The page comes from another port than the WebSocket, and nobody has said that this is all right. */
    @Test
    void page_ofAnotherOrigin_isRefused() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        HttpServer web = listen();
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "echo").start()) {
            serve(web, page(gateway), told);
            Process browser = browse(origin(web) + "/");
            try {
                assertEquals("closed 1006  false", next(told));
            } finally {
                end(browser);
            }
            assertEquals(0, gateway.metrics().sum("heartwheel_opens_total"));
            assertEquals(1, gateway.metrics().closes("foreign_origin"));
        } finally {
            web.stop(0);
        }
    }

    /** The lines of JavaScript in the protocol document, as they stand there: what the page fails to do comes again, and what it has done does not. */
    @Test
    void page_withTheLinesOfTheDocument_hasAtLeastOnceBothWays() throws Exception {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        HttpServer web = listen();
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "console")
                .set("websocket.origins", "[\"" + origin(web) + "\"]")
                .start()) {
            serve(web, atLeastOnce(gateway), told);
            Process browser = browse(origin(web) + "/");
            try {
                Await.until("its message", () -> texts(gateway).contains("said before it is connected"));
                assertEquals(200, push(gateway, 1, "one"));
                assertEquals("one", next(told));
                Future<Integer> second = Background.run(() -> push(gateway, 2, "two"));
                assertEquals("fails", next(told));
                assertEquals(204, gateway.status("DELETE", "/v1/devices/browser"));
                assertEquals("two", next(told));
                assertEquals(200, second.get(60, TimeUnit.SECONDS));
                assertEquals(200, push(gateway, 1, "one"));
                assertEquals(200, push(gateway, 3, "three"));
                assertEquals("three", next(told), "behind a repeat, which was acknowledged and no more");
            } finally {
                end(browser);
            }
            assertEquals(2, gateway.metrics().sum("heartwheel_opens_total"));
            assertEquals(List.of("said before it is connected"), texts(gateway));
        } finally {
            web.stop(0);
        }
    }

    private static int push(GatewayProcess gateway, int id, String text) throws Exception {
        String path = "/v1/devices/browser/messages?ack=device&timeout=60s&id=" + id;
        return gateway.admin("POST", path, "text/plain", text.getBytes(StandardCharsets.UTF_8))
                .status();
    }

    private static List<String> texts(GatewayProcess gateway) throws Exception {
        return gateway.events().stream()
                .filter(event -> event.path("event").asText().equals("data"))
                .map(event -> event.path("text").asText())
                .toList();
    }

    private static String atLeastOnce(GatewayProcess gateway) throws Exception {
        String document = Files.readString(Path.of("docs/protocol.md"));
        String lines = document.substring(document.indexOf("```js\n") + 6);
        InetSocketAddress socket = gateway.webSocket();
        return """
                <!doctype html><meta charset="utf-8"><title>device</title><script>
                %s
                const tell = text => fetch('/told', {method: 'POST', body: text});
                let failed = false;
                const show = text => {
                  if (text === 'two' && !failed) { failed = true; tell('fails'); throw new Error(text); }
                  tell(text);
                };
                const send = heartwheel('ws://%s:%d/ws/browser', show);
                send('said before it is connected');
                </script>
                """
                .formatted(lines.substring(0, lines.indexOf("```")), socket.getHostString(), socket.getPort());
    }

    private static String page(GatewayProcess gateway) {
        InetSocketAddress socket = gateway.webSocket();
        return PAGE.formatted(socket.getHostString() + ":" + socket.getPort());
    }

    private static void end(Process browser) throws Exception {
        browser.descendants().forEach(ProcessHandle::destroyForcibly);
        browser.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    }

    private static String origin(HttpServer web) {
        return "http://127.0.0.1:" + web.getAddress().getPort();
    }

    private static HttpServer listen() throws Exception {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    private static void serve(HttpServer web, String page, BlockingQueue<String> told) {
        web.createContext("/told", exchange -> {
            told.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        web.createContext("/", exchange -> {
            byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        web.start();
    }

    private Process browse(String address) throws Exception {
        // the port for debugging keeps it open until it is ended
        String command = "chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
                + " --disable-component-update --disable-sync --disable-quic --remote-debugging-port=0 --user-data-dir="
                + profile.resolve("profile") + " " + address;
        return new ProcessBuilder(command.split(" "))
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("chromium.log").toFile())
                .start();
    }

    private static String next(BlockingQueue<String> told) throws Exception {
        String text = told.poll(60, TimeUnit.SECONDS);
        assertTrue(text != null, "the page tells nothing");
        return text;
    }
}
