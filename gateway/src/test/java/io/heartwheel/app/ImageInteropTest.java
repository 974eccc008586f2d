package io.heartwheel.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image without a container daemon: the steps of its Dockerfile in a chroot for each stage, on this machine's own Debian in place of the base, and a run as an orchestrator
 * would have it: process 1 of its own namespaces, a read-only root, a /tmp that forbids execution, no privilege. Root only.
 */
@Tag("interop")
class ImageInteropTest {
    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Dockerfile DOCKERFILE = new Dockerfile(PROJECT.resolve("gateway/image/Dockerfile"));
    private static final long PATIENCE_SECONDS = 60;
    /** Everything that has a native library: TLS, signatures, the journal. */
    private static final String SITE =
            """
            heartwheel {
              listeners.tcp.tls { enabled = true, certificate-file = /etc/heartwheel/crt, key-file = /etc/heartwheel/key }
              auth { mode = methods, methods = [jwt], jwt { keys-file = /etc/heartwheel/jwks, issuer = a, audience = b } }
              sink.kind = journal
            }
            """;
    /** The example of RFC 7517, A.1. */
    private static final String KEYS =
            """
            {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
             "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
            """;

    @TempDir
    Path scratch;

    /** Runs the instructions of a stage that change files. */
    private static void build(TestRoot root, List<String> stage, TestRoot before) throws Exception {
        for (String line : stage) {
            if (line.startsWith("RUN ") && !line.startsWith("RUN apt-get ")) {
                root.good("sh", "-ec", line.substring("RUN ".length()));
            } else if (line.startsWith("COPY ")) {
                boolean earlier = line.startsWith("COPY --from=");
                String[] words = line.replaceFirst("COPY (--from=\\S+ )?", "").split(" ");
                Path to = root.at(words[words.length - 1]);
                for (String from : List.of(words).subList(0, words.length - 1)) {
                    Path source = earlier ? before.at(from) : PROJECT.resolve(from);
                    String all = Files.isDirectory(source) ? "/." : "";
                    Files.createDirectories(to);
                    Command.good("cp", "--archive", "--no-preserve=ownership", source + all, to.toString());
                }
            }
        }
    }

    private static void configure(TestRoot root) throws Exception {
        Files.writeString(root.at("/etc/heartwheel/conf.d/10-site.conf"), SITE);
        Files.writeString(root.at("/etc/heartwheel/jwks"), KEYS);
        root.good(("openssl req -x509 -newkey rsa:2048 -noenc -subj /CN=localhost"
                        + " -keyout /etc/heartwheel/key -out /etc/heartwheel/crt")
                .split(" "));
        root.good("chmod", "0644", "/etc/heartwheel/key");
    }

    /** Process 1 in namespaces of its own, with nothing but what the Dockerfile says. */
    private Process start(TestRoot root) throws Exception {
        String user = DOCKERFILE.last("USER").replaceFirst(":.*", "");
        String environment = DOCKERFILE.last("ENV");
        String command = String.join(" ", words(DOCKERFILE.last("ENTRYPOINT") + " " + DOCKERFILE.last("CMD")));
        String script = "cd " + root.at("/") + "; ip link set lo up; mount -t proc proc proc"
                + "; mount -t tmpfs -o mode=1777,noexec,nosuid,nodev tmp tmp; V=." + DOCKERFILE.last("VOLUME")
                + "; mount --bind $V $V; mount -o remount,ro,bind ."
                + "; exec chroot . env -i --chdir=" + DOCKERFILE.last("WORKDIR") + " PATH=/usr/bin:/bin " + environment
                + " setpriv --reuid " + user + " --regid " + user + " --clear-groups --no-new-privs"
                + " --bounding-set=-all --inh-caps=-all " + command;
        return new ProcessBuilder(
                        "unshare", "--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child", "sh", "-ec", script)
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("log").toFile())
                .start();
    }

    private static Command.Outcome inside(long pid, String... command) throws Exception {
        List<String> all = new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid)));
        all.addAll(List.of("--mount", "--pid", "--net", "--root", "--wd"));
        all.addAll(List.of(command));
        return Command.run(all.toArray(new String[0]));
    }

    private String log() {
        try {
            return Files.readString(scratch.resolve("log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The id of process 1, as this machine sees it, when its own probe says that it works. */
    private long awaitHealthy(Process container) throws Exception {
        String[] probe = words(DOCKERFILE.last("HEALTHCHECK").replaceFirst(".* CMD ", ""));
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (container.isAlive() && System.nanoTime() - endNanos < 0) {
            long pid = container
                    .children()
                    .mapToLong(ProcessHandle::pid)
                    .findFirst()
                    .orElse(0);
            if (pid != 0 && inside(pid, probe).exit() == 0) {
                return pid;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        throw new AssertionError("not healthy:\n" + log());
    }

    /** A list as a Dockerfile writes it. */
    private static String[] words(String list) {
        return list.replaceAll("[\\[\\],\"]", "").split(" ");
    }

    @Test
    void run_confined_isHealthyUnpacksNothingAndEndsBySigterm() throws Exception {
        int second = DOCKERFILE.lines().lastIndexOf("FROM ${BASE}");
        assertTrue(second > 0, DOCKERFILE::toString);
        try (TestRoot tools = new TestRoot();
                TestRoot image = new TestRoot()) {
            build(tools, DOCKERFILE.lines().subList(0, second), tools);
            build(image, DOCKERFILE.lines().subList(second, DOCKERFILE.lines().size()), tools);
            configure(image);

            Process container = start(image);
            try {
                long pid = awaitHealthy(container);

                String maps = Files.readString(Path.of("/proc/" + pid + "/maps"));
                for (String library : List.of("netty_transport_native", "netty_tcnative", "sqlite", "amazonCorretto")) {
                    assertTrue(maps.contains("/usr/lib/heartwheel/java/lib/lib" + library), library + "\n" + log());
                }
                assertTrue(maps.contains("/usr/lib/heartwheel/heartwheel-gateway.jsa"), maps);
                assertEquals("", inside(pid, "ls", "-A", "/tmp").output());
                assertEquals(
                        0, inside(pid, "/usr/bin/heartwheel-healthy", "/readyz").exit(), this::log);
                Command.good("kill", "-TERM", Long.toString(pid));
                assertTrue(container.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), this::log);
                assertEquals(0, container.exitValue(), this::log);
            } finally {
                container.destroyForcibly().waitFor();
            }
        }
    }
}
