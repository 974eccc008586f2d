package io.heartwheel.loadgen.app;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that {@code demo} and {@code run} share. */
final class LoadOptions {

    @Option(names = "--clients", defaultValue = "10000", description = "Devices to play (default ${DEFAULT-VALUE}).")
    int clients;

    @Option(names = "--rate", defaultValue = "2000", description = "Connects a second (default ${DEFAULT-VALUE}).")
    double rate;

    @Option(
            names = "--interval",
            defaultValue = "2000",
            description = "Heartbeat interval to ask for, milliseconds (default ${DEFAULT-VALUE}).")
    long interval;

    @Option(
            names = "--duration",
            defaultValue = "16",
            description = "Observed time after the ramp, seconds (default ${DEFAULT-VALUE}).")
    double duration;

    @Option(
            names = "--silent-share",
            defaultValue = "0.1",
            description = "Share of devices that fall silent, 0..1 (default ${DEFAULT-VALUE}).")
    double silentShare;

    @Option(
            names = "--beat-share",
            defaultValue = "0.9",
            description = "A device beats each so much of its granted interval (default ${DEFAULT-VALUE}).")
    double beatShare;

    @Option(
            names = "--data-rate",
            defaultValue = "0",
            description = "DATA messages a second, all devices together (default ${DEFAULT-VALUE}).")
    double dataRate;

    @Option(names = "--data-bytes", defaultValue = "64", description = "Payload of a DATA (default ${DEFAULT-VALUE}).")
    int dataBytes;

    @Option(
            names = "--tick",
            defaultValue = "20",
            description = "The gateway's wheel tick, milliseconds (default ${DEFAULT-VALUE}).")
    long tick;

    @Option(
            names = "--slack",
            defaultValue = "20",
            description =
                    "Detection lateness may be a tick and this at the 99th percentile, milliseconds; the generator's"
                            + " own lag may be this (default ${DEFAULT-VALUE}).")
    long slack;

    @Option(names = "--grace", defaultValue = "1.5", description = "The gateway's grace (default ${DEFAULT-VALUE}).")
    double grace;

    @Option(names = "--seed", description = "Seed of all choices (default: drawn, and printed).")
    @Nullable
    Long seed;

    @Option(
            names = "--loops",
            defaultValue = "0",
            description = "Event loops of the generator; 0: half the processors (default ${DEFAULT-VALUE}).")
    int loops;

    @Option(
            names = "--source-block",
            defaultValue = "0",
            description = "First block of 20,000 loopback source ports; another number for each process that shares a"
                    + " target (default ${DEFAULT-VALUE}).")
    int sourceBlock;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the outcome to this file as JSON.")
    @Nullable
    Path json;

    long seedOrDrawn() {
        Long given = seed;
        return given == null ? System.nanoTime() & 0x7FFF_FFFFL : given;
    }

    int loopsOrHalf() {
        return loops > 0 ? loops : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }
}
