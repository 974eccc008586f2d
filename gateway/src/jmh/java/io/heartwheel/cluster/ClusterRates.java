package io.heartwheel.cluster;

import io.heartwheel.cluster.nats.NatsEngine;
import io.heartwheel.nats.NatsServers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Rates of a fleet's rows over nats-servers that run: claims of ids that nobody had, claims of ids that another node has, each a read and a write, with many
 * under way; all rows, page by page, as when a gateway has died; then lookups at a fixed rate beside claims at a fixed rate, from the intended time to the answer, twice: while the code of lookups is cold, and after.
 *
 * <pre>
 *   java -cp gateway/target/benchmarks.jar io.heartwheel.cluster.ClusterRates REPLICAS BUCKETS DEVICES UNDER-WAY PACED-A-SECOND URL...
 * </pre>
 *
 * One node for each URL, each connected to its own; {@code -Drounds=2} makes two rounds of claims instead of four. The buckets are made anew, and stay.
 */
public final class ClusterRates {
    private static final long WARM_UP_SECONDS = 5;
    private static final long PACED_SECONDS = 10;

    private static final int PAGE = 5_000;
    /** Of claims, each of all ids. */
    private static final int ROUNDS = Integer.getInteger("rounds", 4);

    private final List<RowStore> stores = new ArrayList<>();
    private final List<DeviceRegistry> nodes = new ArrayList<>();
    private final List<NodeId> ids = new ArrayList<>();
    private final int devices;
    private final int underWay;
    private final LongAdder failed = new LongAdder();

    private ClusterRates(int devices, int underWay) {
        this.devices = devices;
        this.underWay = underWay;
    }

    /** Prints a line for each rate, and how many answers failed: none came within 2 s, or the bucket is not there. */
    public static void main(String[] arguments) throws Exception {
        int replicas = Integer.parseInt(arguments[0]);
        int buckets = Integer.parseInt(arguments[1]);
        ClusterRates rates = new ClusterRates(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        int paced = Integer.parseInt(arguments[4]);
        List<String> urls = List.of(arguments).subList(5, arguments.length);
        List<Engine> engines = new ArrayList<>();
        String fleet = "rates-" + System.currentTimeMillis();
        try {
            for (String url : urls) {
                NodeId id = new NodeId("n" + engines.size(), System.currentTimeMillis());
                ClusterSettings settings = new ClusterSettings(
                        fleet,
                        id.name(),
                        "",
                        new NatsServers(List.of(url), null, null, null, null),
                        replicas,
                        buckets,
                        ClusterSettings.OnOutage.REFUSE,
                        1_000);
                Engine engine = new NatsEngine(settings, id).engine();
                engines.add(engine);
                engine.health().repair();
                rates.ids.add(id);
                rates.stores.add(engine.rows());
                rates.nodes.add(new DeviceRegistry(engine.rows()));
            }
            rates.run(paced);
        } finally {
            engines.forEach(Engine::close);
        }
    }

    private void run(int paced) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            claimAll(round);
        }
        readAll();
        look(paced, WARM_UP_SECONDS); // told too: nobody has looked anything up before
        look(paced, PACED_SECONDS);
    }

    private void readAll() throws Exception {
        long beganNanos = System.nanoTime();
        RowStore store = stores.get(0);
        byte[] key = device(devices - 1);
        Moment now = get(store.moment(key, get(store.readLatest(key)).revision()));
        int rows = 0;
        int empty = 0;
        int late = 0;
        for (long at = now.next(0); at != Moment.THROUGH; at = now.next(at)) { // the copy that is read may lag
            List<RowStore.Entry> page = List.of();
            try {
                page = get(store.page(false, at, PAGE));
            } catch (ExecutionException e) { // as a gateway would, it asks again
                late++;
            }
            rows += page.size();
            empty += page.isEmpty() ? 1 : 0;
            at = page.isEmpty() ? at : page.get(page.size() - 1).row().revision();
        }
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        print(
                "all rows, page by page: %,d in %.2f s, %,.0f a second, %d times none yet, in %d of them no answer in time",
                rows, seconds, rows / seconds, empty, late);
    }

    private static <T> T get(CompletionStage<T> answer) throws Exception {
        return answer.toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private static byte[] device(int index) {
        return ("sensor-" + index).getBytes(StandardCharsets.US_ASCII);
    }

    /** Each id is claimed once, in the first round by the node that it falls to, in each further one by the next. */
    private void claimAll(int round) throws Exception {
        Semaphore free = new Semaphore(underWay);
        long beganNanos = System.nanoTime();
        for (int i = 0; i < devices; i++) {
            free.acquire();
            claim(i, round).whenComplete((claimed, problem) -> {
                note(problem);
                free.release();
            });
        }
        free.acquire(underWay);
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        String what = round == 0 ? "ids that nobody had" : "ids of another node";
        print(
                "claims of %s: %,d in %.2f s, %,.0f a second, %d failed",
                what, devices, seconds, devices / seconds, failed.sumThenReset());
    }

    private CompletionStage<DeviceRegistry.Claimed> claim(int device, int round) {
        int node = (device + round) % nodes.size();
        long session = (long) round * devices + device + 1;
        return nodes.get(node).claim(device(device), ids.get(node), session, session, row -> true);
    }

    private void look(int paced, long seconds) throws InterruptedException {
        Histogram lookups = new ConcurrentHistogram(3);
        Histogram claims = new ConcurrentHistogram(3);
        long stepNanos = TimeUnit.SECONDS.toNanos(1) / paced;
        long count = paced * seconds;
        AtomicLong left = new AtomicLong(2 * count);
        long beginNanos = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long dueNanos = beginNanos + i * stepNanos;
            while (System.nanoTime() - dueNanos < 0) {
                LockSupport.parkNanos(dueNanos - System.nanoTime());
            }
            int device = (int) ((i * 7919L) % devices);
            nodes.get(i % nodes.size())
                    .locate(device(device), false)
                    .whenComplete((row, problem) -> record(lookups, dueNanos, problem, left));
            claim((device + 1) % devices, 4 + i % 3)
                    .whenComplete((claimed, problem) -> record(claims, dueNanos, problem, left));
        }
        while (left.get() > 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        tell("lookups", paced, lookups);
        tell("claims", paced, claims);
        print("failed of both: %d", failed.sumThenReset());
    }

    private void record(Histogram into, long dueNanos, Throwable problem, AtomicLong left) {
        note(problem);
        into.recordValue(System.nanoTime() - dueNanos);
        left.decrementAndGet();
    }

    private static void tell(String what, int paced, Histogram times) {
        print(
                "%s, %,d a second each: p50 %.2f ms, p99 %.2f ms, max %.1f ms",
                what,
                paced,
                times.getValueAtPercentile(50) / 1e6,
                times.getValueAtPercentile(99) / 1e6,
                times.getMaxValue() / 1e6);
    }

    private void note(Throwable problem) {
        if (problem != null) {
            failed.increment();
        }
    }

    private static void print(String form, Object... values) {
        System.out.println(String.format(Locale.ROOT, form, values));
    }
}
