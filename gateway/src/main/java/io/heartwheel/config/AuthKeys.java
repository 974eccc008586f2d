package io.heartwheel.config;

import static io.heartwheel.config.Key.choice;
import static io.heartwheel.config.Key.decimal;
import static io.heartwheel.config.Key.duration;
import static io.heartwheel.config.Key.flag;
import static io.heartwheel.config.Key.integer;
import static io.heartwheel.config.Key.networks;
import static io.heartwheel.config.Key.parsed;
import static io.heartwheel.config.Key.path;
import static io.heartwheel.config.Key.text;
import static io.heartwheel.config.Key.texts;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.certificate.CertificateSettings;
import io.heartwheel.auth.http.OnOutage;
import io.heartwheel.auth.jwt.JwtAlgorithm;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Table of the keys of {@code auth}: a part of {@link Keys}. */
final class AuthKeys {
    private static final String NEED_CLAIM = "need the name of a claim, at most 64 printable characters";
    private static final String RATE = "1..1000000";
    private static final int LONGEST_CLAIM = 64;

    private AuthKeys() {}

    static List<Key> all() {
        return Stream.of(common(), methods(), jwt(), http())
                .flatMap(List::stream)
                .toList();
    }

    /** Who may come in; each method has its keys beside these. */
    private static List<Key> common() {
        return List.of(
                choice("auth.mode", AuthSettings.Mode.class, "unset", "none", "shared-token", "methods"),
                text("auth.token", "need text", text -> true),
                path("auth.token-file"),
                texts(
                        "auth.methods",
                        AuthSettings.MOST_METHODS,
                        "need a list of " + String.join(", ", AuthSettings.METHODS) + ", each at most once",
                        AuthSettings.METHODS::contains),
                choice("auth.refused", AuthSettings.Refused.class, "never", "later"),
                duration("auth.warn-before", "1s..1d"),
                flag("auth.failures.enabled"),
                integer("auth.failures.burst", RATE),
                integer("auth.failures.per-minute", RATE),
                networks("auth.failures.exempt"),
                integer("auth.failures.tracked", "1024..16777216"),
                integer("auth.workers", "0..1024").atRestart(),
                flag("auth.watch.enabled"),
                duration("auth.watch.period", "1s..1h"));
    }

    /** Tokens and certificates that show who a device is. */
    private static List<Key> methods() {
        return List.of(
                path("auth.tokens.file"),
                choice(
                        "auth.certificate.from",
                        CertificateSettings.From.class,
                        "san-dns",
                        "san-uri",
                        "san-email",
                        "cn"),
                text("auth.certificate.pattern", CertificateSettings.PATTERN_NEED, CertificateSettings::isPattern),
                path("auth.certificate.crl-file"));
    }

    /** Keys of signed tokens. */
    private static List<Key> jwt() {
        return List.of(
                texts(
                        "auth.jwt.algorithms",
                        JwtAlgorithm.values().length,
                        "need algorithms: HS256, RS256, ES256 or EdDSA",
                        AuthKeys::isAlgorithm),
                path("auth.jwt.keys-file"),
                parsed(
                        "auth.jwt.keys-url",
                        "need https://host/path, or http:// on this machine, without user and password",
                        Urls::safe),
                duration("auth.jwt.keys-refresh", "1m..24h"),
                duration("auth.jwt.keys-timeout", "100ms..1m"),
                duration("auth.jwt.keys-outage", "0s..30d"),
                path("auth.jwt.secret-file"),
                text("auth.jwt.issuer", "need at most 1024 characters", text -> text.length() <= 1_024),
                text("auth.jwt.audience", "need at most 1024 characters", text -> text.length() <= 1_024),
                text("auth.jwt.device-claim", NEED_CLAIM, AuthKeys::isClaim),
                text("auth.jwt.groups-claim", NEED_CLAIM, text -> text.isEmpty() || isClaim(text)),
                text("auth.jwt.rate-class-claim", NEED_CLAIM, text -> text.isEmpty() || isClaim(text)),
                texts("auth.jwt.attributes", 16, "need at most 16 names of claims", AuthKeys::isClaim),
                duration("auth.jwt.skew", "0s..10m"),
                integer("auth.jwt.cache", "0..16777216"));
    }

    /** Keys of the method http. */
    private static List<Key> http() {
        return List.of(
                parsed(
                        "auth.http.url",
                        "need http://host/path or https://host/path, without user and password",
                        Urls::http),
                flag("auth.http.allow-plain-http"),
                path("auth.http.secret-file"),
                path("auth.http.ca-file"),
                duration("auth.http.timeout", "100ms..30s"),
                integer("auth.http.connections", "1..256"),
                flag("auth.http.cache.enabled"),
                integer("auth.http.cache.entries", "1024..4194304"),
                duration("auth.http.cache.time", "1s..24h"),
                duration("auth.http.cache.negative", "1s..1m"),
                integer("auth.http.breaker.failures", "1..1000"),
                decimal("auth.http.breaker.share", "0.01..1"),
                integer("auth.http.breaker.least", "1..1000"),
                duration("auth.http.breaker.window", "1s..10m"),
                duration("auth.http.breaker.backoff", "100ms..1m"),
                duration("auth.http.breaker.max-backoff", "1s..10m"),
                choice("auth.http.on-outage", OnOutage.class, "later", "cached", "admit"),
                duration("auth.http.outage-time", "1m..7d"),
                duration("auth.http.outage-expiry", "1m..24h"));
    }

    private static boolean isAlgorithm(String label) {
        return Arrays.stream(JwtAlgorithm.values())
                .anyMatch(each -> each.label().equals(label));
    }

    private static boolean isClaim(String name) {
        return !name.isEmpty() && name.length() <= LONGEST_CLAIM && name.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }
}
