package io.heartwheel.app.warmup;

import io.heartwheel.config.GatewaySettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warm-up of a start.
 */
public final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** Age of the process at which it ends, so that the start takes less than a second. */
    private static final long END_NANOS = TimeUnit.MILLISECONDS.toNanos(Integer.getInteger("hw.end", 800));

    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int TOKEN_BYTES = 16;
    static final int MOST_ROUNDS = 64;

    private final LongSupplier nanoClock;
    private final BooleanSupplier stopped;

    WarmUp(LongSupplier nanoClock, BooleanSupplier stopped) {
        this.nanoClock = nanoClock;
        this.stopped = stopped;
    }

    public static void run(GatewaySettings settings, BooleanSupplier stopped) {
        if (!settings.warmUp().enabled()) {
            return;
        }
        long ageNanos = TimeUnit.MILLISECONDS.toNanos(
                ManagementFactory.getRuntimeMXBean().getUptime());
        long mostNanos = Math.min(settings.warmUp().atMost().toNanos(), END_NANOS - ageNanos);
        if (mostNanos < LEAST_NANOS) {
            LOG.info("warm-up: none, after {} ms", TimeUnit.NANOSECONDS.toMillis(ageNanos));
            return;
        }
        new WarmUp(System::nanoTime, stopped).run(settings, mostNanos);
    }

    /** Without a bound of time, for the run that the class archive is made from. */
    public static void once(GatewaySettings settings) {
        new WarmUp(System::nanoTime, () -> false).run(settings, TimeUnit.SECONDS.toNanos(2));
    }

    void run(GatewaySettings settings, long mostNanos) {
        long beganNanos = nanoClock.getAsLong();
        try {
            String played = play(settings, beganNanos + mostNanos);
            LOG.info("warm-up: {} ms: {}", (nanoClock.getAsLong() - beganNanos) / 1_000_000, played);
        } catch (IOException | RuntimeException | LinkageError failed) {
            LOG.warn("warm-up failed, the first devices will be slower: {}", failed.toString());
        }
    }

    private String play(GatewaySettings settings, long untilNanos) throws IOException {
        byte[] bytes = new byte[TOKEN_BYTES];
        long t0 = System.nanoTime();
        new SecureRandom().nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        long t1 = System.nanoTime();
        try (PrivateGateway gateway = new PrivateGateway(settings, token.getBytes(java.nio.charset.StandardCharsets.US_ASCII))) {
            long t2 = System.nanoTime();
            int rounds = 0;
            String what;
            try (Devices devices = new Devices(gateway, settings, token, () -> goesOn(untilNanos))) {
                System.err.printf("random %d us, gateway %d us, devices %d us%n", (t1 - t0) / 1000, (t2 - t1) / 1000, (System.nanoTime() - t2) / 1000);
                while (rounds < MOST_ROUNDS && goesOn(untilNanos)) {
                    devices.round();
                    rounds++;
                }
                what = rounds + " rounds, " + devices;
            }
            return what;
        }
    }

    private boolean goesOn(long untilNanos) {
        return !stopped.getAsBoolean() && nanoClock.getAsLong() - untilNanos < 0;
    }
}
