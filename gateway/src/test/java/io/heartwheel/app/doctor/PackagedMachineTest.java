package io.heartwheel.app.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.app.doctor.Finding.Grade;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Doctor where the package is installed: what counts is the service's, and no remedy takes back what the package gives. */
class PackagedMachineTest {
    private static final int CONNECTIONS = 100_000;
    private static final Pattern SETTING = Pattern.compile("((?:net|fs)[.a-z0-9_-]+) = ([0-9 ]+)");

    @TempDir
    private Path root;

    private FakeMachine packaged() {
        return new FakeMachine(root).packaged();
    }

    private static List<Finding> bad(FakeMachine bed) throws Exception {
        return FakeMachine.bad(Checks.of(bed.context(CONNECTIONS)));
    }

    private static List<String> remedies(List<Finding> findings) {
        return findings.stream().map(Finding::remedy).toList();
    }

    @Test
    void of_shellWithLowLimits_looksAtThoseOfTheService() throws Exception {
        FakeMachine bed = packaged().file("proc/self/limits", "Max open files 1024 20000 files\n");
        bed.heapBytes = 64L << 20;
        bed.collectors = List.of("Copy", "MarkSweepCompact");

        List<Finding> findings = Checks.of(bed.context(CONNECTIONS));

        assertEquals(List.of(), FakeMachine.bad(findings));
        String all = findings.toString();
        assertTrue(all.contains("1,048,576 allowed (LimitNOFILE of heartwheel.service)"), all);
        assertTrue(all.contains("heap of 13,107 MiB with the options of the service"), all);
        assertTrue(all.contains("collector: G1"), all);
    }

    @Test
    void of_dropIns_haveTheLastWord() throws Exception {
        FakeMachine bed = packaged()
                .file("etc/systemd/system/heartwheel.service.d/override.conf", "[Service]\nLimitNOFILE=1024:5000\n")
                .file("run/systemd/system/heartwheel.service.d/60-x.conf", "[Service]\nLimitNOFILE=infinity\n")
                .file("etc/default/heartwheel", "#JAVA_OPTS=-Xmx1m\nJAVA_OPTS=-XX:+UseG1GC -Xmx100m -Dx=y\n");

        List<Finding> bad = bad(bed);

        assertEquals(2, bad.size(), bad::toString);
        assertTrue(bad.get(0).what().contains("5,000 allowed"), bad::toString);
        assertEquals(Grade.FAIL, bad.get(1).grade());
        assertEquals(
                List.of(
                        "systemctl edit heartwheel, in [Service]: LimitNOFILE=100556",
                        "in /etc/default/heartwheel: JAVA_OPTS=-Xmx315m -XX:+UseG1GC -Dx=y"),
                remedies(bad));
    }

    @Test
    void of_instances_speaksOfTheirs() throws Exception {
        FakeMachine bed = packaged()
                .file("etc/systemd/system/heartwheel.target.wants/heartwheel@1.service", "")
                .file("proc/meminfo", "MemTotal: 2097152 kB\nSwapTotal: 0 kB\n");

        String all = Checks.of(bed.context(CONNECTIONS)).toString();

        assertTrue(all.contains("LimitNOFILE of heartwheel@.service"), all);
        assertTrue(all.contains("heap of 409 MiB"), all);
    }

    @Test
    void of_settingsOfThePackageNotInForce_areOnlyToBeApplied() throws Exception {
        List<Finding> bad = bad(packaged().sysctl("net.core.somaxconn", "128"));

        assertEquals(
                List.of("sysctl --system (/usr/lib/sysctl.d/60-heartwheel.conf has it, and it is not in force:"
                        + " net.core.somaxconn = 65535)"),
                remedies(bad));
    }

    @Test
    void of_settingLoweredByTheAdministrator_namesHisFile() throws Exception {
        List<Finding> bad = bad(packaged()
                .sysctl("net.core.somaxconn", "128")
                .file("etc/sysctl.d/70-own.conf", "net.core.somaxconn=128\n"));

        assertEquals(
                List.of("in /etc/sysctl.d/70-own.conf: net.core.somaxconn = 4096, then sysctl --system"),
                remedies(bad));
    }

