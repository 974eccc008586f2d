package io.heartwheel.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A root to install into: this machine's own, seen through an overlay whose changes are kept in memory and thrown away. Root only; the machine itself
 * is not touched.
 */
final class TestRoot implements AutoCloseable {
    private final Path base;
    private final Path root;

    TestRoot() throws Exception {
        base = Files.createTempDirectory("heartwheel-root-");
        root = Files.createDirectory(base.resolve("root"));
        Path memory = Files.createDirectory(base.resolve("memory"));
        try {
            Command.good("mount", "-t", "tmpfs", "-o", "mode=0755", "heartwheel-test", memory.toString());
            Path upper = Files.createDirectory(memory.resolve("upper"));
            Path work = Files.createDirectory(memory.resolve("work"));
            String layers = "lowerdir=/,upperdir=" + upper + ",workdir=" + work;
            Command.good("mount", "-t", "overlay", "-o", layers, "heartwheel-test", root.toString());
            Command.good("mount", "-t", "proc", "proc", root.resolve("proc").toString());
            Command.good("mount", "--bind", "/dev", root.resolve("dev").toString());
            // Debian's own switch: no rebuilding of the index of manual pages
            Files.deleteIfExists(root.resolve("var/lib/man-db/auto-update"));
        } catch (Exception | Error failed) {
            close();
            throw failed;
        }
    }

    /** Runs a program in it. */
    Command.Outcome run(String... command) throws IOException, InterruptedException {
        List<String> inside = new ArrayList<>(List.of("chroot", root.toString()));
        inside.addAll(List.of(command));
        return Command.run(inside.toArray(new String[0]));
    }

    /**
     * Runs a program in it and expects status 0.
     *
     * @return what it printed
     */
    String good(String... command) throws IOException, InterruptedException {
        return run(command).good(command);
    }

    /**
     * Where a file of it is for us.
     *
     * @param inside an absolute path
     */
    Path at(String inside) {
        return root.resolve(inside.substring(1));
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (String mounted : List.of("root/dev", "root/proc", "root", "memory")) {
            Command.run("umount", "--lazy", base.resolve(mounted).toString());
        }
        for (String directory : List.of("root", "memory", "")) {
            Files.deleteIfExists(base.resolve(directory));
        }
    }
}
