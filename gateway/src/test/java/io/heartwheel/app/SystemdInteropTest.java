package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opinion of systemd itself on the files that an operator installs. Needs systemd 250 or newer; it need not be running. */
@Tag("interop")
class SystemdInteropTest {
    private static final Path SYSTEMD =
            Path.of("..", "systemd").toAbsolutePath().normalize();
    private static final String PROGRAM = "=/usr/bin/heartwheel-gateway ";
    private static final double MOST_EXPOSURE = 1.5;
    private static final Pattern EXPOSURE = Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)");

    @TempDir
    Path scratch;

    private Path units;

    /**
     * The units as a package installs them. systemd looks whether the program of ExecStart= is there, so that one path is put right in the copies, and
     * nothing else.
     */
    @BeforeEach
    void install() throws IOException {
        units = Files.createDirectory(scratch.resolve("units"));
        for (String service : List.of("heartwheel.service", "heartwheel@.service")) {
            String text = Files.readString(SYSTEMD.resolve(service));
            assertTrue(text.contains(PROGRAM), () -> service + ": names no program");
            String here = text.replace(PROGRAM, "=" + SYSTEMD.resolve("bin/heartwheel-gateway") + " ");
            Files.writeString(units.resolve(service), here);
        }
        for (String other : List.of("heartwheel-instances.service", "heartwheel.target", "heartwheel.slice")) {
            Files.copy(SYSTEMD.resolve(other), units.resolve(other));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {".service", "@1.service", "-instances.service", ".target", ".slice"})
    void verify_unit_isClean(String unit) throws Exception {
        Command.Outcome outcome = verify("heartwheel" + unit);

        assertEquals("", outcome.output().strip());
        assertEquals(0, outcome.exit());
    }

    @ParameterizedTest
    @ValueSource(strings = {"heartwheel.service", "heartwheel@.service"})
    void security_unit_isHardlyExposed(String unit) throws Exception {
        double exposure = exposure(unit);

        assertTrue(exposure <= MOST_EXPOSURE, () -> unit + " = " + exposure + ": need 0..." + MOST_EXPOSURE);
    }

    @Test
    void security_ofWhatLooksAtTheInstances_isLessStill() throws Exception {
        assertTrue(exposure("heartwheel-instances.service") < 1);
    }

    /** operations.md tells what is printed here, and not what was printed once. */
    @Test
    void security_figureOfTheDocuments_isThatOfTheTool() throws Exception {
        String text = Files.readString(Path.of("..", "gateway", "docs", "operations.md"));
        Matcher told = EXPOSURE.matcher(text);

        assertTrue(told.find(), "operations.md tells no exposure");
        assertEquals(exposure("heartwheel.service"), Double.parseDouble(told.group(1)));
    }

    private double exposure(String unit) throws Exception {
        String command = "systemd-analyze security --offline=true --no-pager " + units.resolve(unit);
        Command.Outcome outcome = Command.run(command.split(" "));
        Matcher overall = EXPOSURE.matcher(outcome.output());
        assertTrue(overall.find(), outcome.output());
        return Double.parseDouble(overall.group(1));
    }

    @Test
    void sysusers_intoAnEmptyRoot_makesTheAccount() throws Exception {
        Files.createDirectory(scratch.resolve("etc"));
        Command.Outcome outcome = Command.run(
                "systemd-sysusers",
                "--root=" + scratch,
                SYSTEMD.resolve("heartwheel.sysusers.conf").toString());

        assertEquals(0, outcome.exit(), outcome.output());
        assertTrue(Files.readString(scratch.resolve("etc/passwd")).contains("heartwheel:"), outcome.output());
    }

    /** In a copy that leaves ownership to whoever runs the test, so that it need not be root. */
    @Test
    void tmpfiles_intoAnEmptyRoot_makesTheDirectories() throws Exception {
        String text = Files.readString(SYSTEMD.resolve("heartwheel.tmpfiles.conf"));
        Path copy = Files.writeString(
                scratch.resolve("tmpfiles.conf"), text.replaceAll("(?m)(root|heartwheel) +heartwheel -$", "- - -"));
        Path certificates = Files.createDirectories(scratch.resolve("etc/heartwheel/tls"));
        Path token = Files.writeString(scratch.resolve("etc/heartwheel/token"), "12345678");
        Files.setPosixFilePermissions(certificates, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        Command.Outcome outcome = Command.run("systemd-tmpfiles", "--root=" + scratch, "--create", copy.toString());

        assertEquals("", outcome.output().strip());
        assertEquals(0, outcome.exit());
        for (String made : List.of("etc/heartwheel", "var/lib/heartwheel", "var/log/heartwheel", "run/heartwheel")) {
            assertTrue(Files.isDirectory(scratch.resolve(made)), () -> made + ": not made");
        }
        assertEquals("rwxr-x---", PosixFilePermissions.toString(Files.getPosixFilePermissions(certificates)));
        assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(token)));
    }

    /** Each key is one this kernel knows, but for those with a dash; it is read, never written. And each is explained right above. */
    @Test
    void sysctl_everyKey_isKnownToTheKernelAndExplained() throws Exception {
        List<String> unknown = new ArrayList<>();
        List<String> unexplained = new ArrayList<>();
        int keys = 0;
        boolean explained = false;
        for (String line : Files.readAllLines(SYSTEMD.resolve("60-heartwheel.conf"))) {
            if (line.isBlank() || line.startsWith("#")) {
                explained = line.startsWith("#");
                continue;
            }
            keys++;
            String key = line.substring(0, line.indexOf('=')).strip();
            if (!explained) {
                unexplained.add(key);
            }
            if (!key.startsWith("-") && !Files.isReadable(Path.of("/proc/sys", key.split("\\.")))) {
                unknown.add(key);
            }
        }
        assertEquals(List.of(), unknown);
        assertEquals(List.of(), unexplained);
        assertTrue(keys > 10);
    }

    private Command.Outcome verify(String unit) throws Exception {
        return Command.run(
                ("systemd-analyze verify --man=no --recursive-errors=yes " + units.resolve(unit)).split(" "));
    }
}
