package io.heartwheel.loadgen.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A Chromium without a window that is told what to do over its DevTools protocol. One thread. */
final class Chromium implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final ObjectMapper json = new ObjectMapper();
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final Process process;
    private final WebSocket socket;
    private int asked;

    /** Starts it with a profile in this directory. */
    Chromium(Path directory) throws IOException, InterruptedException {
        Path profile = directory.resolve("profile");
        process = new ProcessBuilder(List.of(
                        "chromium",
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(directory.resolve("chromium.log").toFile())
                .start();
        try {
            socket = connect(profile.resolve("DevToolsActivePort"));
        } catch (IOException | RuntimeException e) {
            end();
            throw e;
        }
    }

    private WebSocket connect(Path portFile) throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.exists(portFile) || Files.readString(portFile).lines().count() < 2) {
            if (System.nanoTime() - until > 0 || !process.isAlive()) {
                throw new IOException("chromium: not up");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
        String port = Files.readString(portFile).lines().findFirst().orElseThrow();
        HttpClient client = HttpClient.newHttpClient();
        String pages = client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        for (JsonNode page : json.readTree(pages)) {
            if (page.path("type").asText().equals("page")) {
                return client.newWebSocketBuilder()
                        .buildAsync(URI.create(page.path("webSocketDebuggerUrl").asText()), new Answers())
                        .join();
            }
        }
        throw new IOException("chromium: no page in " + pages);
    }

    /** Puts fragments together. */
    private final class Answers implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                answers.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private JsonNode ask(String method, ObjectNode parameters) throws IOException, InterruptedException {
        ObjectNode question = json.createObjectNode().put("id", ++asked).put("method", method);
        question.set("params", parameters);
        socket.sendText(question.toString(), true).join();
        while (true) {
            String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw new IOException(method + ": no answer");
            }
            JsonNode read = json.readTree(answer);
            if (read.path("id").asInt() == asked) {
                if (read.has("error")) {
                    throw new IOException(method + ": " + read.get("error"));
                }
                return read.path("result");
            }
        }
    }

    /** Opens a file in a window of this width and waits until it is drawn. */
    void open(Path file, int width) throws IOException, InterruptedException {
        resize(width);
        ask("Page.navigate", json.createObjectNode().put("url", file.toUri().toString()));
        run(
                "new Promise(done => { const look = () => document.readyState === 'complete' && location.protocol === 'file:'"
                        + " ? requestAnimationFrame(() => requestAnimationFrame(done)) : setTimeout(look, 20); look(); })");
    }

    /** Makes the window this wide. */
    void resize(int width) throws IOException, InterruptedException {
        ask(
                "Emulation.setDeviceMetricsOverride",
                json.createObjectNode()
                        .put("width", width)
                        .put("height", 900)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    /** What an expression is; a promise is waited for. Run from outside the page, so its policy does not concern it. */
    JsonNode run(String expression) throws IOException, InterruptedException {
        JsonNode result = ask(
                "Runtime.evaluate",
                json.createObjectNode()
                        .put("expression", expression)
                        .put("awaitPromise", true)
                        .put("returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(result.get("exceptionDetails").toString());
        }
        return result.path("result").path("value");
    }

    /** A pointer comes, presses, moves or lets go. */
    void pointer(String type, double x, double y) throws IOException, InterruptedException {
        ask(
                "Input.dispatchMouseEvent",
                json.createObjectNode()
                        .put("type", type)
                        .put("x", x)
                        .put("y", y)
                        .put("button", type.equals("mouseMoved") ? "none" : "left")
                        .put("buttons", 1)
                        .put("clickCount", 1));
    }

    /** The whole page as it is seen, for people. */
    void picture(Path file) throws IOException, InterruptedException {
        String png = ask(
                        "Page.captureScreenshot",
                        json.createObjectNode().put("format", "png").put("captureBeyondViewport", true))
                .path("data")
                .asText();
        Files.write(file, Base64.getDecoder().decode(png));
    }

    private void end() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        socket.abort();
        end();
    }
}
