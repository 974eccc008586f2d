package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Examples of messages.md about many devices and about later, one after the other: what curl sends to a gateway with such devices, and what it answers. Then the
 * commands of the README.
 */
@Execution(ExecutionMode.CONCURRENT)
class MessagesDocumentIT {
    private static final Pattern EXAMPLE = Pattern.compile("(?m)^\\$ (curl .*)\\R([{0-9].*)");
    /** In the README, with what it is for. */
    private static final Pattern COMMAND = Pattern.compile("(?m)^    (curl -s -[^#\\n]*?)( +#.*)?$");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    /** Values that are others each time. */
    private static final Pattern CHANGING = Pattern.compile(
            "\"(message_id|started|elapsed_ms|devices|next)\":([0-9]+|null|\"[^\"]*\")|(?<=/v1/jobs/|\"id\":)[0-9]{16}");

    @TempDir
    private Path scratch;

    private String job = "";

    @Test
    void examples_inOrder_areAnsweredAsWritten() throws Exception {
        List<MatchResult> examples = new ArrayList<>();
        String document = Files.readString(Path.of("docs/messages.md"));
        for (String section : List.of("## To many at once", "## Later, and again and again")) {
            int from = document.indexOf(section);
            int to = document.indexOf("\n## ", from);
            EXAMPLE.matcher(document.substring(from, to < 0 ? document.length() : to))
                    .results()
                    .forEach(examples::add);
        }
        assertTrue(examples.size() >= 16, () -> examples.size() + " examples");
        try (GatewayProcess gateway = GatewayProcess.with("messages.directory", scratch.resolve("messages"))
                        .start();
                WireClient sensor = WireClient.hello(gateway.port("tcp"), "sensor-42");
                WebSocketWire browser = WebSocketWire.plain(gateway.port("websocket"), "/ws/browser-7")) {
            for (MatchResult example : examples) {
                assertEquals(steady(example.group(2)), steady(answer(gateway, example.group(1))), example.group(1));
            }
            assertEquals("lights off", sensor.expect(WireFrame.DATA).text());
            assertEquals("lights off", browser.expect(WebSocketWire.TEXT).text());
            readme(gateway);
        }
    }

    private void readme(GatewayProcess gateway) throws Exception {
        List<MatchResult> commands = COMMAND.matcher(Files.readString(Path.of("../README.md")))
                .results()
                .toList();
        assertEquals(6, commands.size());
        try (WebSocketWire device = WebSocketWire.plain(gateway.port("websocket"), "/ws/sensor-42")) {
            for (MatchResult command : commands) {
                boolean waits = command.group(1).contains("ack=received");
                FutureTask<String> answer = Background.run(() -> answer(gateway, command.group(1)));
                if (waits) {
                    assertEquals("reboot", device.expect(WebSocketWire.TEXT).text());
                    assertEquals("hi", device.expect(WebSocketWire.BINARY).text());
                    device.send(
                            WebSocketWire.PONG,
                            device.expect(WebSocketWire.PING).payload());
                }
                assertFalse(answer.get().contains("problem"), answer::toString);
            }
            assertEquals("off", device.expect(WebSocketWire.BINARY).text());
        }
    }

    private static String steady(String answer) {
        return CHANGING.matcher(answer).replaceAll("$1");
    }

    private String answer(GatewayProcess gateway, String command) throws Exception {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(command);
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        }
        String type = null;
        String body = "";
        String method = "";
        String target = "";
        for (int i = 1; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-s", "-w" -> i += words.get(i).equals("-w") ? 1 : 0;
                case "-X" -> method = words.get(++i);
                case "-d" -> body = words.get(++i);
                case "-H" -> type = words.get(++i).substring("Content-Type:".length());
                default -> target = words.get(i).substring("localhost:7090".length());
            }
        }
        if (type == null && !body.isEmpty()) {
            type = "application/x-www-form-urlencoded"; // as curl does
        }
        method = !method.isEmpty() ? method : body.isEmpty() ? "GET" : "POST";
        if (method.equals("GET") && !job.isEmpty()) {
            Await.until("the job is over", () -> isOver(gateway));
        }
        target = target.replaceAll("(?<=/v1/jobs/)[0-9]{16}", job);
        GatewayProcess.Answer answer = gateway.admin(method, target, type, body.getBytes(StandardCharsets.UTF_8));
        if (answer.status() == 202) {
            job = answer.json().path("id").asText();
        }
        return words.contains("-w")
                ? String.valueOf(answer.status())
                : answer.body().strip();
    }

    private boolean isOver(GatewayProcess gateway) throws IOException {
        String state =
                gateway.admin("GET", "/v1/jobs/" + job).json().path("state").asText();
        return state.equals("done") || state.equals("cancelled");
    }
}
