package io.heartwheel.app.warmup;

import io.heartwheel.config.GatewaySettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warm-up of a process: rounds of {@link Devices} at a {@link PrivateGateway}, before the first real device.
 *
 * <p>It ends by time, by rounds, or because the process is to end, whichever comes first. Java starts fast with its class archive, and slowly without it or on a
 * busy machine: what is left of the first {@value #END_MILLIS} ms is what it may take, so that a start takes no more than a second for its sake, and a slow one
 * has a shorter warm-up or none.
 *
 * <p>On the thread that starts the gateway. Throws nothing: a gateway without it serves as well, only the first devices more slowly.
 */
public final class WarmUp {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** Age of the process at which it is over. */
    private static final long END_MILLIS = 800;
    /** Less is not worth its threads. */
    private static final long LEAST_MILLIS = 50;
    /** What the end of the private gateway takes, of its time. */
    private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(12);

    private static final long TRAINING_SECONDS = 5;
    private static final int TOKEN_BYTES = 16;
    static final int MOST_ROUNDS = 32;

    private final GatewaySettings settings;
    private final LongSupplier nanoClock;
    private final BooleanSupplier stopped;

    /**
     * @param nanoClock by which its time is counted, monotonic
     * @param stopped whether the process is to end
     */
    WarmUp(GatewaySettings settings, LongSupplier nanoClock, BooleanSupplier stopped) {
        this.settings = settings;
        this.nanoClock = nanoClock;
        this.stopped = stopped;
    }

    /**
     * The warm-up of this process, if the settings and its age allow one.
     *
     * @param stopped whether the process is to end; asked again and again
     */
    public static void run(GatewaySettings settings, BooleanSupplier stopped) {
        long ageMillis = ManagementFactory.getRuntimeMXBean().getUptime();
        new WarmUp(settings, System::nanoTime, stopped).run(ageMillis);
    }

    /** All that it plays, for the run that the class archive is made from: that has all the time it needs. */
    public static void runWhole(GatewaySettings settings) {
        new WarmUp(settings, System::nanoTime, () -> false).play(TimeUnit.SECONDS.toNanos(TRAINING_SECONDS), 2);
    }

    /** @param ageMillis that of the process */
    void run(long ageMillis) {
        if (!settings.warmUp().enabled()) {
            return;
        }
        long mostMillis = Math.min(settings.warmUp().atMost().toMillis(), END_MILLIS - ageMillis);
        if (mostMillis < LEAST_MILLIS) {
            LOG.info("warm-up: none, this start has taken {} ms without it", ageMillis);
            return;
        }
        play(TimeUnit.MILLISECONDS.toNanos(mostMillis), MOST_ROUNDS);
    }

    /** Whatever is thrown is told. */
    void play(long mostNanos, int mostRounds) {
        long beganNanos = nanoClock.getAsLong();
        long untilNanos = beganNanos + mostNanos - CLOSE_NANOS;
        try {
            String played = rounds(() -> !stopped.getAsBoolean() && nanoClock.getAsLong() - untilNanos < 0, mostRounds);
            long nanos = nanoClock.getAsLong() - beganNanos;
            LOG.info("warm-up: {} ms, {}", TimeUnit.NANOSECONDS.toMillis(nanos), played);
        } catch (IOException | RuntimeException | Error failed) {
            LOG.warn("the warm-up failed, so the first devices are served more slowly: {}", failed.toString());
        }
    }

    private String rounds(BooleanSupplier goesOn, int mostRounds) throws IOException {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        byte[] token = HexFormat.of().formatHex(random).getBytes(StandardCharsets.US_ASCII);
        try (PrivateGateway gateway = new PrivateGateway(settings, token);
                Devices devices = new Devices(gateway, settings.listeners(), token, goesOn)) {
            int rounds = 0;
            while (rounds < mostRounds && goesOn.getAsBoolean()) {
                devices.round();
                rounds++;
            }
            return rounds + " rounds: " + devices;
        }
    }
}
