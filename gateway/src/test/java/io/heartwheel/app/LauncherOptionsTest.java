package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Java options of the launcher: each is explained, this Java accepts all of them, and an older or newer one gets none that it does not know. */
class LauncherOptionsTest {
    private static final Path LAUNCHER = Path.of("..", "systemd", "bin", "heartwheel-gateway");
    private static final List<String> OLDER =
            List.of("-XX:G1ConcRefinementServiceIntervalMillis=10000", "-XX:-UseNotificationThread");

    @TempDir
    Path directory;

    /** What a Java that only prints what it is given is given. */
    private List<String> options(String version) throws Exception {
        Path bin = Files.createDirectories(directory.resolve("java/bin"));
        Files.writeString(directory.resolve("java/release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.writeString(bin.resolve("java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertTrue(bin.resolve("java").toFile().setExecutable(true));
        Path own = Files.createDirectories(directory.resolve("bin")).resolve("heartwheel-gateway");
        Files.copy(LAUNCHER, own, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        ProcessBuilder launch = new ProcessBuilder("sh", own.toString(), "--check");
        launch.environment().put("JAVA_HOME", directory.resolve("java").toString());
        launch.environment().put("JAVA_OPTS", "-Dours=1");
        return run(launch);
    }

    private static List<String> run(ProcessBuilder command) throws Exception {
        Process process = command.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said.lines().toList();
    }

    @ParameterizedTest
    @CsvSource({
        "17.0.15, true, SharedArchiveFile",
        "19, true, SharedArchiveFile",
        "21.0.2, false, SharedArchiveFile",
        "25.0.3, false, AOTCache",
        "30, false, AOTCache",
        "1.8.0, false, SharedArchiveFile"
    })
    void launch_javaOfAVersion_isGivenWhatItKnows(String version, boolean older, String archive) throws Exception {
        List<String> options = options(version);
        assertEquals(
                older ? OLDER : List.of(),
                options.stream().filter(OLDER::contains).toList());
        assertFalse(options.contains(""), options::toString);
        assertTrue(options.stream().anyMatch(option -> option.startsWith("-XX:" + archive + "=")), options::toString);
        assertEquals(List.of("-Dours=1", "-jar"), options.subList(options.size() - 4, options.size() - 2));
    }

    @Test
    void options_eachOfThem_isExplained() throws Exception {
        String page = Files.readString(Path.of("docs", "systemd.md"));
        List<String> all = new ArrayList<>(options("17"));
        all.addAll(options("25"));
        for (String option : all) {
            if (option.startsWith("-X")) {
                String name = option.replaceFirst("(SharedArchiveFile=|AOTCache=).*", "$1");
                assertTrue(
                        Pattern.compile("[` ]" + Pattern.quote(name) + "[` ]")
                                .matcher(page)
                                .find(),
                        name);
            }
        }
    }

    @Test
    void options_thisJava_takesThem() throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        String version = System.getProperty("java.version");
        options(version).stream().filter(option -> option.startsWith("-X")).forEach(command::add);
        command.add("-version");
        List<String> said = run(new ProcessBuilder(command));
        assertFalse(said.toString().contains("warning"), said::toString);
        assertTrue(Arrays.asList(said.get(0).split(" ")).contains("\"" + version + "\""), said::toString);
    }
}
