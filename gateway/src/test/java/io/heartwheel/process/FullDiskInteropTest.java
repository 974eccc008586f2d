package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file system that is really full: a small tmpfs. Needs root. */
@Tag("interop")
class FullDiskInteropTest {
    private static final int DEVICES = 100;

    @TempDir
    private Path scratch;

    @Test
    void sink_fullFileSystem_refusesUntilThereIsRoom() throws Exception {
        Path disk = Files.createDirectory(scratch.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk.toString());
        try {
            Path ballast = Files.write(disk.resolve("ballast"), new byte[256 << 10]);
            Path file = disk.resolve("events");
            try (GatewayProcess gateway = GatewayProcess.with("sink.kind", "file", "sink.file", file.toString())
                            .start();
                    Herd herd = new Herd(Herd.Settings.of(gateway.tcp(), "beating"))) {
                herd.connect(DEVICES);
                FullDisk full = new FullDisk(gateway);
                try (WireClient device = WireClient.hello(gateway.tcp(), "writer")) {
                    full.fill(device);
                    Files.delete(ballast);
                    full.recover(device);
                    full.requireKept(List.of(file));
                }
                assertEquals(DEVICES, herd.count().live());
            }
        } finally {
            run("umount", disk.toString());
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        process.getInputStream().transferTo(said);
        assertEquals(0, process.waitFor(), () -> String.join(" ", command) + ": " + said);
    }
}
