package io.heartwheel.app.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.doctor.Finding.Grade;
import io.heartwheel.transport.TransportKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each ailment of a machine: how bad it is, and that the remedy names what changes it. */
class ChecksTest {
    private static final int CONNECTIONS = 1_000_000;
    private static final String CLOCK = "sys/devices/system/clocksource/clocksource0";

    @TempDir
    Path root;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    FAIL | file proc/self/limits = Max open files 1024 20000 files | 1,000,556 needed for 1,000,000 connections, 20,000 allowed | LimitNOFILE=1000556
                    FAIL | file proc/self/limits = Max open files 1024 20000 files; sysctl fs.nr_open = 20000 | 20,000 allowed | echo 'fs.nr_open = 1000556' >> /etc/sysctl.d/90-local.conf && sysctl --system; systemctl edit
                    FAIL | sysctl fs.file-max = 500000; sysctl fs.file-nr = 100000 0 500000 | 400,000 left on the whole machine | echo 'fs.file-max = 2101112' >> /etc/sysctl.d/90-local.conf
                    WARN | sysctl net.core.somaxconn = 128 | net.core.somaxconn = 128: the kernel cuts the listeners' backlog of 4,096 | net.core.somaxconn = 4096
                    WARN | sysctl net.ipv4.tcp_max_syn_backlog = 256 | tcp_max_syn_backlog = 256 | net.ipv4.tcp_max_syn_backlog = 4096
                    WARN | sysctl net.ipv4.tcp_syncookies = 0 | tcp_syncookies = 0 | net.ipv4.tcp_syncookies = 1
                    WARN | sysctl net.ipv4.tcp_mem = 100 200 300 | tcp_mem = 100 200 300 pages | net.ipv4.tcp_mem = 500000 750000 1000000
                    WARN | sysctl net.ipv4.tcp_wmem = 4096 16384 4194304; sysctl net.ipv4.tcp_notsent_lowat = 4294967295 | tcp_notsent_lowat = 4294967295 | net.ipv4.tcp_notsent_lowat = 131072
                    FAIL | sysctl net.netfilter.nf_conntrack_count = 12; sysctl net.netfilter.nf_conntrack_max = 262144 | nf_conntrack_max = 262144, 12 in use | net.netfilter.nf_conntrack_max = 1250000
                    WARN | sysctl net.ipv4.tcp_migrate_req = 0; set listeners.tcp.reuse-port = true | tcp_migrate_req = 0 | net.ipv4.tcp_migrate_req = 1
                    WARN | set listeners.tcp.bind = 0.0.0.0:40000 | listener tcp on 0.0.0.0:40000: within net.ipv4.ip_local_port_range | net.ipv4.ip_local_reserved_ports = 40000
                    FAIL | file proc/meminfo = MemTotal: 2097152 kB | 2,048 MiB in all | transport.max-connections =
                    FAIL | file sys/fs/cgroup/system.slice/x.service/memory.max = 1073741824 | 1,024 MiB in all (machine or control group) | more memory
                    FAIL | file proc/self/cgroup = 4:memory:/docker/abc; file sys/fs/cgroup/memory/memory.limit_in_bytes = 1073741824 | 1,024 MiB in all | more memory
                    WARN | file proc/meminfo = MemTotal: 33554432 kB\\nSwapTotal: 8388608 kB | 8,192 MiB of swap | MemorySwapMax=0
                    WARN | set transport.event-loops = 8 | 4 processors, transport.event-loops = 8 | transport.event-loops = 0
                    WARN | set transport.event-loops = 4; file sys/fs/cgroup/system.slice/x.service/cpu.max = 150000 100000 | 1.5 of them by quota | transport.event-loops = 0
                    WARN | set transport.kind = nio | transport.kind = nio | transport.kind = auto
                    WARN | file CLOCK/current_clocksource = hpet | source hpet | echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource
                    WARN | file CLOCK/current_clocksource = acpi_pm; file CLOCK/available_clocksource = acpi_pm | source acpi_pm | dmesg
                    WARN | file proc/self/status = SigIgn:\\t0000000000001001 | SIGHUP is ignored | env --default-signal=HUP
                    WARN | file proc/self/status = SigIgn:\\t0000000000000006 | SIGINT is ignored | env --default-signal=INT
                    WARN | file proc/self/status = SigIgn:\\t8000000000004000 | SIGTERM is ignored | env --default-signal=TERM
                    FAIL | heap 1073741824 | heap of 1,024 MiB | -Xmx2581m
                    WARN | heap 2147483648 | heap of 2,048 MiB | -Xmx2581m
                    WARN | collectors Copy, MarkSweepCompact | collector: Copy, MarkSweepCompact | -XX:+UseG1GC
                    WARN | collectors ZGC Cycles | ZGC | -XX:+UseG1GC
                    WARN | clock-step 10000000 | steps of 10000000 ns | clock source
                    WARN | without EPOLL | epoll does not work | java.io.tmpdir
                    FAIL | without EPOLL; set transport.kind = epoll | epoll does not work: no such library | transport.kind = auto
                    FAIL | unbindable 0.0.0.0:7070 = Address already in use | listener tcp on 0.0.0.0:7070: Address already in use | ss -ltnp 'sport = :7070'
                    FAIL | set listeners.tcp.bind = 0.0.0.0:443; unbindable 0.0.0.0:443 = Permission denied | 0.0.0.0:443: Permission denied | CAP_NET_BIND_SERVICE
                    WARN | set sink.kind = file; set sink.file = /tmp/x.jsonl; free 524288000 | sink.file = /tmp/x.jsonl: 500 MiB free | make room in /tmp
                    FAIL | set sink.kind = file; set sink.file = /tmp/x.jsonl; free 1048576 | sink.file = /tmp/x.jsonl: 1 MiB free | another file
                    WARN | set trace.enabled = true; set trace.file = /tmp/t.jsonl; set trace.max-bytes = 64GiB; free 10737418240 | trace.file = /tmp/t.jsonl: 10,240 MiB free | make room
                    """)
    void of_machineWithOneAilment_isToldWithItsRemedyAndNothingElseIs(
            Grade grade, String ailment, String what, String remedy) throws Exception {
        FakeMachine bed = new FakeMachine(root);
        for (String each : ailment.replace("CLOCK", CLOCK).split("; ")) {
            String[] words = each.split(" ", 2);
            String[] pair = words[1].split(" = ", 2);
            switch (words[0]) {
                case "file" -> bed.file(pair[0], pair[1].replace("\\n", "\n").replace("\\t", "\t") + "\n");
                case "sysctl" -> bed.sysctl(pair[0], pair[1]);
                case "set" -> bed.set(pair[0], pair[1]);
                case "unbindable" -> bed.unbindable.put(pair[0], pair[1]);
                case "without" -> bed.obstacles.put(TransportKind.valueOf(words[1]), "no such library");
                case "heap" -> bed.heapBytes = Long.parseLong(words[1]);
                case "collectors" -> bed.collectors = List.of(words[1].split(", "));
                case "clock-step" -> bed.clockStepNanos = Long.parseLong(words[1]);
                case "free" -> bed.free(Long.parseLong(words[1]));
                default -> throw new AssertionError(each);
            }
        }
        List<Finding> bad = FakeMachine.bad(Checks.of(bed.context(CONNECTIONS)));
        assertEquals(1, bad.size(), bad::toString);
        Finding finding = bad.get(0);
        assertEquals(grade, finding.grade());
        assertTrue(finding.what().contains(what), finding::what);
        assertTrue(finding.remedy().contains(remedy), finding::remedy);
        assertFalse(finding.why().isBlank());
    }

    @Test
    void of_machineThatTellsNothing_failsNowhere() throws Exception {
        FakeMachine bed = new FakeMachine(root);
        CheckContext context = bed.context(CONNECTIONS);
        List<Finding> bad = FakeMachine.bad(Checks.of(new CheckContext(
                context.settings(), Map.of(), CONNECTIONS, new Machine(root.resolve("nowhere")), bed)));
        assertEquals(List.of(), bad);
    }

    @Test
    void of_fewConnections_needsLittle() throws Exception {
        FakeMachine bed = new FakeMachine(root).file("proc/self/limits", "Max open files 1024 2000 files\n");
        bed.heapBytes = 256L << 20;
        assertEquals(List.of(), FakeMachine.bad(Checks.of(bed.context(1_000))));
    }

    // ------------------------------------------------------------------ who has a port

    private FakeMachine taken(String commandLine) throws Exception {
        FakeMachine bed = new FakeMachine(root)
                .file(
                        "proc/net/tcp6",
                        "  sl  local_address\n   0: 00000000000000000000000000000000:1B9E "
                                + "00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1 0\n"
                                + "   1: 00000000000000000000000000000000:1B9E "
                                + "00000000000000000000000000000000:0000 01 00000000:00000000 00:00000000 00000000 0 0 4712 1 0\n")
                .file("proc/77/comm", "java\n")
                .file("proc/77/cmdline", commandLine);
        Files.createDirectories(bed.at("proc/77/fd"));
        Files.createSymbolicLink(bed.at("proc/77/fd/9"), Path.of("socket:[4711]"));
        bed.unbindable.put("0.0.0.0:7070", "Address already in use");
        return bed;
    }

    @Test
    void ports_takenByAnother_isNamed() throws Exception {
        List<Finding> bad =
                FakeMachine.bad(Ports.of(taken("java\0-jar\0other.jar").context(1)));
        assertEquals(1, bad.size());
        assertEquals(Grade.FAIL, bad.get(0).grade());
        assertTrue(bad.get(0).what().endsWith("Address already in use, java, process 77 has it"), bad::toString);
    }

    @Test
    void ports_takenByAGatewayOfOurs_isSaidAndNoFault() throws Exception {
        List<Finding> findings =
                Ports.of(taken("java\0-jar\0/usr/lib/heartwheel-gateway.jar").context(1));
        assertEquals(List.of(), FakeMachine.bad(findings));
        assertTrue(findings.get(0).what().contains("a gateway that runs, process 77 has it"), findings::toString);
    }

    @Test
    void ports_reservedFromOutgoing_areFine() throws Exception {
        FakeMachine bed = new FakeMachine(root)
                .set("listeners.tcp.bind", "0.0.0.0:40000")
                .sysctl("net.ipv4.ip_local_reserved_ports", "39000,39990-40010");
        assertEquals(List.of(), FakeMachine.bad(Ports.of(bed.context(1))));
    }

    // ------------------------------------------------------------------ outlets

    @Test
    void outlets_filesThatAreMissing_areNamed() throws Exception {
        FakeMachine bed = new FakeMachine(root);
        bed.set("sink.kind", "journal");
        bed.set("outlets.main.kind", "webhook");
        bed.set("outlets.main.url", "http://127.0.0.1/");
        bed.set("outlets.main.secret-file", root.resolve("secret").toString());
        bed.set("outlets.main.dead-letter.file", root.resolve("none/dead").toString());
        List<Finding> bad = FakeMachine.bad(FileChecks.ofOutlets(bed.context(1)));
        assertEquals(2, bad.size(), bad::toString);
        assertTrue(bad.get(0)
                .what()
                .startsWith("outlets.main: " + root.resolve("secret") + ": need a file that can be read"));
        assertTrue(bad.get(1).what().contains("none/dead: need a file that has a directory"));
        Files.writeString(root.resolve("secret"), "0123456789abcdef");
        Files.createDirectory(root.resolve("none"));
        assertEquals(List.of(), FakeMachine.bad(FileChecks.ofOutlets(bed.context(1))));
    }

    // ------------------------------------------------------------------ secrets

    @Test
    void secrets_tokenThatOthersRead_isAWarningWithTheCommand() throws Exception {
        Path token = Files.writeString(root.resolve("token"), "very-secret\n");
        FakeMachine bed =
                new FakeMachine(root).set("auth.mode", "shared-token").set("auth.token-file", token.toString());
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        List<Finding> bad = FakeMachine.bad(FileChecks.secrets(bed.context(1)));
        assertEquals(
                "chown root:heartwheel " + token + " && chmod 0640 " + token,
                bad.get(0).remedy());

        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r-----"));
        assertEquals(List.of(), FakeMachine.bad(FileChecks.secrets(bed.context(1))));
        assertEquals(1, FileChecks.secrets(bed.context(1)).size());
    }

    @Test
    void authentication_tokenFile_isLookedFor() throws Exception {
        Path token = Files.writeString(root.resolve("token"), "very-secret\n");
        FakeMachine bed =
                new FakeMachine(root).set("auth.mode", "shared-token").set("auth.token-file", token.toString());
        CheckContext context = bed.context(1);
        assertEquals(
                List.of("auth.mode = shared-token", "auth.token-file = " + token + ": can be read"),
                AuthChecks.of(context).stream().map(Finding::what).toList());

        Files.delete(token);
        List<Finding> bad = FakeMachine.bad(AuthChecks.of(context));
        assertEquals(
                "auth.token-file = " + token + ": cannot be read", bad.get(0).what());
        assertTrue(bad.get(0).remedy().contains(token.toString()));
    }

    @Test
    void authentication_fileWithMistakes_fails() throws Exception {
        Path tokens = Files.writeString(root.resolve("tokens"), "a no-hash\n");
        FakeMachine bed = new FakeMachine(root)
                .set("auth.mode", "methods")
                .set("auth.methods", "tokens")
                .set("auth.tokens.file", tokens.toString());

        List<Finding> bad = FakeMachine.bad(AuthChecks.of(bed.context(1)));
        assertTrue(bad.get(0).what().startsWith("auth.tokens.file = " + tokens + ": line 1: "), bad::toString);
    }

    @Test
    void admin_beyondLoopbackInTheClear_isAWarning() throws Exception {
        String hash = "sha256:" + "0".repeat(32) + ":" + "0".repeat(64);
        Path tokens = Files.writeString(root.resolve("admin-tokens"), "ops read " + hash + "\n");
        FakeMachine bed =
                new FakeMachine(root).set("admin.bind", "0.0.0.0:7090").set("admin.tokens-file", tokens.toString());

        List<Finding> bad = FakeMachine.bad(AdminChecks.of(bed.context(1)));
        assertTrue(bad.get(0).remedy().contains("admin.tls.enabled = true"), bad::toString);
        assertEquals(List.of(), FakeMachine.bad(AdminChecks.of(new FakeMachine(root).context(1))));
    }
}
