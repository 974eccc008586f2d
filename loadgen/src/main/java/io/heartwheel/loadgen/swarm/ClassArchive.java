package io.heartwheel.loadgen.swarm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The classes of a program, parsed and laid out by one process and mapped by all that follow (JEP 350): a start takes
 * about half the CPU, and what the archive holds is in memory once. One rehearsal writes it; its cost is that of a few
 * starts, so it is for many processes only.
 *
 * <p>Without an archive, or with one that does not fit, a virtual machine starts as ever.
 */
final class ClassArchive {

    /** From so many processes on a rehearsal is worth its time. */
    static final int WORTH_FROM = 6;
    /** How long a rehearsal may take to write what it has learnt, which it does at its very end. */
    static final long WRITING_SECONDS = 30;

    private ClassArchive() {}

    /** Options for the rehearsal. */
    static List<String> writing(Path file) {
        return List.of("-XX:ArchiveClassesAtExit=" + file, "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
    }

    /** Options for those that follow; none when the rehearsal brought nothing. */
    static List<String> reading(Path file) {
        return Files.isRegularFile(file) ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }
}
