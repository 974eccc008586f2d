package io.heartwheel.loadgen.workers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Check of a machine for what stands in the way of a load. One use, one thread. */
record Preflight(Load load, MachineLimits limits, int workers, SourcePlan sourcing, List<PreflightProblem> found) {

    private static final int FILES_OF_A_WORKER = 100;
    private static final int WIDEST_PORTS = 65_535 - 1_024 + 1;

    /** What stands in the way, what blocks first. */
    static List<PreflightProblem> problems(Load load, MachineLimits limits, int workers, SourcePlan sourcing) {
        Preflight check = new Preflight(load, limits, workers, sourcing, new ArrayList<>());
        check.descriptors();
        check.sources();
        check.machineWide();
        check.memory();
        check.found.sort(Comparator.comparing(PreflightProblem::blocking).reversed());
        return check.found;
    }

    private void descriptors() {
        long wanted = LoadDivision.workersWanted(load, limits);
        long ofAWorker = LoadDivision.devicesOfAWorker(load, limits);
        double sockets = load.socketsPerDevice();
        if (ofAWorker < 1 || wanted > Assignment.MOST_WORKERS) {
            long least = roomy((long) Math.ceil(sockets * load.count() / Assignment.MOST_WORKERS)) + 300;
            String text = "a process may open %,d files: %,d workers would be needed, %,d is the most";
            problem(true, raiseFiles(least), text, limits.descriptors(), wanted, Assignment.MOST_WORKERS);
        } else if (workers > 4 * limits.cores() && ofAWorker < LoadDivision.MOST_DEVICES_OF_A_WORKER) {
            long good = roomy((long) Math.ceil(sockets * LoadDivision.MOST_DEVICES_OF_A_WORKER));
            String text = "%,d workers on %,d processors, because a process may open only %,d files";
            problem(false, raiseFiles(good), text, workers, limits.cores(), limits.descriptors());
        }
    }

    private String raiseFiles(long files) {
        String raise = "ulimit -n " + files + " (as root; in a systemd unit: LimitNOFILE=" + files + ")";
        boolean overCeiling = limits.openFilesCeiling() > 0 && files > limits.openFilesCeiling();
        return overCeiling ? "sysctl -w fs.nr_open=" + files + " && " + raise : raise;
    }

    private void sources() {
        long open = sockets(load.widestShare());
        long peak = (long) Math.ceil(load.count() * load.portsPerDevice(limits) * load.widestShare());
        SourceRange range = sourcing.range();
        if (range != null && range.isLoopback() && !load.allLoopback()) {
            problem(true, "--source with addresses of this machine", "from %s only loopback can be reached", range);
        } else if (peak > sourcing.capacity()) {
            // What the kernel could still find is advice; what there are no ports for at all blocks.
            long ports = (long) limits.ports() * (range == null ? 1 : range.count());
            problem(
                    peak > ports,
                    open <= sourcing.capacity() && limits.timeWaitReuse() != 1
                            ? "sysctl -w net.ipv4.tcp_tw_reuse=1"
                            : moreSources(peak, range),
                    "%,d connections%s to one address and port from %s: planned are at most %,d, there are %,d ports",
                    open,
                    peak > open ? String.format(Locale.ROOT, " and %,d ports in TIME_WAIT", peak - open) : "",
                    range == null ? "the address the kernel chooses" : range,
                    sourcing.capacity(),
                    ports);
        }
    }

    private String moreSources(long peak, @Nullable SourceRange range) {
        if (load.allLoopback()) {
            return "--source 127.1.0.0/16";
        }
        long addresses = range == null ? 1 : range.count();
        if (peak <= addresses * SourcePlan.perSource(WIDEST_PORTS)) {
            return "sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"";
        }
        long needed = (peak + sourcing.perSource() - 1) / sourcing.perSource();
        return "ip address add ADDRESS dev DEVICE, until there are " + needed + ", and --source FIRST-LAST";
    }

    private void machineWide() {
        long sockets = sockets(1) * (load.allLoopback() ? 2 : 1);
        long files = sockets + (long) workers * FILES_OF_A_WORKER;
        exceeded(files, limits.openFilesOfAll(), "fs.file-max", "open files on the whole machine");
        exceeded(sockets(1), limits.trackedConnections(), "net.netfilter.nf_conntrack_max", "tracked connections");
    }

    private void exceeded(long need, long allowed, String key, String what) {
        if (allowed > 0 && need > allowed) {
            problem(true, "sysctl -w " + key + "=" + roomy(need), "%,d %s, there are %,d left", need, what, allowed);
        }
    }

    private void memory() {
        long need = ExpectedMemory.of(load, workers).totalBytes();
        long available = limits.availableBytes();
        if (available > 0 && need > available) {
            long fitting = (long) (load.count() * (double) available / need);
            String remedy = "--clients " + fitting + ", or more machines: --agent CMD";
            problem(false, remedy, "about %,d MiB of memory needed, %,d MiB available", need >> 20, available >> 20);
        }
    }

    /** A tenth more, so that the next obstacle is not the same again. */
    private static long roomy(long least) {
        return least + least / 10;
    }

    private long sockets(double share) {
        return (long) Math.ceil(load.count() * load.socketsPerDevice() * share);
    }

    private void problem(boolean blocking, String remedy, String text, Object... values) {
        found.add(new PreflightProblem(blocking, String.format(Locale.ROOT, text, values), remedy));
    }
}
