package io.heartwheel.loadgen.workers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.fleet.Slice;
import io.heartwheel.loadgen.workers.Load.StartedGateways;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Division of the work, and the obstacles it names. */
final class LoadDivisionTest {

    private static final long GIB = 1L << 30;
    private static final StartedGateways NONE = StartedGateways.NONE;
    private static final boolean HERE = true;
    private static final boolean ELSEWHERE = false;

    static Load load(int clients, boolean loopback) {
        return load(clients, loopback, 1, NONE, null);
    }

    private static Load load(
            int clients, boolean loopback, double sockets, StartedGateways gateways, SourceRange from) {
        return new Load(0, clients, clients, loopback, 1, sockets, 0, 0, gateways, from);
    }

    /** The machine of the million: 2 cores, 24 GiB, 20,000 files. */
    static MachineLimits machine(long files, int cores) {
        return new MachineLimits(files, files, cores, 32_768, 60_999, 23 * GIB, 1_048_576, 2_466_183, 0, 1);
    }

    @Test
    void division_aMillionWith20000Files_is53WorkersWithTwoSourcesEach() {
        LoadDivision division = LoadDivision.of(load(1_000_000, HERE), machine(20_000, 2));
        assertTrue(division.fits());
        assertEquals(53, division.shares().size());
        WorkerShare first = division.shares().get(0);
        assertEquals(
                new WorkerShare(
                        new Slice(0, 18_868, 1_000_000, 0, 53), 1, 64L << 20, List.of("127.1.0.1", "127.1.0.2")),
                first);
        WorkerShare last = division.shares().get(52);
        assertEquals(new Slice(981_133, 18_867, 1_000_000, 52, 53), last.slice());
        assertEquals(List.of("127.1.0.105", "127.1.0.106"), last.sources());
        assertEquals(
                "plan     1,000,000 devices: 53 workers of 18,868 or 18,867, 1 loop each, heap 64 MiB each",
                division.lines().get(0));
        assertEquals(
                "sources  127.1.0.1..127.1.0.106, 2 for each worker; at most 10,000 connections from one to one target",
                division.lines().get(2));
    }

    @Test
    void division_manyProcesses_advisesMoreFiles() {
        LoadDivision division = LoadDivision.of(load(1_000_000, HERE), machine(20_000, 2));
        assertEquals(
                List.of(new PreflightProblem(
                        false,
                        "53 workers on 2 processors, because a process may open only 20,000 files",
                        "ulimit -n 110000 (as root; in a systemd unit: LimitNOFILE=110000)")),
                division.problems());
    }

    @Test
    void division_small_isOneWorkerWithSeveralLoopsAndNoObstacle() {
        LoadDivision division = LoadDivision.of(load(10_000, HERE), machine(20_000, 16));
        assertEquals(1, division.shares().size());
        assertEquals(8, division.shares().get(0).loops());
        assertEquals(List.of(), division.problems());
        assertEquals(
                1,
                LoadDivision.of(load(300, HERE), machine(20_000, 16))
                        .shares()
                        .get(0)
                        .loops());
        assertEquals(
                16,
                LoadDivision.of(load(10_000, ELSEWHERE), machine(20_000, 16))
                        .shares()
                        .get(0)
                        .loops());
    }

    @Test
    void division_fewFiles_isBlockedAndTellsBothCommands() {
        LoadDivision division = LoadDivision.of(load(1_000_000, HERE), machine(1_024, 2));
        assertFalse(division.fits());
        PreflightProblem problem = division.problems().get(0);
        assertEquals(
                "a process may open 1,024 files: 1,292 workers would be needed, 1,000 is the most", problem.text());
        assertEquals("ulimit -n 1400 (as root; in a systemd unit: LimitNOFILE=1400)", problem.remedy());
        assertFalse(LoadDivision.of(load(1, HERE), machine(64, 2)).fits());
        MachineLimits low = new MachineLimits(64, 64, 2, 32_768, 60_999, 23 * GIB, 200, 2_466_183, 0, 1);
        String remedy = LoadDivision.of(load(1, HERE), low).problems().get(0).remedy();
        assertEquals("sysctl -w fs.nr_open=301 && ulimit -n 301 (as root; in a systemd unit: LimitNOFILE=301)", remedy);
    }

