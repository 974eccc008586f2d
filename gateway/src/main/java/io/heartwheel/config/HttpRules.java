package io.heartwheel.config;

import io.heartwheel.auth.http.BreakerSettings;
import io.heartwheel.auth.http.CacheSettings;
import io.heartwheel.auth.http.HttpSettings;
import io.heartwheel.auth.http.OnOutage;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** The block {@code auth.http}: its rules and its settings. One thread. */
final class HttpRules {
    private HttpRules() {}

    /** Notes what is wrong; for a configuration that has the method. */
    static void check(Block http) {
        if (http.areGood("url")) {
            URI url = (URI) http.get("url");
            if (http.written("url").isEmpty()) {
                http.problem("url", "need a URL with the method http");
            } else if ("http".equals(url.getScheme()) && !http.flag("allow-plain-http") && !Urls.isOfThisMachine(url)) {
                http.problem("url", "need https, a loopback address, or allow-plain-http = true: tokens are sent");
            }
        }
        Rules.authorities(http);
        secret(http);
        if (http.get("on-outage") == OnOutage.CACHED && !http.flag("cache.enabled")) {
            http.problem("on-outage", "need cache.enabled = true with cached");
        }
        if (http.areGood("breaker.backoff", "breaker.max-backoff")
                && http.duration("breaker.backoff").compareTo(http.duration("breaker.max-backoff")) > 0) {
            http.problem("breaker.backoff", "need at most max-backoff = " + http.shown("breaker.max-backoff"));
        }
    }

    /** No error shows it. */
    private static void secret(Block http) {
        Optional<Path> file = http.readable("secret-file", false);
        if (file.isPresent() && !HttpSettings.isSecret(Rules.firstLine(file.get(), HttpSettings.LONGEST_SECRET))) {
            http.problem("secret-file", "need a first line of 16..1024 visible characters");
        }
    }

    /** What a good block means. */
    static HttpSettings read(Block http) {
        return new HttpSettings(
                (URI) http.get("url"),
                http.path("secret-file").orElse(null),
                http.path("ca-file").orElse(null),
                http.duration("timeout"),
                http.integer("connections"),
                new CacheSettings(
                        http.flag("cache.enabled"),
                        http.integer("cache.entries"),
                        http.duration("cache.time"),
                        http.duration("cache.negative")),
                new BreakerSettings(
                        http.integer("breaker.failures"),
                        http.decimal("breaker.share"),
                        http.integer("breaker.least"),
                        http.duration("breaker.window"),
                        http.duration("breaker.backoff"),
                        http.duration("breaker.max-backoff")),
                (OnOutage) http.get("on-outage"),
                http.duration("outage-time"),
                http.duration("outage-expiry"));
    }
}
