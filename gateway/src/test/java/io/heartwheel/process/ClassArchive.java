package io.heartwheel.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The gateway's classes as one process parsed and laid them out (JEP 350): each of the hundreds that tests start takes half the CPU. Made once for a
 * jar, beside it. A Java virtual machine that cannot make or use one starts as ever.
 */
final class ClassArchive {
    private static final long MOST_SECONDS = 60;

    private static List<String> options = List.of();
    private static String made = "";

    private ClassArchive() {}

    /** What a process that runs this jar with these options is started with beside them. */
    static synchronized List<String> options(String java, String jar, List<String> jvm) throws IOException {
        if (!made.equals(jar)) {
            made = jar;
            Path archive =
                    Path.of(jar + "." + Files.getLastModifiedTime(Path.of(jar)).toMillis() + ".jsa");
            if (!Files.exists(archive)) {
                make(java, jar, jvm, archive);
            }
            options = Files.exists(archive)
                    ? List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
                    : List.of();
        }
        return options;
    }

    private static void make(String java, String jar, List<String> jvm, Path archive) throws IOException {
        Path part = Files.createTempFile(archive.toAbsolutePath().getParent(), "classes", ".part");
        Files.delete(part);
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(jvm);
        command.addAll(List.of("-XX:ArchiveClassesAtExit=" + part, "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
        command.addAll(List.of("-jar", jar, "--exit-with-stdin"));
        for (String listener : List.of("listeners.tcp", "listeners.websocket", "admin")) {
            command.add("-Dheartwheel." + listener + ".bind=127.0.0.1:0");
        }
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
                return;
            }
            if (Files.exists(part)) {
                Files.move(part, archive, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(part);
        }
    }
}
