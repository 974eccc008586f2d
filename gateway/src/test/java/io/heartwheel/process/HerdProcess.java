package io.heartwheel.process;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@link HerdMain} as a process: its commands and its answers. It cannot outlive this process. */
final class HerdProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long ANSWER_SECONDS = 60;

    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;
    private final Path log;

    /**
     * Starts one.
     *
     * @param prefix of the command line, for example to enter a network namespace
     */
    HerdProcess(Herd.Settings settings, String... prefix) throws IOException {
        log = Files.createTempFile("heartwheel-herd-", ".log");
        List<String> command = new ArrayList<>(List.of(prefix));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), HerdMain.class.getName()));
        command.addAll(List.of(
                settings.gateway().getAddress().getHostAddress(),
                Integer.toString(settings.gateway().getPort()),
                settings.name(),
                Integer.toString(settings.beatMillis()),
                Integer.toString(settings.sources()),
                settings.firstSource()));
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        answers = process.inputReader(StandardCharsets.UTF_8);
        commands = process.outputWriter(StandardCharsets.US_ASCII);
    }

    void connect(int count) throws Exception {
        ask("connect " + count);
    }

    long silence(int first, int count) throws Exception {
        return Long.parseLong(ask("silence " + first + " " + count));
    }

    Herd.Count count() throws Exception {
        return JSON.readValue(ask("count"), Herd.Count.class);
    }

    List<DeviceReport> reports() throws Exception {
        return JSON.readValue(ask("reports"), new TypeReference<List<DeviceReport>>() {});
    }

    long pid() {
        return process.pid();
    }

    private String ask(String command) throws Exception {
        commands.write(command + "\n");
        commands.flush();
        String answer = CompletableFuture.supplyAsync(this::readLine, task -> new Thread(task, "herd's answer").start())
                .get(ANSWER_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new AssertionError(command + ": the herd has ended:\n" + Files.readString(log));
        }
        return answer;
    }

    private String readLine() {
        try {
            return answers.readLine();
        } catch (IOException ended) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        GatewayProcess.kill(process);
        Files.deleteIfExists(log);
    }
}
