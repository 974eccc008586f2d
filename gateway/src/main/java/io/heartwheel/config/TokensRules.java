package io.heartwheel.config;

import io.heartwheel.auth.tokens.TokensSettings;
import java.nio.file.Path;

/** The block {@code auth.tokens}: its rules and its settings. One thread. */
final class TokensRules {
    private TokensRules() {}

    /** Notes what is wrong where the method is used. */
    static void check(Block tokens) {
        tokens.readable("file", true);
    }

    /** What a good block means. */
    static TokensSettings read(Block tokens) {
        return new TokensSettings(tokens.path("file").orElse(Path.of("")));
    }
}
