package io.heartwheel.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A Debian 12 with systemd as its first process, in a container of systemd-nspawn with a network of its own. Its root is made once by debootstrap and
 * only read afterwards: what a boot changes lies in memory. Root only.
 */
final class BootedMachine implements AutoCloseable {
    private static final String PACKAGES = "systemd,systemd-sysv,dbus,openjdk-17-jre-headless,procps,iproute2,bash";
    private static final long BOOT_SECONDS = 120;
    private static final long SHUTDOWN_SECONDS = 60;

    private final Process nspawn;
    private final Path console;
    private String leader = "";

    /**
     * Boots.
     *
     * @param root where its root is, or is to be
     * @param shared a directory that it sees as {@code /mnt}
     * @param console where its console goes
     */
    BootedMachine(Path root, Path shared, Path console) throws Exception {
        this.console = console;
        makeRoot(root);
        ProcessBuilder builder = new ProcessBuilder(
                        "systemd-nspawn",
                        "--quiet",
                        "--boot",
                        "--directory=" + root,
                        "--volatile=overlay",
                        "--private-network",
                        "--register=no",
                        "--keep-unit",
                        "--bind-ro=" + shared + ":/mnt")
                .redirectErrorStream(true)
                .redirectOutput(console.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().put("SYSTEMD_NSPAWN_UNIFIED_HIERARCHY", "1");
        nspawn = builder.start();
        try {
            awaitBooted();
        } catch (Exception | Error failed) {
            try (this) {
                throw failed;
            }
        }
    }

    private static void makeRoot(Path root) throws Exception {
        if (Files.exists(root.resolve("sbin/init"))) {
            return;
        }
        Path part = root.resolveSibling(root.getFileName() + ".part");
        Command.good("rm", "-rf", part.toString());
        Process making = new ProcessBuilder(
                        "debootstrap", "--variant=minbase", "--include=" + PACKAGES, "bookworm", part.toString())
                .inheritIO()
                .start();
        if (making.waitFor() != 0) {
            throw new AssertionError("debootstrap: status " + making.exitValue());
        }
        Files.move(part, root);
    }

    private void awaitBooted() throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOOT_SECONDS);
        while (System.nanoTime() - endNanos < 0 && nspawn.isAlive()) {
            leader = nspawn.children()
                    .map(child -> Long.toString(child.pid()))
                    .findFirst()
                    .orElse("");
            if (!leader.isEmpty()) {
                String state = run("systemctl", "is-system-running").output().strip();
                if (state.equals("running") || state.equals("degraded")) {
                    return;
                }
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        throw new AssertionError("did not boot:\n" + Files.readString(console));
    }

    /** Runs a program on it. */
    Command.Outcome run(String... command) throws IOException, InterruptedException {
        List<String> inside = new ArrayList<>(List.of("nsenter", "--all", "--target", leader));
        inside.addAll(Arrays.asList(command));
        return Command.run(inside.toArray(new String[0]));
    }

    /**
     * Runs a program on it and expects status 0.
     *
     * @return what it printed
     */
    String good(String... command) throws IOException, InterruptedException {
        return run(command).good(command).strip();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        if (!leader.isEmpty()) {
            run("systemctl", "poweroff");
        }
        if (!nspawn.waitFor(SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
            nspawn.destroyForcibly().waitFor();
        }
    }
}
