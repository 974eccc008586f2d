package io.heartwheel.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * System calls of a running process, as strace writes them: one file for all threads, in the order in which strace saw calls begin and end. A thread goes on
 * only after strace has seen its call end; so if one call is made because another has ended, it stands behind that.
 */
final class SystemCalls implements AutoCloseable {
    private static final Pattern LINE = Pattern.compile("^(\\d+) +(.*)$", Pattern.DOTALL);
    private static final Pattern BEGUN = Pattern.compile("^(.*) *<unfinished \\.\\.\\.>$", Pattern.DOTALL);
    private static final Pattern ENDED = Pattern.compile("^<\\.\\.\\. \\w+ resumed>(.*)$", Pattern.DOTALL);
    private static final Pattern CALL =
            Pattern.compile("^(\\w+)\\((?:\\d+<(.*?)>(?=[,)]))?(.*)\\) += (-?\\d+).*$", Pattern.DOTALL);
    /** Longest buffer that is written out whole. */
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final Path log;
    private final Process strace;

    /**
     * One call.
     *
     * @param begun line at which it began
     * @param ended line at which it had ended; larger than {@code begun} if other calls began or ended between
     * @param name of the call
     * @param target path of the file, or addresses of the socket; empty for neither
     * @param bytes what the strings in its arguments hold
     * @param result what it returned
     */
    record Call(int begun, int ended, String name, String target, byte[] bytes, long result) {
        /** Whether these bytes are among those it read or wrote. */
        boolean holds(String text) {
            return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
        }
    }

    private SystemCalls(Path file, Path log, Process strace) {
        this.file = file;
        this.log = log;
        this.strace = strace;
    }

    /**
     * From now on.
     *
     * @param calls their names, with commas
     * @param tampering what strace is to do to them, in its own words
     * @throws AssertionError if strace cannot trace the process
     */
    static SystemCalls of(long pid, Path directory, String calls, String tampering) throws Exception {
        Path file = directory.resolve("calls");
        Path log = directory.resolve("strace");
        String command = "strace -f -yy -s " + BUFFER_BYTES + " -e trace=" + calls + " -e " + tampering;
        Process strace = new ProcessBuilder((command + " -o " + file + " -p " + pid).split(" "))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        SystemCalls traced = new SystemCalls(file, log, strace);
        try {
            Await.until("strace", () -> traced.isAttached());
            return traced;
        } catch (Exception | Error failed) {
            traced.close();
            throw failed;
        }
    }

    private boolean isAttached() throws IOException {
        String said = Files.readString(log);
        if (!strace.isAlive()) {
            throw new AssertionError("strace has ended: " + said);
        }
        return said.contains(" attached");
    }

    /** Ends the trace and reads it. */
    List<Call> end() throws Exception {
        close();
        return read(Files.readAllLines(file, StandardCharsets.ISO_8859_1));
    }

    /** The calls in these lines that have ended, in the order of their ends. */
    static List<Call> read(List<String> lines) {
        Map<String, String> unfinished = new HashMap<>();
        Map<String, Integer> begun = new HashMap<>();
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher line = LINE.matcher(lines.get(i));
            if (!line.matches()) {
                continue;
            }
            String thread = line.group(1);
            Matcher first = BEGUN.matcher(line.group(2));
            Matcher second = ENDED.matcher(line.group(2));
            if (first.matches()) {
                unfinished.put(thread, first.group(1).stripTrailing());
                begun.put(thread, i);
            } else if (second.matches() && unfinished.containsKey(thread)) {
                add(calls, begun.remove(thread), i, unfinished.remove(thread) + second.group(1));
            } else {
                add(calls, i, i, line.group(2));
            }
        }
        return calls;
    }

    private static void add(List<Call> calls, int begun, int ended, String text) {
        Matcher call = CALL.matcher(text);
        if (call.matches()) {
            String target = call.group(2) == null ? "" : call.group(2);
            byte[] bytes = strings(call.group(3));
            calls.add(new Call(begun, ended, call.group(1), target, bytes, Long.parseLong(call.group(4))));
        }
    }

    /** All strings in the arguments of a call, as bytes. */
    private static byte[] strings(String arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean inside = false;
        int at = 0;
        while (at < arguments.length()) {
            if (arguments.charAt(at) == '"') {
                inside = !inside;
                at++;
            } else if (inside) {
                at = unescape(arguments, at, bytes);
            } else {
                at++;
            }
        }
        return bytes.toByteArray();
    }

    /** One byte of a string as in C; returns where the next begins. */
    private static int unescape(String text, int at, ByteArrayOutputStream to) {
        char first = text.charAt(at);
        if (first != '\\') {
            to.write(first);
            return at + 1;
        }
        int end = at + 1;
        while (end < text.length() && end < at + 4 && text.charAt(end) >= '0' && text.charAt(end) <= '7') {
            end++;
        }
        if (end > at + 1) {
            to.write(Integer.parseInt(text.substring(at + 1, end), 8));
            return end;
        }
        char letter = text.charAt(at + 1);
        int known = "tnvfr".indexOf(letter);
        to.write(known >= 0 ? '\t' + known : letter);
        return at + 2;
    }

    @Override
    public void close() throws IOException {
        strace.destroy();
        try {
            if (!strace.waitFor(20, TimeUnit.SECONDS)) {
                strace.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
