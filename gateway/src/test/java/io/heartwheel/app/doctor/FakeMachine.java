package io.heartwheel.app.doctor;

import io.heartwheel.app.doctor.Finding.Grade;
import io.heartwheel.config.ConfigLoader;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.TransportKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A machine that is as a test wants it: a directory that looks like its root, and trials whose outcome is given. Without more it is in good health. */
final class FakeMachine implements Probes {
    final Map<TransportKind, String> obstacles = new HashMap<>();
    final Map<String, String> unbindable = new HashMap<>();
    String account = "heartwheel";
    Optional<String> noBoringSsl = Optional.empty();
    long clockStepNanos = 40;
    long heapBytes = 4L << 30;
    List<String> collectors = List.of("G1 Young Generation", "G1 Old Generation");
    int processors = 4;
    OptionalLong freeBytes = OptionalLong.of(100L << 30);
    String fileSystem = "ext4";
    OptionalLong forceNanos = OptionalLong.of(2_000_000);
    Instant now = Instant.parse("2026-06-01T00:00:00Z");

    private final Path root;
    private final Map<String, String> keys = new HashMap<>();

    FakeMachine(Path root) {
        this.root = root;
        file(
                "proc/self/limits",
                "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024   2000000  files\n");
        file("proc/meminfo", "MemTotal:       33554432 kB\nMemAvailable:   33000000 kB\nSwapTotal:             0 kB\n");
        file("proc/self/cgroup", "0::/system.slice/x.service\n");
        file("proc/net/tcp", "  sl  local_address\n");
        file("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
        file("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm\n");
        sysctl("fs.nr_open", "2000000");
        sysctl("fs.file-max", "9223372036854775807");
        sysctl("fs.file-nr", "1000\t0\t9223372036854775807");
        sysctl("net.core.somaxconn", "65535");
        sysctl("net.ipv4.tcp_max_syn_backlog", "65536");
        sysctl("net.ipv4.tcp_syncookies", "1");
        sysctl("net.ipv4.tcp_mem", "1000000\t1500000\t2000000");
        sysctl("net.ipv4.tcp_wmem", "4096\t32768\t1048576");
        sysctl("net.ipv4.tcp_notsent_lowat", "131072");
        sysctl("net.ipv4.tcp_migrate_req", "1");
        sysctl("net.ipv4.ip_local_port_range", "32768\t60999");
        sysctl("kernel.osrelease", "6.1.0");
        sysctl("vm.swappiness", "60");
        set("admin.bind", "127.0.0.1:7090");
        set("auth.mode", "none");
    }

    FakeMachine file(String path, String text) {
        try {
            Path file = root.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FakeMachine sysctl(String key, String value) {
        return file("proc/sys/" + key.replace('.', '/'), value + "\n");
    }

    /** A key below heartwheel. */
    FakeMachine set(String key, String value) {
        keys.put("heartwheel." + key, value);
        return this;
    }

    /** As the package leaves it: the service, its options, and its settings of the kernel, which are not in force before the next start. */
    FakeMachine packaged() {
        try {
            Path sources = Path.of("..", "systemd");
            for (String unit : List.of("heartwheel.service", "heartwheel@.service")) {
                file("usr/lib/systemd/system/" + unit, Files.readString(sources.resolve(unit)));
            }
            file("usr/lib/sysctl.d/60-heartwheel.conf", Files.readString(sources.resolve("60-heartwheel.conf")));
            return file("etc/default/heartwheel", Files.readString(sources.resolve("deb/default")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** So many bytes are free on every disk. */
    FakeMachine free(long bytes) {
        freeBytes = OptionalLong.of(bytes);
        return this;
    }

    Machine machine() {
        return new Machine(root);
    }

    Path at(String path) {
        return root.resolve(path);
    }

    CheckContext context(long connections) throws Exception {
        LoadedConfig loaded = ConfigLoader.read(null, keys, Map.of());
        return new CheckContext(loaded.settings(), loaded.authFiles(), connections, machine(), this);
    }

    /** Findings that are not in order. */
    static List<Finding> bad(List<Finding> findings) {
        return findings.stream().filter(finding -> finding.grade() != Grade.OK).toList();
    }

    // ------------------------------------------------------------------ trials

    @Override
    public Optional<String> obstacle(TransportKind kind) {
        return Optional.ofNullable(obstacles.get(kind));
    }

    @Override
    public Optional<String> noBoringSsl() {
        return noBoringSsl;
    }

    @Override
    public Optional<String> unbindable(BindAddress address, boolean shared) {
        return Optional.ofNullable(unbindable.get(address.toString()));
    }

    @Override
    public String account() {
        return account;
    }

    @Override
    public long clockStepNanos() {
        return clockStepNanos;
    }

    @Override
    public long heapBytes() {
        return heapBytes;
    }

    @Override
    public List<String> collectors() {
        return collectors;
    }

    @Override
    public int processors() {
        return processors;
    }

    @Override
    public OptionalLong freeBytes(Path file) {
        return freeBytes;
    }

    @Override
    public String fileSystem(Path directory) {
        return fileSystem;
    }

    @Override
    public OptionalLong forceNanos(Path directory) {
        return forceNanos;
    }

    @Override
    public Instant now() {
        return now;
    }
}
