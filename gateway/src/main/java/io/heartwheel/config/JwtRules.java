package io.heartwheel.config;

import io.heartwheel.auth.jwt.JwtAlgorithm;
import io.heartwheel.auth.jwt.JwtSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The block {@code auth.jwt}: rules between its keys, and what it means. One thread. */
final class JwtRules {
    private JwtRules() {}

    /**
     * Reads the block of an enabled method, notes what is missing or contradicts, and looks into the files.
     *
     * @param at {@code auth.jwt}
     * @return the settings; empty if there is a problem
     */
    static Optional<JwtSettings> read(Block at) {
        Set<JwtAlgorithm> algorithms = algorithms(at);
        if (at.areGood("algorithms") && algorithms.isEmpty()) {
            at.problem("algorithms", "need at least one");
        }
        boolean secret = algorithms.contains(JwtAlgorithm.HS256);
        boolean published = algorithms.size() > (secret ? 1 : 0);
        keys(at, algorithms, published);
        secrets(at, secret);
        for (String key : new String[] {"issuer", "audience"}) {
            if (at.areGood(key) && at.text(key).isEmpty()) {
                at.problem(
                        key, key.equals("issuer") ? "need the issuer" : "need the audience, or \"*\" for any or none");
            }
        }
        return at.isGood() ? Optional.of(settings(at, algorithms, published, secret)) : Optional.empty();
    }

    private static Set<JwtAlgorithm> algorithms(Block at) {
        Set<JwtAlgorithm> algorithms = EnumSet.noneOf(JwtAlgorithm.class);
        for (JwtAlgorithm each : JwtAlgorithm.values()) {
            if (at.texts("algorithms").contains(each.label())) {
                algorithms.add(each);
            }
        }
        return algorithms;
    }

    private static void keys(Block at, Set<JwtAlgorithm> algorithms, boolean published) {
        boolean url = !at.written("keys-url").isEmpty();
        boolean file = at.path("keys-file").isPresent();
        if (!at.areGood("keys-file", "keys-url", "algorithms")) {
            return;
        }
        if (published && !url && !file) {
            at.problem("keys-file", "need a file, or a keys-url, with RS256, ES256 and EdDSA");
        } else if (url && file) {
            at.problem("keys-file", "need \"\" with a keys-url");
        } else if (!published && (url || file)) {
            at.problem(url ? "keys-url" : "keys-file", "need \"\" with HS256 alone, whose secrets are in secret-file");
        } else if (file) {
            at.readable("keys-file", true)
                    .flatMap(path -> JwtSettings.keysProblem(path, algorithms))
                    .ifPresent(problem -> at.problem("keys-file", "need a JWKS to use: " + problem));
        }
    }

    /** No error shows a part of it. */
    private static void secrets(Block at, boolean used) {
        if (!at.areGood("secret-file", "algorithms")) {
            return;
        }
        if (used) {
            at.readable("secret-file", true)
                    .flatMap(JwtSettings::secretsProblem)
                    .ifPresent(problem -> at.problem("secret-file", "need 1..4 secrets, one a line: " + problem));
        } else if (at.path("secret-file").isPresent()) {
            at.problem("secret-file", "need \"\" without HS256");
        }
    }

    private static JwtSettings settings(Block at, Set<JwtAlgorithm> algorithms, boolean published, boolean secret) {
        Path file = published ? at.path("keys-file").orElse(null) : null;
        return new JwtSettings(
                algorithms,
                file,
                published && file == null ? (URI) at.get("keys-url") : null,
                at.duration("keys-refresh"),
                at.duration("keys-timeout"),
                at.duration("keys-outage"),
                secret ? at.path("secret-file").orElse(null) : null,
                at.text("issuer"),
                at.text("audience"),
                at.text("device-claim"),
                at.text("groups-claim"),
                at.text("rate-class-claim"),
                at.texts("attributes"),
                at.duration("skew"),
                at.integer("cache"));
    }
}
