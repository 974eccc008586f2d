package io.heartwheel.app;

import io.heartwheel.admin.ReloadReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Notes what it is told; ends when it is told to. */
final class FakeGateway implements RunningGateway {
    final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch ended = new CountDownLatch(1);

    @Override
    public void shutdown() {
        done.add("shutdown");
        ended.countDown();
    }

    @Override
    public ReloadReport reload() {
        done.add("reload");
        return ReloadReport.applied(List.of(), List.of());
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        ended.await();
    }
}
