package io.heartwheel.config;

import io.heartwheel.auth.AuthSettings;
import io.heartwheel.auth.MethodSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Rules for who may come in: the token or the methods that the mode needs, and none that it does not. One thread, once. */
final class AuthRules {
    private final Block root;
    private final Block auth;
    private final boolean looks;
    private byte[] token = {};
    private final List<MethodSettings> methods = new ArrayList<>();

    /** @param looks whether the content of large files is checked */
    AuthRules(Block root, boolean looks) {
        this.root = root;
        this.looks = looks;
        auth = root.in("auth");
    }

    /** Notes every contradiction. */
    void check() {
        checkToken();
        checkMethods();
    }

    /** The shared token, from wherever it is given; empty without one. */
    byte[] token() {
        return token.clone();
    }

    /** The methods in order; incomplete if something is wrong with one. */
    List<MethodSettings> methods() {
        return List.copyOf(methods);
    }

    // ------------------------------------------------------------------ the shared token

    private void checkToken() {
        String word = auth.text("token");
        Optional<Path> file = auth.path("token-file");
        if (auth.get("mode") != AuthSettings.Mode.SHARED_TOKEN) {
            if (file.isPresent() || !word.isEmpty()) {
                String key = file.isPresent() ? "token-file" : "token";
                auth.problem("mode", "need shared-token where " + key + " is set, or no token");
            }
        } else if (file.isEmpty() && word.isEmpty()) {
            auth.problem("mode", "need token-file or token with it");
        } else {
            token = token(word, file);
        }
    }

    /** No error shows the token. */
    private byte[] token(String word, Optional<Path> file) {
        if (file.isPresent() && !word.isEmpty()) {
            auth.problem("token", "need either this or token-file, not both");
        }
        byte[] secret = word.getBytes(StandardCharsets.UTF_8);
        if (file.isPresent()) {
            auth.readable("token-file", true);
            secret = auth.isGood() ? Rules.firstLine(file.get(), AuthSettings.MAX_TOKEN) : secret;
        }
        if (auth.isGood() && (secret.length < AuthSettings.MIN_TOKEN || secret.length > AuthSettings.MAX_TOKEN)) {
            auth.problem(
                    file.isPresent() ? "token-file" : "token",
                    "need a token of 8..1024 bytes, not of " + secret.length);
        }
        return secret;
    }

    // ------------------------------------------------------------------ methods

    private void checkMethods() {
        List<String> names = auth.texts("methods");
        if (!auth.areGood("mode", "methods")) {
            return;
        }
        if (auth.get("mode") != AuthSettings.Mode.METHODS) {
            if (!names.isEmpty()) {
                auth.problem("methods", "need [] without mode = methods");
            }
        } else if (names.isEmpty()) {
            auth.problem("mode", "need at least one of " + String.join(", ", AuthSettings.METHODS) + " in methods");
        } else if (Set.copyOf(names).size() < names.size()) {
            auth.problem("methods", "need each once");
        } else {
            names.forEach(this::read);
        }
    }

    private void read(String name) {
        Block method = auth.in(name);
        switch (name) {
            case "certificate" -> CertificateRules.check(method, root);
            case "tokens" -> TokensRules.check(method);
            case "http" -> HttpRules.check(method);
            default -> {
                // jwt finds what is wrong while it looks into its files
            }
        }
        if (method.isGood()) {
            settings(name, method).ifPresent(this::take);
        }
    }

    private void take(MethodSettings method) {
        methods.add(method);
        if (looks) {
            method.fileProblems().forEach(root::note);
        }
    }

    /** Settings of a method whose block is good; none, and its mistakes are noted, if something is wrong with its files. */
    private Optional<? extends MethodSettings> settings(String name, Block method) {
        return switch (name) {
            case "certificate" -> Optional.of(CertificateRules.read(method, root));
            case "tokens" -> Optional.of(TokensRules.read(method));
            case "http" -> Optional.of(HttpRules.read(method));
            case "jwt" -> JwtRules.read(method);
            default -> throw new AssertionError(name);
        };
    }
}
