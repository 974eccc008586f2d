package io.heartwheel.process;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A network for faults: two namespaces of the kernel, one the devices', one a router between them and us that can swallow packets without a word, as a
 * cut cable or a forgotten NAT entry does. Needs root, iproute2 and nftables.
 *
 * <pre>
 *   we, 198.18.N.1 --- veth --- router, forwards or drops --- veth --- devices, 198.19.N.0/22, every address theirs
 * </pre>
 *
 * The addresses are those set apart for benchmarks (RFC 2544, appendix C.2.2), a part of them by the number of this process. Closing it removes all of
 * it; so does the end of the process, or the next test if it was killed.
 */
final class LabNetwork implements AutoCloseable {
    private static final int PARTS = 64;
    private static final int STEP = 4;
    private static final Pattern OURS = Pattern.compile("(hw(\\d+)-\\d+)-(router|devices)");
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int part = (int) (ProcessHandle.current().pid() % PARTS) * STEP;
    private final String name = "hw" + ProcessHandle.current().pid() + '-' + COUNT.incrementAndGet();
    private final String here = name + "a";
    private final String far = name + "b";
    private final String router = name + "-router";
    private final String devices = name + "-devices";
    private final Thread atExit = new Thread(this::remove, "remove " + name);

    LabNetwork() throws Exception {
        removeOrphans();
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            build();
        } catch (Exception | Error failed) {
            close();
            throw failed;
        }
    }

    private void build() throws Exception {
        run("", "ip", "netns", "add", router);
        run("", "ip", "netns", "add", devices);
        run("", "ip", "link", "add", here, "type", "veth", "peer", "name", here + "r", "netns", router);
        run("", "ip", "-n", router, "link", "add", far + "r", "type", "veth", "peer", "name", far, "netns", devices);
        run("", "ip", "addr", "add", gateway() + "/30", "dev", here);
        run("", "ip", "link", "set", here, "up");
        run("", "ip", "route", "add", clients(), "via", link(0, 2));
        batch(
                router,
                "addr add " + link(0, 2) + "/30 dev " + here + "r",
                "addr add " + link(1, 1) + "/30 dev " + far + "r",
                "link set " + here + "r up",
                "link set " + far + "r up",
                "route add " + clients() + " via " + link(1, 2));
        batch(
                devices,
                "link set lo up",
                "addr add " + link(1, 2) + "/30 dev " + far,
                "link set " + far + " up",
                "route add local " + clients() + " dev lo",
                "route add default via " + link(1, 1));
        run("", "ip", "netns", "exec", router, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1");
        String rules =
                """
                table ip cut {
                  set gone { type ipv4_addr; flags interval; }
                  chain forward {
                    type filter hook forward priority 0; policy accept;
                    ip saddr @gone drop
                    ip daddr @gone drop
                  }
                }
                """;
        run(rules, "ip", "netns", "exec", router, "nft", "-f", "-");
    }

    private String link(int which, int host) {
        return "198.18." + (part + which) + "." + host;
    }

    private String clients() {
        return "198.19." + part + ".0/22";
    }

    // ------------------------------------------------------------------ what a test needs

    /** Our own address, for a gateway to bind. */
    String gateway() {
        return link(0, 1);
    }

    /** The address of the device's source with this number, 0..999. */
    String device(int number) {
        int host = number + 1;
        return "198.19." + (part + (host >> 8)) + "." + (host & 0xFF);
    }

    /** What a command line begins with, to run in the devices' network. */
    String[] amongTheDevices() {
        return new String[] {"ip", "netns", "exec", devices};
    }

    /** Swallows every packet from and to these sources. */
    void cut(int first, int count) throws Exception {
        String range = device(first) + "-" + device(first + count - 1);
        run("", "ip", "netns", "exec", router, "nft", "add element ip cut gone { " + range + " }");
    }

    /** Forwards everything again. */
    void heal() throws Exception {
        run("", "ip", "netns", "exec", router, "nft", "flush set ip cut gone");
    }

    // ------------------------------------------------------------------ commands

    private static void batch(String namespace, String... commands) throws Exception {
        run(String.join("\n", commands) + "\n", "ip", "-n", namespace, "-batch", "-");
    }

    private static void run(String input, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.US_ASCII));
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(20, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError(List.of(command) + ": " + said);
        }
    }

    /** Our link first, and with it its other end and our route: the kernel clears a namespace away only after a while. */
    private void remove() {
        removeIfThere("ip", "link", "del", here);
        removeIfThere("ip", "netns", "del", devices);
        removeIfThere("ip", "netns", "del", router);
    }

    /** What a process left behind that was killed. */
    private static void removeOrphans() {
        String[] names = new File("/run/netns").list();
        for (String namespace : names == null ? new String[0] : names) {
            Matcher ours = OURS.matcher(namespace);
            if (ours.matches()
                    && ProcessHandle.of(Long.parseLong(ours.group(2))).isEmpty()) {
                removeIfThere("ip", "link", "del", ours.group(1) + "a");
                removeIfThere("ip", "netns", "del", namespace);
            }
        }
    }

    private static void removeIfThere(String... command) {
        try {
            run("", command);
        } catch (IOException | InterruptedException | AssertionError notThere) {
            // as it should be
        }
    }

    @Override
    public void close() {
        remove();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