    @Test
    void division_elsewhereOverThePorts_isBlockedAndTellsWhatMends() {
        assertEquals(
                List.of(),
                LoadDivision.of(load(10_000, ELSEWHERE), machine(30_000, 8)).problems());

        PreflightProblem close = only(LoadDivision.of(load(20_000, ELSEWHERE), machine(30_000, 8)));
        assertFalse(close.blocking());
        assertEquals("sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"", close.remedy());

        PreflightProblem over = only(LoadDivision.of(load(40_000, ELSEWHERE), machine(50_000, 8)));
        assertTrue(over.blocking());
        assertEquals(
                "40,000 connections to one address and port from the address the kernel chooses: planned are at most"
                        + " 10,000, there are 28,232 ports",
                over.text());
        assertEquals("ip address add ADDRESS dev DEVICE, until there are 4, and --source FIRST-LAST", over.remedy());

        PreflightProblem far = only(LoadDivision.of(load(100_000, ELSEWHERE), machine(110_000, 8)));
        assertEquals("ip address add ADDRESS dev DEVICE, until there are 10, and --source FIRST-LAST", far.remedy());
        Load ten = load(100_000, ELSEWHERE, 1, NONE, SourceRange.parse("10.0.0.5-10.0.0.14"));
        assertEquals(List.of(), LoadDivision.of(ten, machine(110_000, 8)).problems());
    }

    /** Seen: 100 devices that came and went used up 400 ports within seconds, and the plan had nothing against it. */
    @Test
    void division_portsInTimeWait_areCountedWhereTheyAreNotUsedAgain() {
        Load churn = new Load(0, 1_000, 1_000, ELSEWHERE, 1, 1, 30, 0, NONE, null);
        MachineLimits reusing = machine(20_000, 2);
        assertEquals(List.of(), LoadDivision.of(churn, reusing).problems());
        PreflightProblem over = only(LoadDivision.of(churn, reusing(0)));
        assertTrue(over.blocking());
        assertEquals(
                "1,000 connections and 30,000 ports in TIME_WAIT to one address and port from the address the kernel"
                        + " chooses: planned are at most 10,000, there are 28,232 ports",
                over.text());
        assertEquals("sysctl -w net.ipv4.tcp_tw_reuse=1", over.remedy());
        assertTrue(only(LoadDivision.of(churn, reusing(2))).blocking(), "2 is for loopback alone");
        Load here = new Load(0, 1_000, 1_000, HERE, 1, 1, 30, 0, NONE, null);
        assertEquals(
                1, LoadDivision.of(here, reusing(2)).shares().get(0).sources().size());
        assertEquals(
                4, LoadDivision.of(here, reusing(0)).shares().get(0).sources().size());
    }

    private static MachineLimits reusing(int timeWaitReuse) {
        return new MachineLimits(20_000, 20_000, 2, 32_768, 60_999, 23 * GIB, 1_048_576, 2_466_183, 0, timeWaitReuse);
    }

    @Test
    void division_fewerSourcesThanWorkers_sharesThem() {
        Load load = load(30_000, ELSEWHERE, 1, NONE, SourceRange.parse("10.0.0.5-10.0.0.6"));
        LoadDivision division = LoadDivision.of(load, machine(5_000, 8));
        assertTrue(division.fits());
        assertEquals(7, division.shares().size());
        for (WorkerShare share : division.shares()) {
            assertEquals(List.of("10.0.0.5", "10.0.0.6"), share.sources());
        }
        assertTrue(division.lines().get(2).contains("shared by all workers"), () -> division.lines()
                .get(2));
    }

    @Test
    void division_loopbackSourcesForATargetElsewhere_isBlocked() {
        Load load = load(10, ELSEWHERE, 1, NONE, SourceRange.parse("127.1.0.0/16"));
        assertTrue(only(LoadDivision.of(load, machine(20_000, 2))).blocking());
    }

    @Test
    void division_tooFewLoopbackSources_tellsToTakeMore() {
        Load load = load(100_000, HERE, 1, NONE, SourceRange.parse("127.1.0.1"));
        PreflightProblem problem =
                LoadDivision.of(load, machine(1_048_576, 2)).problems().get(0);
        assertTrue(problem.blocking());
        assertEquals("--source 127.1.0.0/16", problem.remedy());
    }

    @Test
    void division_machineWideLimits_areEachTold() {
        MachineLimits poor = new MachineLimits(20_000, 20_000, 64, 32_768, 60_999, 2 * GIB, 1_048_576, 5_000, 1_000, 1);
        List<String> remedies = LoadDivision.of(load(100_000, HERE), poor).problems().stream()
                .map(PreflightProblem::remedy)
                .toList();
        assertEquals(
                List.of("sysctl -w fs.file-max=220660", "sysctl -w net.netfilter.nf_conntrack_max=110000"), remedies);
    }

    @Test
    void division_tooLittleMemory_tellsWhatFits() {
        MachineLimits poor = new MachineLimits(20_000, 20_000, 64, 32_768, 60_999, 5 * GIB, 1_048_576, 2_466_183, 0, 1);
        PreflightProblem problem = only(LoadDivision.of(load(1_000_000, HERE), poor));
        assertFalse(problem.blocking());
        assertTrue(problem.remedy().matches("--clients \\d{6}, or more machines: --agent CMD"), problem::line);
    }

    /** Measured: 53 workers 3.8 GiB, 53 gateways 3.2 GiB, kernel 5.9 GiB; the coordinator was not counted then. */
    @Test
    void lines_aMillionWithItsGateways_countsAllThatWasMeasured() {
        Load load = load(
                1_000_000,
                HERE,
                1,
                StartedGateways.of(53, List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")),
                null);
        List<String> lines = LoadDivision.of(load, machine(20_000, 2)).lines();
        assertEquals("gateways 53 gateways started here, about 18,867 devices each", lines.get(3));
        assertEquals(
                "memory   about 14,162 MiB: coordinator 110, workers 3,863, gateways 4,134, kernel 6,053; available 23,552 MiB",
                lines.get(4));
    }

    @Test
    void memory_gatewaysElsewhereOrOfManySizes_areCountedAsTheyAre() {
        ExpectedMemory none = ExpectedMemory.of(load(10_000, ELSEWHERE), 1);
        assertEquals(0, none.gatewayBytes());
        assertEquals(0, none.workerBytes());
        assertEquals(10_000 * ExpectedMemory.SOCKET_BYTES, none.kernelBytes());
        Load here = load(10_000, HERE, 1, new StartedGateways(1, false), null);
        assertEquals(183, ExpectedMemory.of(here, 1).gatewayBytes() >> 20, "187 MiB were measured");
        assertEquals(140, ExpectedMemory.of(here, 1).coordinatorBytes() >> 20, "141 MiB were measured");
        Load secured = new Load(0, 10_000, 10_000, HERE, 1, 1, 0, Load.TLS_BYTES / 2, here.gateways(), null);
        assertEquals(
                2 * 10_000 * Load.TLS_BYTES / 2,
                ExpectedMemory.of(secured, 1).totalBytes()
                        - ExpectedMemory.of(here, 1).totalBytes());
        assertEquals(0, ExpectedMemory.of(here.part(0, 5_000), 1).gatewayBytes(), "an agent's machine has none");
    }

    @Test
    void division_gatewaysBesideIt_needMemoryToo() {
        MachineLimits machine =
                new MachineLimits(20_000, 20_000, 64, 32_768, 60_999, 12 * GIB, 1_048_576, 2_466_183, 0, 1);
        assertEquals(List.of(), LoadDivision.of(load(1_000_000, HERE), machine).problems());
        Load beside = load(1_000_000, HERE, 1, new StartedGateways(53, true), null);
        assertTrue(only(LoadDivision.of(beside, machine)).text().startsWith("about 14,1"), beside::toString);
    }

    @Test
    void division_nothingKnown_hasNoObstacle() {
        MachineLimits unknown = new MachineLimits(0, 0, 2, 32_768, 60_999, 0, 0, 0, 0, 1);
        assertEquals(List.of(), LoadDivision.of(load(100_000, HERE), unknown).problems());
    }

    @Test
    void amongMachines_byProcessors_losesNobody() {
        List<Load> parts = LoadDivision.amongMachines(
                load(10, HERE), List.of(machine(20_000, 1), machine(20_000, 8), machine(20_000, 1)));
        assertEquals(List.of(1, 8, 1), parts.stream().map(Load::count).toList());
        assertEquals(List.of(0, 1, 9), parts.stream().map(Load::first).toList());
        assertEquals(
                List.of(1),
                LoadDivision.amongMachines(load(1, HERE), List.of(machine(20_000, 4), machine(20_000, 4))).stream()
                        .map(Load::count)
                        .toList());
    }

    @Test
    void assignments_ofTwoMachines_numberTheWorkersThrough() {
        MachineLimits machine = machine(20_000, 2);
        List<LoadDivision> divisions =
                LoadDivision.amongMachines(load(60_000, HERE), List.of(machine, machine)).stream()
                        .map(part -> LoadDivision.of(part, machine))
                        .toList();
        List<Assignment> assignments = LoadDivision.assignments("text", divisions);
        assertEquals(
                List.of(
                        new Slice(0, 15_000, 60_000, 0, 4),
                        new Slice(15_000, 15_000, 60_000, 1, 4),
                        new Slice(30_000, 15_000, 60_000, 2, 4),
                        new Slice(45_000, 15_000, 60_000, 3, 4)),
                assignments.stream()
                        .flatMap(each -> each.shares().stream())
                        .map(WorkerShare::slice)
                        .toList());
        assertEquals("text", assignments.get(1).scenario());
    }

    /** Over random loads and machines: every device exactly once, and no limit passed where nothing blocks. */
    @Test
    void division_anyLoadAndMachine_coversAllAndKeepsTheLimits() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        System.out.println("LoadDivisionTest seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            check(random, "seed " + seed + ", round " + round);
        }
    }

    private static void check(Random random, String where) {
        int total = 1 + random.nextInt(1 << random.nextInt(1, 21));
        double share = random.nextBoolean() ? 1 : 0.25 + 0.75 * random.nextDouble();
        boolean loopback = random.nextBoolean();
        SourceRange range = random.nextInt(3) > 0
                ? null
                : new SourceRange(0x0A00_0001, 0x0A00_0001 + random.nextInt(1 << random.nextInt(1, 12)));
        Load load = new Load(0, total, total, loopback, share, 1 + random.nextInt(3) / 2.0, 0, 0, NONE, range);
        MachineLimits limits = machine(400 + random.nextInt(1 << random.nextInt(1, 20)), 1 + random.nextInt(64));
        LoadDivision division = LoadDivision.of(load, limits);
        Map<String, Double> bySource = new HashMap<>();
        Set<String> owned = new HashSet<>();
        int next = 0;
        for (WorkerShare each : division.shares()) {
            assertEquals(next, each.slice().first(), where);
            next += each.slice().count();
            double sockets = each.slice().count() * load.socketsPerDevice();
            for (String source : each.sources()) {
                bySource.merge(source, sockets * share / each.sources().size(), Double::sum);
                owned.add(source);
            }
            if (division.fits()) {
                assertTrue(sockets <= limits.descriptors() - 250, where);
            }
            assertTrue(each.loops() >= 1 && each.loops() <= limits.cores(), where);
        }
        assertEquals(total, next, where);
        boolean roomy = division.problems().stream().noneMatch(o -> o.text().contains("to one address and port"));
        if (roomy) {
            // A worker's rounding may put one more connection on a source than on the next, several workers several.
            bySource.forEach((source, many) ->
                    assertTrue(many <= 20_000 + division.shares().size(), () -> where + ": " + source + " " + many));
        }
        if (range != null) {
            assertTrue(owned.size() <= range.count(), where);
        }
    }

    private static PreflightProblem only(LoadDivision division) {
        assertEquals(1, division.problems().size(), () -> String.join("\n", division.lines()));
        return division.problems().get(0);
    }
}
