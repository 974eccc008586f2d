package io.heartwheel.app.doctor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Remedies for kernel settings that never lower one: what the machine's files set already is kept, and the line to change is named where it stands.
 * Stateless; any thread.
 */
final class Sysctls {
    /** Strongest first: a file hides those of the same name behind it. All are then read in the order of their names. */
    private static final String[] PLACES = {
        "etc/sysctl.d", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib/sysctl.d", "lib/sysctl.d"
    };

    private static final String OWN = "/etc/sysctl.d/";
    private static final String USUAL = "90-local.conf";
    /** Behind all that machines have. */
    private static final String LAST = "zz-local.conf";

    private Sysctls() {}

    private record Line(String file, String value) {}

    /**
     * How a setting becomes at least this, now and after the next start of the machine.
     *
     * @param wanted one number, or as many as the setting has
     */
    static String raise(Machine machine, String key, long... wanted) {
        Optional<Line> set = last(machine, key);
        long[] configured = set.map(line -> numbers(line.value())).orElse(new long[0]);
        if (configured.length == wanted.length && reaches(configured, wanted)) {
            return set.map(line -> waiting(line, key)).orElseThrow();
        }
        return write(set, key + " = " + text(most(most(wanted, configured), machine.sysctl(key))));
    }

    /** How a setting becomes this very value, now and after the next start of the machine. */
    static String set(Machine machine, String key, String value) {
        Optional<Line> set = last(machine, key);
        return set.filter(line -> line.value().equals(value))
                .map(line -> waiting(line, key))
                .orElseGet(() -> write(set, key + " = " + value));
    }

    private static String waiting(Line line, String key) {
        return "sysctl --system (" + line.file() + " has it, and it is not in force: " + key + " = " + line.value()
                + ")";
    }

    /** Into the file of the machine's own that has it, else into one that is read behind the package's, which nobody edits. */
    private static String write(Optional<Line> there, String line) {
        String file = there.map(Line::file).orElse("");
        if (file.startsWith("/etc/")) {
            return "in " + file + ": " + line + ", then sysctl --system";
        }
        boolean behind = file.substring(file.lastIndexOf('/') + 1).compareTo(USUAL) >= 0;
        return "echo '" + line + "' >> " + OWN + (behind ? LAST : USUAL) + " && sysctl --system";
    }

    private static boolean reaches(long[] values, long[] wanted) {
        return IntStream.range(0, wanted.length).allMatch(i -> values[i] >= wanted[i]);
    }

    private static long[] most(long[] wanted, long[] others) {
        long[] most = wanted.clone();
        for (int i = 0; i < Math.min(most.length, others.length); i++) {
            // too large for a long reads as no limit, and is written by nobody
            most[i] = others[i] == Long.MAX_VALUE ? most[i] : Math.max(most[i], others[i]);
        }
        return most;
    }

    private static long[] numbers(String value) {
        return Arrays.stream(value.strip().split("\\s+", -1))
                .mapToLong(Machine::number)
                .toArray();
    }

    private static String text(long[] numbers) {
        return LongStream.of(numbers).mapToObj(String::valueOf).collect(Collectors.joining(" "));
    }

    /** The line that has the last word, as {@code sysctl --system} reads them. */
    private static Optional<Line> last(Machine machine, String key) {
        Map<String, String> files = new TreeMap<>();
        for (String place : PLACES) {
            for (Path file : machine.files(place, "*.conf")) {
                files.putIfAbsent(String.valueOf(file.getFileName()), place + "/" + file.getFileName());
            }
        }
        return Stream.concat(files.values().stream(), Stream.of("etc/sysctl.conf"))
                .flatMap(file -> in(machine, file, key).stream())
                .reduce((earlier, later) -> later);
    }

    private static Optional<Line> in(Machine machine, String file, String key) {
        return machine.text(file)
                .lines()
                .map(line -> line.strip().split("=", 2))
                .filter(parts -> parts.length == 2
                        && parts[0].replaceFirst("^-", "")
                                .strip()
                                .replace('/', '.')
                                .equals(key))
                .map(parts -> new Line("/" + file, parts[1].strip().replaceAll("\\s+", " ")))
                .reduce((earlier, later) -> later);
    }
}
