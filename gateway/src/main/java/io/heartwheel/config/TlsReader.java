package io.heartwheel.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.heartwheel.transport.tls.CertificateFiles;
import io.heartwheel.transport.tls.HostNames;
import io.heartwheel.transport.tls.TlsCheck;
import io.heartwheel.transport.tls.TlsCiphers;
import io.heartwheel.transport.tls.TlsSettings;
import io.heartwheel.transport.tls.TlsUpkeepSettings;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the TLS of a listener, and what all of them share. Switched off, words and ranges count all the same, but no file has to be there. One thread,
 * once a listener.
 */
final class TlsReader {
    private static final String SNI = "sni";
    private static final List<String> SNI_KEYS = List.of("hosts", "certificate-file", "key-file", "ocsp-file");

    private final Section section;
    private final boolean used;
    private final TlsSettings.Provider provider;
    private final boolean looks;
    private final Set<String> hosts = new HashSet<>();

    private TlsReader(Section section, boolean listening, boolean looks) {
        this.section = section;
        this.looks = looks;
        used = section.flag("enabled") && listening;
        provider = section.choice("provider", TlsSettings.Provider.class, "auto", "boringssl", "jdk");
    }

    /**
     * The TLS of a listener; the supplier gives null for one in the clear.
     *
     * @param looks whether the files are looked into
     */
    static Supplier<@Nullable TlsSettings> listener(Section section, boolean listening, boolean looks) {
        return new TlsReader(section, listening, looks).read();
    }

    private Supplier<@Nullable TlsSettings> read() {
        var oldest = section.choice("min-version", TlsSettings.Version.class, "1.2", "1.3");
        List<String> ciphers = section.texts(
                "ciphers",
                "need names of TLS 1.2 ciphers with forward secrecy: " + String.join(", ", TlsCiphers.KNOWN),
                TlsCiphers.KNOWN::contains);
        var clientAuth = section.choice("client-auth", TlsSettings.ClientAuth.class, "none", "optional", "required");
        boolean asked = clientAuth != TlsSettings.ClientAuth.NONE;
        List<Supplier<CertificateFiles>> certificates = new ArrayList<>();
        certificates.add(defaultCertificate());
        certificates.addAll(named());
        Optional<Path> authority =
                used && asked ? section.readable("client-ca-file", true) : section.path("client-ca-file");
        if (!used) {
            return () -> null;
        }
        if (section.isGood() && oldest == TlsSettings.Version.V1_3 && !ciphers.isEmpty()) {
            section.problem("ciphers", "need [] with min-version = 1.3, whose ciphers are fixed");
        }
        Supplier<TlsSettings> settings = () -> new TlsSettings(
                provider,
                certificates.stream().map(Supplier::get).toList(),
                oldest,
                ciphers,
                clientAuth,
                authority.orElse(null));
        if (looks) {
            look(authority, settings);
        }
        return settings;
    }

    /** What the files hold beside the certificates, and at last all of it together. */
    private void look(Optional<Path> authority, Supplier<TlsSettings> settings) {
        authority.map(TlsCheck::authorities).ifPresent(this::tell);
        if (section.isGood()) {
            tell(TlsCheck.whole(settings.get()));
        }
    }

    private void tell(List<TlsCheck.Mistake> mistakes) {
        mistakes.forEach(mistake -> section.problem(mistake.key(), mistake.what()));
    }

    private List<TlsCheck.Mistake> mistakes(Optional<Path> certificate, Optional<Path> key) {
        return used && looks && certificate.isPresent()
                ? TlsCheck.certificate(certificate.get(), key.orElse(null))
                : List.of();
    }

    private Supplier<CertificateFiles> defaultCertificate() {
        Optional<Path> certificate =
                used ? section.readable("certificate-file", true) : section.path("certificate-file");
        Optional<Path> key = used ? section.readable("key-file", true) : section.path("key-file");
        Optional<Path> ocsp = section.path("ocsp-file");
        if (used && provider == TlsSettings.Provider.JDK && ocsp.isPresent()) {
            section.problem("ocsp-file", "need \"\" with provider = jdk, which staples nothing");
        }
        tell(mistakes(certificate, key));
        return () -> new CertificateFiles(
                CertificateFiles.DEFAULT, certificate.orElseThrow(), key.orElseThrow(), ocsp.orElse(null), List.of());
    }

