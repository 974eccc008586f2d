package io.heartwheel.baseline;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Java process of the comparison, on this process's own class path. It ends when its standard input does, so it cannot outlive this one; {@link
 * #close} waits for its end and kills it if it does not come.
 */
final class Child implements AutoCloseable {
    private static final long START_SECONDS = 60;

    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;
    private final Path log;

    /** @param log takes its standard error */
    Child(List<String> jvm, Class<?> main, List<String> arguments, Path log) throws IOException {
        this.log = log;
        List<String> command = new ArrayList<>();
        command.add(tool("java"));
        command.addAll(jvm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        answers = process.inputReader(StandardCharsets.US_ASCII);
        commands = process.outputWriter(StandardCharsets.US_ASCII);
    }

    /** A tool of the JDK this process runs on. */
    static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /** Waits for the file of ports. */
    Map<String, InetSocketAddress> ports(Path file) throws IOException, InterruptedException {
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!Files.exists(file)) {
            if (!process.isAlive() || System.nanoTime() - untilNanos > 0) {
                throw new IOException("did not start, see " + log + ":\n" + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        Map<String, InetSocketAddress> ports = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            int equals = line.indexOf('=');
            int colon = line.lastIndexOf(':');
            ports.put(
                    line.substring(0, equals),
                    new InetSocketAddress("127.0.0.1", Integer.parseInt(line.substring(colon + 1))));
        }
        return ports;
    }

    /** Says a line and waits for the answer's numbers. */
    long[] ask(String command, long mostSeconds) throws Exception {
        commands.write(command + "\n");
        commands.flush();
        String answer = CompletableFuture.supplyAsync(this::readLine).get(mostSeconds, TimeUnit.SECONDS);
        return Stream.of(answer.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    private String readLine() {
        try {
            String line = answers.readLine();
            while (line != null && !line.matches("[-0-9 ]+")) {
                System.out.println("the child says: " + line);
                line = answers.readLine();
            }
            if (line == null) {
                throw new IOException("ended, see " + log);
            }
            return line;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    // ------------------------------------------------------------------ what it costs

    /** The live objects after a full collection. The first collection finds what the second one frees. */
    ClassHistogram histogram() throws IOException, InterruptedException {
        jcmd("GC.run");
        TimeUnit.MILLISECONDS.sleep(500);
        return ClassHistogram.parse(jcmd("GC.class_histogram"));
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(tool("jcmd"), Long.toString(process.pid()), command)
                .redirectErrorStream(true)
                .start();
        String text;
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(jcmd.getInputStream(), StandardCharsets.UTF_8))) {
            text = String.join("\n", reader.lines().toList());
        }
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd " + command + ": " + text);
        }
        return text;
    }

    /** Resident memory, bytes. */
    long residentBytes() throws IOException {
        for (String line : Files.readAllLines(proc("status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("no VmRSS");
    }

    /** Descriptors open. */
    int descriptors() {
        String[] names = new File("/proc/" + process.pid() + "/fd").list();
        return names == null ? 0 : names.length;
    }

    /** Processor time used so far. */
    Cpu cpu() throws IOException {
        String stat = Files.readString(proc("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        // fields 14 and 15 of proc(5), in ticks of USER_HZ, which is 100 on every Linux that Java runs on
        return new Cpu(Long.parseLong(fields[11]) * 10_000, Long.parseLong(fields[12]) * 10_000);
    }

    /** Microseconds of processor time. */
    record Cpu(long userMicros, long kernelMicros) {
        Cpu since(Cpu before) {
            return new Cpu(userMicros - before.userMicros, kernelMicros - before.kernelMicros);
        }

        long micros() {
            return userMicros + kernelMicros;
        }
    }

    private Path proc(String name) {
        return Path.of("/proc", Long.toString(process.pid()), name);
    }

    @Override
    public void close() {
        try {
            commands.close();
        } catch (IOException ignored) {
            // it has ended already
        }
        try {
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