    /** What is less than is needed is raised, and what is more than that stays. */
    @Test
    void of_anyAilment_noRemedyLowersAnything() throws Exception {
        Map<String, Long> given = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("..", "systemd", "60-heartwheel.conf"))) {
            Matcher setting = SETTING.matcher(line);
            if (setting.find()) {
                given.put(setting.group(1), Machine.number(setting.group(2).strip()));
            }
        }
        assertTrue(given.size() > 8, given::toString);
        List<Consumer<FakeMachine>> ailments = List.of(
                bed -> bed.sysctl("fs.nr_open", "20000"),
                bed -> bed.sysctl("fs.file-max", "20000"),
                bed -> bed.sysctl("net.core.somaxconn", "128"),
                bed -> bed.sysctl("net.ipv4.tcp_max_syn_backlog", "128"),
                bed -> bed.sysctl("net.ipv4.tcp_notsent_lowat", "-1").sysctl("net.ipv4.tcp_wmem", "1 2 9999999"),
                bed -> bed.sysctl("net.netfilter.nf_conntrack_count", "9")
                        .sysctl("net.netfilter.nf_conntrack_max", "99"));
        for (Consumer<FakeMachine> ailment : ailments) {
            FakeMachine bed = packaged();
            ailment.accept(bed);
            List<Finding> bad = bad(bed);
            assertTrue(!bad.isEmpty());
            for (Finding finding : bad) {
                Matcher setting = SETTING.matcher(finding.remedy());
                assertTrue(setting.find(), finding::toString);
                long to = Machine.number(setting.group(2).strip());
                assertTrue(to >= given.getOrDefault(setting.group(1), 0L), finding::toString);
            }
        }
    }

    @Test
    void of_tcpMemory_keepsWhatIsMore() throws Exception {
        FakeMachine bed = new FakeMachine(root).sysctl("net.ipv4.tcp_mem", "80000 85000 90000");

        assertEquals(
                "echo 'net.ipv4.tcp_mem = 80000 85000 100000' >> /etc/sysctl.d/90-local.conf && sysctl --system",
                bad(bed).get(0).remedy());
    }

    @Test
    void of_portsReservedAlready_keepsThem() throws Exception {
        FakeMachine bed = new FakeMachine(root)
                .set("listeners.tcp.bind", "0.0.0.0:40000")
                .sysctl("net.ipv4.ip_local_reserved_ports", "8080,9000-9100");

        String remedies = remedies(bad(bed)).toString();
        assertTrue(remedies.contains("net.ipv4.ip_local_reserved_ports = 8080,9000-9100,40000"), remedies);
    }

    @Test
    void of_anotherAccount_tellsWhatToRun() throws Exception {
        FakeMachine bed = packaged();
        bed.account = "root";

        List<Finding> bad = bad(bed);

        assertEquals(
                "root, and heartwheel.service runs as heartwheel", bad.get(0).what());
        assertEquals(
                List.of("as root: runuser -u heartwheel -- heartwheel-gateway doctor, with the same options"),
                remedies(bad));
    }

    @Test
    void of_lowPortThatTheServiceMayTake_isFine() throws Exception {
        FakeMachine bed = packaged().set("listeners.tcp.bind", "0.0.0.0:443");
        bed.unbindable.put("0.0.0.0:443", "Permission denied");
        assertEquals(1, bad(bed).size());

        bed.file(
                "etc/systemd/system/heartwheel.service.d/override.conf",
                "[Service]\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n");
        assertEquals(List.of(), bad(bed));
    }

    /** The sandbox of the service hides its descriptors from the same account outside; the socket's owner is seen all the same. */
    @Test
    void of_portOfTheGatewayThatRuns_isKnownByItsAccount() throws Exception {
        FakeMachine bed = packaged()
                .file("proc/self/status", "Name:\tjava\nUid:\t997\t997\t997\t997\n")
                .file(
                        "proc/net/tcp6",
                        "sl\n 0: 00000000000000000000000000000000:1B9E 0:0 0A 0:0 00:0 0 997 0 4711 1 0\n");
        bed.unbindable.put("0.0.0.0:7070", "Address already in use");
        assertEquals(List.of(), bad(bed));

        bed.file("proc/self/status", "Name:\tjava\nUid:\t1000\t1000\t1000\t1000\n");
        List<Finding> bad = bad(bed);
        assertEquals(1, bad.size());
        String who = "a process of user 997, which this account may not look at has it";
        assertTrue(bad.get(0).what().endsWith(who), bad::toString);
        assertTrue(bad.get(0).remedy().startsWith("as root: ss -ltnp"), bad::toString);
    }
}
