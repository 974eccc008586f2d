package io.heartwheel.loadgen.workers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The classes of a program, parsed and laid out by one process and mapped by all that follow (JEP 350): a start takes
 * about half the CPU, and what the archive holds is in memory once. The gateway's is built beside
 * its jar; a worker's is written by one rehearsal, which costs as much as a few starts, so it is for many processes only.
 *
 * <p>Without an archive, or with one that does not fit, a virtual machine starts as ever.
 */
final class ClassArchive {

    /** From so many processes on a rehearsal is worth its time. */
    static final int WORTH_FROM = 6;
    /** How long a rehearsal may take to write what it has learnt, which it does at its very end. */
    static final long WRITING_SECONDS = 30;

    /**
     * Archives are mapped at the address they were made for: since 17 they are moved to a random one, and every page that
     * is moved is a page of this process alone, 10 to 25 MiB of them. Nobody attacks a load run's memory layout.
     */
    static final List<String> AT_ITS_ADDRESS = List.of(
            "-Xshare:auto",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=0");

    private ClassArchive() {}

    /** The one that was built with a jar. */
    static Path beside(Path jar) {
        return Path.of(jar.toString().replaceFirst("\\.jar$", ".jsa"));
    }

    /** Options for the rehearsal. */
    static List<String> writing(Path file) {
        return List.of("-XX:ArchiveClassesAtExit=" + file, "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
    }

    /** Options for those that follow; none when there is no such file. */
    static List<String> reading(Path file) {
        if (!Files.isRegularFile(file)) {
            return List.of();
        }
        List<String> options = new ArrayList<>(AT_ITS_ADDRESS);
        options.addAll(List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
        return options;
    }
}
