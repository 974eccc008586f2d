package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The class archive that is built beside the jar. */
@Execution(ExecutionMode.CONCURRENT)
class ClassArchiveIT {
    private static final Path JAR = Path.of(System.getProperty("heartwheel.gateway.jar", ""));
    private static final Path ARCHIVE = Path.of(JAR.toString().replaceFirst("\\.jar$", ".jsa"));
    /** What a device's whole life needs, up to its close; its evidence last. */
    private static final List<String> MAPPED = List.of(
            "io.heartwheel.app.GatewayMain",
            "io.heartwheel.session.Session",
            "io.heartwheel.session.EvidenceCollector",
            "io.heartwheel.event.Evidence",
            "io.netty.channel.epoll.EpollSocketChannel");

    @TempDir
    Path directory;

    private static String output(List<String> options, Path jar, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-cp", jar.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said;
    }

    @Test
    void start_withTheArchiveOfTheBuild_mapsWhatADeviceNeeds() throws Exception {
        String said = output(
                List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:class+load"), JAR, "io.heartwheel.app.TrainingRun");

        for (String name : MAPPED) {
            assertTrue(said.contains(" " + name + " source: shared objects file (top)"), name);
        }
        assertTrue(said.contains("\"reason\":\"heartbeat_timeout\""), said);
    }

    /** Another jar, or none: it starts as ever, and standard output belongs to the events. */
    @Test
    void start_withAnArchiveThatDoesNotFit_saysNothingOfIt() throws Exception {
        Path other = Files.copy(JAR, directory.resolve("other.jar"));
        List<String> check = List.of("io.heartwheel.app.GatewayMain", "--check");
        String without = output(List.of("-Xshare:off"), other, check.toArray(new String[0]));

        for (Path archive : List.of(ARCHIVE, directory.resolve("none.jsa"))) {
            String said = output(List.of("-XX:SharedArchiveFile=" + archive), other, check.toArray(new String[0]));

            assertEquals(without, said);
        }
    }
}
