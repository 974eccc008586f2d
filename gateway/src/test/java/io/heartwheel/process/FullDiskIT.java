package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A full disk, by a limit of the process that lets no file grow, with nothing but the JDK. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class FullDiskIT {
    private static final int DEVICES = 100;
    private static final int KIBIBYTES = 128;

    @TempDir
    private Path scratch;

    @Test
    void sink_fullFile_refusesUntilThereIsRoom() throws Exception {
        Path file = scratch.resolve("events");
        try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", file.toString())
                        .filesOfAtMost(KIBIBYTES)
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "beating"))) {
            herd.connect(DEVICES);
            FullDisk disk = new FullDisk(gateway);
            Path rotated = scratch.resolve("events.1");
            try (WireClient device = WireClient.hello(gateway.tcp(), "writer")) {
                disk.fill(device);
                Files.move(file, rotated);
                disk.recover(device);
                disk.requireKept(List.of(rotated, file));
            }
            assertEquals(DEVICES, herd.count().live());
            int warnings = gateway.log("event sink cannot write").size();
            assertTrue(warnings >= 1 && warnings < 60, () -> warnings + " warnings");
        }
    }

    /** Its log is full from the beginning: the gateway lives on without a voice. */
    @Test
    void log_fullFile_changesNothingForDevices() throws Exception {
        try (GatewayProcess gateway = GatewayProcess.with("heartbeat.interval", "2s")
                        .set("log.level", "debug")
                        .filesOfAtMost(16)
                        .start();
                Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "beating"))) {
            herd.connect(DEVICES);
            for (int i = 0; i < 300; i++) {
                WireClient.hello(gateway.tcp(), "comes-and-goes-" + i).close();
            }
            Await.until("all are counted", () -> gateway.metrics().closes("peer_closed") >= 300);
            assertTrue(Files.size(gateway.directory().resolve("log")) >= 15 << 10, "the log is full");
            try (WireClient device = WireClient.hello(gateway.tcp(), "next")) {
                device.roundTrip(1);
            }
            assertEquals(DEVICES, herd.count().live());
            assertTrue(gateway.isAlive());
        }
    }
}
