package io.heartwheel.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.transport.tls.CertificateFiles;
import io.heartwheel.transport.tls.HostNames;
import io.heartwheel.transport.tls.TlsCheck;
import io.heartwheel.transport.tls.TlsSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The TLS block of one listener: its rules and its settings. While it is switched off, words and ranges count all the same, but no file has to exist.
 * One thread.
 */
final class TlsRules {
    private static final String SNI = "sni";
    private static final List<String> SNI_KEYS = List.of("hosts", "certificate-file", "key-file", "ocsp-file");

    private final Block block;
    private final boolean used;
    private final boolean looks;
    private final boolean staples;
    private final Set<String> hosts = new HashSet<>();

    /** @param looks whether the content of the files is checked */
    TlsRules(Block block, boolean listening, boolean looks) {
        this.block = block;
        this.looks = looks;
        used = block.flag("enabled") && listening;
        staples = block.get("provider") != TlsSettings.Provider.JDK;
    }

    /** Notes what contradicts, which files are missing, and what is wrong with their content. */
    void check() {
        defaultCertificate();
        List<ConfigValue> entries = block.list(SNI);
        for (int i = 0; i < entries.size(); i++) {
            String path = SNI + "[" + i + "]";
            if (entries.get(i) instanceof ConfigObject entry) {
                named(path, entry);
            } else {
                block.problemIn(path, entries.get(i), "need { hosts, certificate-file, key-file, ocsp-file }");
            }
        }
        if (!used) {
            return;
        }
        Optional<Path> authority = block.get("client-auth") == TlsSettings.ClientAuth.NONE
                ? block.path("client-ca-file")
                : block.readable("client-ca-file", true);
        if (block.isGood()
                && block.get("min-version") == TlsSettings.Version.V1_3
                && !block.texts("ciphers").isEmpty()) {
            block.problem("ciphers", "need [] with min-version = 1.3, whose ciphers are fixed");
        }
        if (looks) {
            authority.map(TlsCheck::authorities).ifPresent(this::tell);
            if (block.isGood()) {
                tell(TlsCheck.whole(settings(block)));
            }
        }
    }

    private void tell(List<TlsCheck.Mistake> mistakes) {
        mistakes.forEach(mistake -> block.problem(mistake.key(), mistake.what()));
    }

    private List<TlsCheck.Mistake> mistakes(Optional<Path> certificate, Optional<Path> key) {
        return used && looks && certificate.isPresent()
                ? TlsCheck.certificate(certificate.get(), key.orElse(null))
                : List.of();
    }

    private void defaultCertificate() {
        if (!used) {
            return;
        }
        Optional<Path> certificate = block.readable("certificate-file", true);
        Optional<Path> key = block.readable("key-file", true);
        if (!staples && block.path("ocsp-file").isPresent()) {
            block.problem("ocsp-file", "need \"\" with provider = jdk, which staples nothing");
        }
        tell(mistakes(certificate, key));
    }

    // ------------------------------------------------------------------ certificates for other hosts

    private void named(String path, ConfigObject entry) {
        entry.forEach((key, value) -> {
            if (!SNI_KEYS.contains(key)) {
                block.problemIn(path + "." + key, value, "unknown key, need " + String.join(", ", SNI_KEYS));
            }
        });
        Optional<Path> certificate = file(path, entry, "certificate-file", true);
        Optional<Path> key = file(path, entry, "key-file", true);
        Optional<Path> ocsp = file(path, entry, "ocsp-file", false);
        if (used && !staples && ocsp.isPresent()) {
            block.problemIn(path, entry, "need no ocsp-file with provider = jdk, which staples nothing");
        }
        mistakes(certificate, key)
                .forEach(mistake -> block.problemIn(
                        path + "." + mistake.key(),
                        Objects.requireNonNullElse(entry.get(mistake.key()), entry),
                        mistake.what()));
        patterns(path + ".hosts", entry.get("hosts"));
    }

    private Optional<Path> file(String path, ConfigObject entry, String key, boolean required) {
        ConfigValue value = entry.get(key);
        if (value == null) {
            if (required) {
                block.problemIn(path, entry, "need " + key);
            }
            return Optional.empty();
        }
        String text = value.valueType() == ConfigValueType.STRING ? (String) value.unwrapped() : "";
        try {
            Path file = Path.of(text);
            Optional<String> need = text.isEmpty() || (used && required) ? ReadableFile.need(file) : Optional.empty();
            need.ifPresent(said -> block.problemIn(path + "." + key, value, said));
            return need.isEmpty() ? Optional.of(file) : Optional.empty();
        } catch (InvalidPathException bad) {
            block.problemIn(path + "." + key, value, "need a path");
            return Optional.empty();
        }
    }

    private void patterns(String path, @Nullable ConfigValue value) {
        if (value == null) {
            return;
        }
        boolean good = value.valueType() == ConfigValueType.LIST;
        for (String host : patterns(value)) {
            good &= HostNames.isPattern(host);
            if (!hosts.add(host)) {
                block.problemIn(path, value, "need each host once, " + host + " stands twice");
            }
        }
        if (!good) {
            block.problemIn(path, value, "need a list of host names, or *. before one");
        }
    }

    private static List<String> patterns(@Nullable ConfigValue value) {
        return value != null && value.unwrapped() instanceof List<?> list
                ? list.stream()
                        .map(each -> String.valueOf(each).toLowerCase(Locale.ROOT))
                        .toList()
                : List.of();
    }

    // ------------------------------------------------------------------ the settings

    /** What a good block means. */
    static TlsSettings settings(Block block) {
        List<CertificateFiles> certificates = new ArrayList<>();
        certificates.add(new CertificateFiles(
                CertificateFiles.DEFAULT,
                (Path) block.get("certificate-file"),
                (Path) block.get("key-file"),
                block.path("ocsp-file").orElse(null),
                List.of()));
        for (ConfigValue each : block.list(SNI)) {
            ConfigObject entry = (ConfigObject) each;
            certificates.add(new CertificateFiles(
                    SNI + "-" + certificates.size(),
                    Objects.requireNonNull(path(entry, "certificate-file")),
                    Objects.requireNonNull(path(entry, "key-file")),
                    path(entry, "ocsp-file"),
                    patterns(entry.get("hosts"))));
        }
        return new TlsSettings(
                (TlsSettings.Provider) block.get("provider"),
                certificates,
                (TlsSettings.Version) block.get("min-version"),
                block.texts("ciphers"),
                (TlsSettings.ClientAuth) block.get("client-auth"),
                block.path("client-ca-file").orElse(null));
    }

    private static @Nullable Path path(ConfigObject entry, String key) {
        ConfigValue value = entry.get(key);
        return value == null ? null : Path.of((String) value.unwrapped());
    }
}
