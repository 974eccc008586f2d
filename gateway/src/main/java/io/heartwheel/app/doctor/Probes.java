package io.heartwheel.app.doctor;

import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.TransportKind;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Facts of the machine that only a trial can tell. */
interface Probes {
    /**
     * Why an I/O engine does not work here; empty: it does.
     *
     * @param kind not AUTO
     */
    Optional<String> obstacle(TransportKind kind);

    /** Why BoringSSL does not load; empty: it does. */
    Optional<String> noBoringSsl();

    /**
     * Why an address cannot be bound; empty: it can.
     *
     * @param shared whether with SO_REUSEPORT
     */
    Optional<String> unbindable(BindAddress address, boolean shared);

    /** Name of the account this process runs as. */
    String account();

    /** The smallest step that the monotonic clock was seen to make, nanoseconds. */
    long clockStepNanos();

    /** Greatest heap of this process, bytes. */
    long heapBytes();

    /** Names of the collectors of this process. */
    List<String> collectors();

    /** Processors this process may use. */
    int processors();

    /** Bytes that may still be written beside this file; empty if there is no such place. */
    OptionalLong freeBytes(Path file);

    /** Type of the file system that a directory is on, as the kernel calls it; empty if it is not known. */
    String fileSystem(Path directory);

    /** Median time to write 4 KiB in this directory and force them to the disk; empty if it cannot be done. Leaves nothing behind. */
    OptionalLong forceNanos(Path directory);

    /** Wall-clock time, for certificates. */
    Instant now();
}
