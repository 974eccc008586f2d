package io.heartwheel.loadgen.workers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A coordinator that starts what it is told to, prints the process ids, and waits to be killed. */
final class TestCoordinator {

    private TestCoordinator() {}

    /** {@code workers}, or {@code gateway JAR}, which it freezes. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("workers")) {
            WorkerGroup group = TestWorkerMain.pool().start(WorkerPoolIT.assignment("fine", 2));
            group.begin();
            System.out.println(group.pids());
        } else {
            GatewayPool pool = new GatewayPool(
                    TestGateways.loopback(Path.of(arguments[1]), 1, List.of(), SmallJvm.options(64L << 20)));
            pool.start();
            pool.freeze(List.of(0), Duration.ofSeconds(2));
            System.out.println(List.of(pool.pid(0)));
        }
        new CountDownLatch(1).await();
    }
}