    // ------------------------------------------------------------------ certificates for other hosts

    private List<Supplier<CertificateFiles>> named() {
        List<Supplier<CertificateFiles>> found = new ArrayList<>();
        int number = 0;
        for (ConfigValue entry : section.list(SNI, "need a list of { hosts, certificate-file, key-file, ocsp-file }")) {
            String path = SNI + "[" + number + "]";
            number++;
            if (entry instanceof ConfigObject block) {
                found.add(named(path, SNI + "-" + number, block));
            } else {
                section.problemIn(path, entry, "need { hosts, certificate-file, key-file, ocsp-file }");
            }
        }
        return found;
    }

    private Supplier<CertificateFiles> named(String path, String name, ConfigObject block) {
        block.forEach((key, value) -> {
            if (!SNI_KEYS.contains(key)) {
                section.problemIn(path + "." + key, value, "unknown key, need " + String.join(", ", SNI_KEYS));
            }
        });
        Optional<Path> certificate = file(path, block, "certificate-file", true);
        Optional<Path> key = file(path, block, "key-file", true);
        Optional<Path> ocsp = file(path, block, "ocsp-file", false);
        if (used && provider == TlsSettings.Provider.JDK && ocsp.isPresent()) {
            section.problemIn(path, block, "need no ocsp-file with provider = jdk, which staples nothing");
        }
        mistakes(certificate, key)
                .forEach(mistake -> section.problemIn(
                        path + "." + mistake.key(),
                        Objects.requireNonNullElse(block.get(mistake.key()), block),
                        mistake.what()));
        List<String> patterns = patterns(path, block.get("hosts"));
        return () ->
                new CertificateFiles(name, certificate.orElseThrow(), key.orElseThrow(), ocsp.orElse(null), patterns);
    }

    private Optional<Path> file(String path, ConfigObject block, String key, boolean required) {
        ConfigValue value = block.get(key);
        if (value == null) {
            if (required) {
                section.problemIn(path, block, "need " + key);
            }
            return Optional.empty();
        }
        String text = value.valueType() == ConfigValueType.STRING ? (String) value.unwrapped() : "";
        try {
            Path file = Path.of(text);
            Optional<String> need = text.isEmpty() || (used && required) ? ReadableFile.need(file) : Optional.empty();
            need.ifPresent(said -> section.problemIn(path + "." + key, value, said));
            return need.isEmpty() ? Optional.of(file) : Optional.empty();
        } catch (InvalidPathException bad) {
            section.problemIn(path + "." + key, value, "need a path");
            return Optional.empty();
        }
    }

    private List<String> patterns(String path, @Nullable ConfigValue value) {
        List<String> patterns = new ArrayList<>();
        if (value == null) {
            return patterns;
        }
        boolean good = value.unwrapped() instanceof List<?>;
        for (Object each : good ? (List<?>) value.unwrapped() : List.of()) {
            String host = String.valueOf(each).toLowerCase(Locale.ROOT);
            good &= HostNames.isPattern(host);
            if (!hosts.add(host)) {
                section.problemIn(path + ".hosts", value, "need each host once, " + host + " stands twice");
            }
            patterns.add(host);
        }
        if (!good) {
            section.problemIn(path + ".hosts", value, "need a list of host names, or *. before one");
        }
        return patterns;
    }

    // ------------------------------------------------------------------ what all listeners share

    /** The block {@code tls}. */
    static Supplier<TlsUpkeepSettings> upkeep(Section section) {
        Section tickets = section.in("tickets");
        boolean resuming = tickets.flag("enabled");
        Optional<Path> keyFile = resuming ? tickets.writable("key-file") : tickets.path("key-file");
        Duration rotation = tickets.duration("rotation", "1m..7d");
        Section watch = section.in("watch");
        boolean watching = watch.flag("enabled");
        Duration period = watch.duration("period", "1s..1h");
        return () -> new TlsUpkeepSettings(
                new TlsUpkeepSettings.Tickets(resuming, keyFile.orElse(null), rotation),
                new TlsUpkeepSettings.Watch(watching, period));
    }
}
