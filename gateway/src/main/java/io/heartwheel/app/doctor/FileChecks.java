package io.heartwheel.app.doctor;

import static io.heartwheel.app.doctor.Finding.number;

import io.heartwheel.nats.NatsServers;
import io.heartwheel.outlet.OutletSettings;
import io.heartwheel.session.TraceSettings;
import io.heartwheel.sink.SinkKind;
import io.heartwheel.sink.SinkSettings;
import io.heartwheel.transport.tls.CertificateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Checks of the gateway's own files: who else may read its secrets, and how much room is left for what it writes. */
final class FileChecks {
    private static final long LITTLE_BYTES = 1L << 30;
    private static final long NONE_BYTES = 64L << 20;
    private static final int MEBI = 20;

    private FileChecks() {}

    /** Only the gateway may read its tokens and keys. */
    static List<Finding> secrets(CheckContext context) {
        Stream<Path> keys =
                context.tls().flatMap(tls -> tls.certificates().stream()).map(CertificateFiles::keyFile);
        Stream<Path> admin = Stream.ofNullable(context.settings().admin().tokensFile());
        Stream<Path> ofAuth = context.authFiles().entrySet().stream()
                .filter(entry -> isSecret(entry.getKey(), entry.getValue()))
                .map(Map.Entry::getValue);
        Stream<Path> ofOutlets = outlets(context).map(OutletSettings::target).flatMap(FileChecks::secretFiles);
        Stream<Path> ofCluster =
                Stream.ofNullable(context.settings().cluster()).flatMap(cluster -> secretFiles(cluster.nats()));
        return Stream.of(ofAuth, admin, keys, ofOutlets, ofCluster)
                .flatMap(files -> files)
                .distinct()
                .map(FileChecks::secret)
                .toList();
    }

    /** Those that are used. */
    private static Stream<OutletSettings> outlets(CheckContext context) {
        boolean used = context.settings().sink().kind() == SinkKind.JOURNAL;
        return used ? context.settings().outlets().stream() : Stream.of();
    }

    private static Stream<Path> secretFiles(OutletSettings.Target target) {
        if (target instanceof OutletSettings.Webhook hook) {
            return Stream.of(
                            Stream.ofNullable(hook.secretFile()),
                            Stream.ofNullable(hook.oldSecretFile()),
                            Stream.ofNullable(hook.headersFile()))
                    .flatMap(file -> file);
        }
        if (target instanceof OutletSettings.Nats nats) {
            return secretFiles(nats.servers());
        }
        return target instanceof OutletSettings.Kafka kafka ? Stream.ofNullable(kafka.propertiesFile()) : Stream.of();
    }

    private static Stream<Path> secretFiles(NatsServers servers) {
        return Stream.concat(Stream.ofNullable(servers.credentialsFile()), Stream.ofNullable(servers.keyFile()));
    }

    private static Stream<Path> readFiles(OutletSettings.Target target) {
        Stream<Path> more = Stream.of();
        if (target instanceof OutletSettings.Webhook hook) {
            more = Stream.ofNullable(hook.caFile());
        } else if (target instanceof OutletSettings.Nats nats) {
            NatsServers servers = nats.servers();
            more = Stream.concat(Stream.ofNullable(servers.caFile()), Stream.ofNullable(servers.certificateFile()));
        }
        return Stream.concat(secretFiles(target), more);
    }

    private static Stream<Path> writtenFiles(OutletSettings.Target target) {
        if (target instanceof OutletSettings.Webhook hook) {
            return Stream.ofNullable(hook.deadLetter()).map(OutletSettings.DeadLetter::file);
        }
        return target instanceof OutletSettings.ToFile file ? Stream.of(file.file()) : Stream.of();
    }

    /** Files of outlets: a gateway starts without them, and nothing is delivered. */
    static List<Finding> ofOutlets(CheckContext context) {
        List<Finding> found = new ArrayList<>();
        outlets(context).forEach(outlet -> {
            readFiles(outlet.target())
                    .map(file ->
                            usable(outlet, file, "can be read", Files.isReadable(file) && !Files.isDirectory(file)))
                    .forEach(found::add);
            for (Path file : writtenFiles(outlet.target()).toList()) {
                Path parent = file.toAbsolutePath().getParent();
                boolean ofService = !file.isAbsolute() && context.service().isPresent();
                boolean good = ofService || (parent != null && Files.isDirectory(parent) && !Files.isDirectory(file));
                found.add(usable(outlet, file, "has a directory", good));
            }
        });
        return found;
    }

    private static Finding usable(OutletSettings outlet, Path file, String what, boolean good) {
        String name = "outlets." + outlet.name() + ": " + file + ": ";
        return good
                ? Finding.ok(name + what)
                : Finding.fail(
                        name + "need a file that " + what,
                        "the outlet delivers nothing until it is so; its events wait in the journal",
                        "ls -ld " + file + " " + file.toAbsolutePath().getParent());
    }

    /** Certificates and what is revoked are public, and so are keys that only verify. */
    private static boolean isSecret(String key, Path file) {
        if (key.endsWith(".keys-file")) {
            try {
                return Files.readString(file).matches("(?s).*\"kty\"\\s*:\\s*\"oct\".*");
            } catch (IOException unreadable) {
                return true;
            }
        }
        return !key.endsWith(".crl-file") && !key.endsWith(".ca-file");
    }

    private static Finding secret(Path file) {
        try {
            Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
            boolean open = allowed.contains(PosixFilePermission.OTHERS_READ)
                    || allowed.contains(PosixFilePermission.OTHERS_WRITE)
                    || allowed.contains(PosixFilePermission.GROUP_WRITE);
            return open
                    ? Finding.warn(
                            file + ": more than its owner and its group's readers may use it",
                            "whoever has an account here has the secret",
                            "chown root:heartwheel " + file + " && chmod 0640 " + file)
                    : Finding.ok(file + ": only its owner and its group read it");
        } catch (IOException | UnsupportedOperationException e) {
            return Finding.warn(
                    file + ": its permissions cannot be read", "who else can read it is not known", "ls -l " + file);
        }
    }

    /** Free space for events and the trace. */
    static List<Finding> disks(CheckContext context) {
        List<Finding> found = new ArrayList<>();
        SinkSettings sink = context.settings().sink();
        if (sink.kind() == SinkKind.FILE) {
            found.add(disk(context, "sink.file", sink.file(), LITTLE_BYTES));
        }
        TraceSettings trace = context.settings().trace();
        if (trace.enabled()) {
            found.add(disk(context, "trace.file", trace.file(), trace.maxBytes()));
        }
        return found;
    }

    private static Finding disk(CheckContext context, String key, Path file, long wantedBytes) {
        OptionalLong free = context.probes().freeBytes(file);
        if (free.isEmpty()) {
            return Finding.ok(key + " = " + file + ": how much room is left is not known");
        }
        String what = key + " = " + file + ": " + number(free.getAsLong() >> MEBI) + " MiB free";
        String remedy = "make room in " + file.toAbsolutePath().getParent() + " (du -x -d1), or take another file";
        if (free.getAsLong() < NONE_BYTES) {
            return Finding.fail(what, "when it is full DATA is refused and events are dropped", remedy);
        }
        return free.getAsLong() < wantedBytes
                ? Finding.warn(what, "it will be full some day soon; then events are dropped", remedy)
                : Finding.ok(what);
    }
}
