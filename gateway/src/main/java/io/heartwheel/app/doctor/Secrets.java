package io.heartwheel.app.doctor;

import io.heartwheel.transport.tls.CertificateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Check of file permissions: only the gateway may read its token and keys. */
final class Secrets {
    private static final String AREA = "secrets";

    private Secrets() {}

    static List<Finding> of(CheckContext context) {
        Set<Path> files = new LinkedHashSet<>();
        context.tokenFile().ifPresent(files::add);
        context.settings().listeners().stream()
                .map(listener -> listener.tls())
                .filter(Objects::nonNull)
                .flatMap(tls -> tls.certificates().stream())
                .map(CertificateFiles::keyFile)
                .forEach(files::add);
        return files.stream().map(Secrets::look).toList();
    }

    private static Finding look(Path file) {
        try {
            Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
            boolean open = allowed.contains(PosixFilePermission.OTHERS_READ)
                    || allowed.contains(PosixFilePermission.OTHERS_WRITE)
                    || allowed.contains(PosixFilePermission.GROUP_WRITE);
            return open
                    ? Finding.warn(
                            AREA,
                            file + ": more than its owner and its group's readers may use it",
                            "whoever has an account here has the secret",
                            "chown root:heartwheel " + file + " && chmod 0640 " + file)
                    : Finding.ok(AREA, file + ": only its owner and its group read it");
        } catch (IOException | UnsupportedOperationException e) {
            return Finding.warn(
                    AREA,
                    file + ": its permissions cannot be read",
                    "who else can read it is not known",
                    "ls -l " + file);
        }
    }
}
