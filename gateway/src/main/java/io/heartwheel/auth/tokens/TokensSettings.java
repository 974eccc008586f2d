package io.heartwheel.auth.tokens;

import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.MethodSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Settings of the method {@code tokens}. Immutable; any thread.
 *
 * @param file lines of device, hashes and grant, see {@link TokenFile}
 */
public record TokensSettings(Path file) implements MethodSettings {
    /** Name of the method and of its block. */
    public static final String METHOD = "tokens";

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public List<String> fileProblems() {
        try {
            TokenFile.read(file);
            return List.of();
        } catch (BrokenFile bad) {
            return bad.problems();
        }
    }

    @Override
    public Authenticator open(AuthContext context) throws IOException {
        return new TokensAuthenticator(file, context.grants());
    }
}
