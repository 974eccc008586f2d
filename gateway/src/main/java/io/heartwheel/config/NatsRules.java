package io.heartwheel.config;

import io.heartwheel.nats.NatsKey;
import io.heartwheel.nats.NatsServers;
import io.heartwheel.net.ClientTls;
import io.heartwheel.transport.tls.TlsCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A block {@code nats}, of the cluster or of an outlet: its rules. One thread. */
final class NatsRules {
    private static final List<String> TLS_FILES = List.of("ca-file", "certificate-file", "key-file");

    private NatsRules() {}

    /**
     * Notes what is wrong.
     *
     * @param used what says that the block is used, for people
     * @param looks whether the content of the files is checked
     */
    static void check(Block nats, String used, boolean looks) {
        List<String> servers = nats.texts("servers");
        long secure = servers.stream().filter(NatsServers::isSecure).count();
        if (nats.areGood("servers")) {
            if (servers.isEmpty()) {
                nats.problem("servers", "need at least one with " + used);
            } else if (secure > 0 && secure < servers.size()) {
                nats.problem("servers", "need nats:// for all of them, or tls:// for all of them");
            } else if (secure == 0) {
                TLS_FILES.stream()
                        .filter(key -> nats.path(key).isPresent())
                        .forEach(key -> nats.problem(key, "need servers of tls:// with it, or no file"));
            }
        }
        if (nats.path("certificate-file").isPresent() != nats.path("key-file").isPresent()) {
            String missing = nats.path("key-file").isPresent() ? "certificate-file" : "key-file";
            nats.problem(missing, "need certificate-file and key-file, or neither");
        }
        if (looks) {
            files(nats);
        }
    }

    private static void files(Block nats) {
        nats.readable("credentials-file", false).ifPresent(file -> {
            try {
                NatsKey.open(file);
            } catch (IOException e) {
                nats.problem("credentials-file", String.valueOf(e.getMessage()).substring((file + ": ").length()));
            }
        });
        nats.readable("ca-file", false)
                .flatMap(ClientTls::authoritiesProblem)
                .ifPresent(problem -> nats.problem("ca-file", "need certificates in PEM: " + problem));
        Optional<Path> certificate = nats.readable("certificate-file", false);
        Optional<Path> key = nats.readable("key-file", false);
        if (certificate.isPresent()) {
            TlsCheck.certificate(certificate.get(), key.orElse(null))
                    .forEach(mistake -> nats.problem(mistake.key(), mistake.what()));
        }
    }
}
