package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What systemd itself says of the files an operator installs. Needs systemd 250 or newer; it need not be running. */
@Tag("interop")
class SystemdInteropTest {
    private static final Path SYSTEMD = Path.of("..", "systemd");
    private static final double MOST_EXPOSURE = 2.0;
    private static final Pattern EXPOSURE = Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)");

    @TempDir
    Path scratch;

    private record Outcome(int exit, String output) {}

    @Test
    void verify_unit_isClean() throws Exception {
        Outcome outcome = verify(copyWithJavaOfThisTest(""));

        assertEquals("", outcome.output.strip());
        assertEquals(0, outcome.exit);
    }

    /** The check above proves something only if it can fail. */
    @Test
    void verify_unknownKey_isReported() throws Exception {
        Outcome outcome = verify(copyWithJavaOfThisTest("[Service]\nRestartSecs=2s\n"));

        assertTrue(outcome.output.contains("RestartSecs"), outcome.output);
    }

    @Test
    void security_unit_isHardlyExposed() throws Exception {
        Outcome outcome = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit());

        outcome.output.lines().filter(line -> line.matches("[✗→].*")).forEach(System.out::println);
        Matcher overall = EXPOSURE.matcher(outcome.output);
        assertTrue(overall.find(), outcome.output);
        double exposure = Double.parseDouble(overall.group(1));
        assertTrue(exposure <= MOST_EXPOSURE, () -> "exposure = " + exposure + ": need 0..." + MOST_EXPOSURE);
    }

    @Test
    void sysusers_intoAnEmptyRoot_makesTheAccount() throws Exception {
        Files.createDirectory(scratch.resolve("etc"));
        Outcome outcome =
                run("systemd-sysusers", "--root=" + scratch, absolute(SYSTEMD.resolve("heartwheel.sysusers.conf")));

        assertEquals(0, outcome.exit, outcome.output);
        assertTrue(Files.readString(scratch.resolve("etc/passwd")).contains("heartwheel:"), outcome.output);
    }

    /** In a copy that leaves ownership to whoever runs the test, so that it need not be root. */
    @Test
    void tmpfiles_intoAnEmptyRoot_makesTheDirectories() throws Exception {
        String text = Files.readString(SYSTEMD.resolve("heartwheel.tmpfiles.conf"));
        Path copy = Files.writeString(
                scratch.resolve("tmpfiles.conf"), text.replaceAll("(?m)(root|heartwheel) +heartwheel -$", "- - -"));
        Outcome outcome = run("systemd-tmpfiles", "--root=" + scratch, "--create", copy.toString());

        assertEquals("", outcome.output.strip());
        assertEquals(0, outcome.exit);
        for (String made : List.of("etc/heartwheel", "var/lib/heartwheel", "var/log/heartwheel")) {
            assertTrue(Files.isDirectory(scratch.resolve(made)), () -> made + ": not made");
        }
    }

    /** Each key is one this kernel knows; it is read, never written. */
    @Test
    void sysctl_everyKey_isKnownToTheKernel() throws Exception {
        List<String> unknown = new ArrayList<>();
        for (String line : Files.readAllLines(SYSTEMD.resolve("60-heartwheel.conf"))) {
            boolean optional = line.startsWith("-");
            if (!line.isBlank() && !line.startsWith("#") && !optional) {
                String key = line.substring(0, line.indexOf('=')).strip();
                if (!Files.isReadable(Path.of("/proc/sys", key.split("\\.")))) {
                    unknown.add(key);
                }
            }
        }
        assertEquals(List.of(), unknown);
    }

    /**
     * systemd looks whether the program of ExecStart= is there. Where this test runs Java may stand elsewhere than on an
     * installed machine, so that one path is put right in the copy, and nothing else.
     */
    private Path copyWithJavaOfThisTest(String appendix) throws IOException {
        String text = Files.readString(Path.of(unit()));
        assertNotEquals(-1, text.indexOf("=/usr/bin/java "), "the unit names no Java");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path copy = scratch.resolve("heartwheel.service");
        return Files.writeString(copy, text.replace("=/usr/bin/java ", "=" + java + " ") + appendix);
    }

    private static Outcome verify(Path unit) throws Exception {
        return run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit.toString());
    }

    private static String unit() {
        return absolute(SYSTEMD.resolve("heartwheel.service"));
    }

    private static String absolute(Path path) {
        return path.toAbsolutePath().normalize().toString();
    }

    private static Outcome run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SYSTEMD_COLORS", "0");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> String.join(" ", command) + ": still running");
        return new Outcome(process.exitValue(), output);
    }
}
