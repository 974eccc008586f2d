package io.heartwheel.app.doctor;

import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.IoEngine;
import io.heartwheel.transport.TransportKind;
import io.netty.handler.ssl.OpenSsl;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Trials on this machine, in this process. */
final class RealProbes implements Probes {
    private static final int CLOCK_READINGS = 10_000;
    private static final int FORCED_WRITES = 15;
    private static final int PAGE_BYTES = 4_096;

    @Override
    public Optional<String> obstacle(TransportKind kind) {
        try {
            IoEngine.choose(kind);
            return Optional.empty();
        } catch (IllegalStateException e) {
            Throwable cause = e.getCause();
            return Optional.of(String.valueOf(cause == null ? e.getMessage() : cause.getMessage()));
        }
    }

    @Override
    public Optional<String> noBoringSsl() {
        return OpenSsl.isAvailable()
                ? Optional.empty()
                : Optional.of(String.valueOf(OpenSsl.unavailabilityCause().getMessage()));
    }

    @Override
    public Optional<String> unbindable(BindAddress address, boolean shared) {
        InetSocketAddress where = address.toSocketAddress();
        if (where.isUnresolved()) {
            return Optional.of("unknown host");
        }
        // a socket that never listens: where the port is shared, the kernel would deal devices out to one that does
        try (SocketChannel socket = SocketChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            if (shared) {
                socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            socket.bind(where);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String account() {
        return System.getProperty("user.name", "");
    }

    @Override
    public long clockStepNanos() {
        long least = Long.MAX_VALUE;
        long last = System.nanoTime();
        for (int i = 0; i < CLOCK_READINGS; i++) {
            long now = System.nanoTime();
            if (now != last) {
                least = Math.min(least, now - last);
            }
            last = now;
        }
        return least;
    }

    @Override
    public long heapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    @Override
    public List<String> collectors() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .toList();
    }

    @Override
    public int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    @Override
    public OptionalLong freeBytes(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        try {
            return parent == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(Files.getFileStore(parent).getUsableSpace());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public String fileSystem(Path directory) {
        try {
            return Files.getFileStore(directory).type();
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public OptionalLong forceNanos(Path directory) {
        long[] nanos = new long[FORCED_WRITES];
        Path file = directory.resolve(
                ".heartwheel-doctor-" + ProcessHandle.current().pid());
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
            for (int i = 0; i < FORCED_WRITES; i++) {
                long start = System.nanoTime();
                channel.write(page.clear(), (long) i * PAGE_BYTES);
                channel.force(false);
                nanos[i] = System.nanoTime() - start;
            }
        } catch (IOException e) {
            return OptionalLong.empty();
        }
        Arrays.sort(nanos);
        return OptionalLong.of(nanos[FORCED_WRITES / 2]);
    }

    @Override
    public Instant now() {
        return Instant.now();
    }
}
