package io.heartwheel.admin;

import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainOrder;
import io.heartwheel.drain.DrainPhase;
import io.heartwheel.drain.DrainPlan;
import io.heartwheel.drain.DrainProgress;
import io.heartwheel.drain.DrainSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Drains that do not progress, for 3,000 devices of which a tenth is plain. */
final class FakeDrains implements DrainControl {
    volatile @Nullable DrainOrder ordered;
    volatile @Nullable Exception cancelFails;
    /** How many gateways say that they take the 1,000 devices a second. */
    volatile int announcing;

    @Override
    public DrainSettings settings() {
        return new DrainSettings(
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                10_000,
                1_000,
                Duration.ZERO,
                "",
                announcing);
    }

    @Override
    public DrainPlan forecast(DrainOrder order) {
        long devices = order.isShare() ? 120 : 3_000;
        return DrainPlan.of(settings(), order, devices, devices / 10);
    }

    @Override
    public DrainProgress start(DrainOrder order) {
        if (ordered != null) {
            throw new Conflict("telling: there is one");
        }
        ordered = order;
        return progress();
    }

    @Override
    public CompletionStage<DrainProgress> cancel() {
        DrainOrder order = ordered;
        if (order == null) {
            throw new Conflict("there is no drain to take back");
        }
        DrainProgress last = new DrainProgress(
                DrainPhase.CANCELLED, forecast(order), true, 0, 1_000_000_000L, 3_000, 10, 9, 0, 2_991);
        return cancelFails == null
                ? CompletableFuture.completedFuture(last)
                : CompletableFuture.failedFuture(cancelFails);
    }

    @Override
    public DrainProgress progress() {
        DrainOrder order = ordered;
        return order == null
                ? DrainProgress.NONE
                : new DrainProgress(
                        DrainPhase.TELLING,
                        forecast(order),
                        order.stay(),
                        1_700_000_000_000L,
                        2_000_000_000L,
                        3_000,
                        1_200,
                        1_100,
                        50,
                        1_850);
    }
}
