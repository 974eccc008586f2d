package io.heartwheel.config;

import io.heartwheel.admin.AdminSettings;
import io.heartwheel.admin.AdminTokens;
import io.heartwheel.admin.Scope;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.transport.BindAddress;
import io.heartwheel.transport.tls.TlsSettings;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Rules and settings of the operator's listeners. One thread. */
final class AdminRules {
    private static final String TOKENS = "tokens-file";

    private final Block admin;
    private final boolean looks;

    /** @param looks whether the content of the files is checked */
    AdminRules(Block admin, boolean looks) {
        this.admin = admin;
        this.looks = looks;
    }

    /** Notes what contradicts, which files are missing, and what is wrong with their content. */
    void check() {
        boolean used = admin.flag("enabled");
        new TlsRules(admin.in("tls"), used, looks).check();
        new TlsRules(admin.in("monitor.tls"), admin.flag("monitor.enabled"), looks).check();
        boolean tokens = admin.path(TOKENS).isPresent();
        if (used && tokens) {
            admin.readable(TOKENS, true).ifPresent(this::readTokens);
        }
        BindAddress bind = (BindAddress) admin.get("bind");
        if (used
                && !tokens
                && admin.areGood("bind")
                && !bind.isLoopback()
                && !SettingsBuilder.asksForCertificates(admin.in("tls"))) {
            admin.problem("bind", AdminSettings.NEED_CALLERS);
        }
    }

    private void readTokens(Path file) {
        try {
            AdminTokens.read(file);
        } catch (BrokenFile bad) {
            bad.problems().forEach(problem -> admin.problem(TOKENS, problem));
        }
    }

    /** What a good block means. */
    static AdminSettings settings(Block at) {
        return new AdminSettings(
                at.flag("enabled"),
                (BindAddress) at.get("bind"),
                at.size("max-body"),
                at.integer("max-connections"),
                at.texts("hosts"),
                at.path(TOKENS).orElse(null),
                tls(at.in("tls")).orElse(null),
                scopes(at),
                new AdminSettings.Monitor(
                        at.flag("monitor.enabled"),
                        (BindAddress) at.get("monitor.bind"),
                        at.integer("monitor.max-connections"),
                        tls(at.in("monitor.tls")).orElse(null)));
    }

    private static Optional<TlsSettings> tls(Block block) {
        return block.flag("enabled") ? Optional.of(TlsRules.settings(block)) : Optional.empty();
    }

    private static Set<Scope> scopes(Block at) {
        return at.texts("tls.client-scopes").stream()
                .map(Scope::ofLabel)
                .flatMap(Optional::stream)
                .collect(Collectors.toUnmodifiableSet());
    }
}
