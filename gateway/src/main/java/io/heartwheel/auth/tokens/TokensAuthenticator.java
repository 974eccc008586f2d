package io.heartwheel.auth.tokens;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.BrokenFile;
import io.heartwheel.auth.Grant;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.WatchedFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Method {@code tokens}: a device shows one of the tokens of its line, or of the line {@code *} if it has none of its own. Answers at once, on the caller's
 * thread, in microseconds: two SHA-256 of the token, for devices that it does not know as well.
 *
 * <p>Any thread asks; one at a time refreshes. They share the table, which is exchanged by one volatile write: who asks at that moment is told by the old one.
 */
final class TokensAuthenticator implements Authenticator {
    private static final AuthResult NOTHING_SHOWN = new AuthResult.Refused(AuthCause.NOTHING_SHOWN, "");
    private static final AuthResult WRONG_TOKEN = new AuthResult.Refused(AuthCause.WRONG_TOKEN, "");

    private final Path file;
    private final Grants grants;
    private final WatchedFiles watched;
    private volatile TokenTable table;

    /** @throws BrokenFile telling all that is wrong with the file */
    TokensAuthenticator(Path file, Grants grants) throws BrokenFile {
        this.file = file;
        this.grants = grants;
        watched = new WatchedFiles(List.of(file));
        table = TokenFile.read(file);
    }

    @Override
    public String name() {
        return TokensSettings.METHOD;
    }

    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        answer.accept(decide(request.deviceId(), request.token()));
    }

    private AuthResult decide(byte[] deviceId, byte[] token) {
        TokenTable now = table;
        long own = now.find(deviceId);
        long place = own == TokenTable.NONE ? now.anyDevice() : own;
        boolean right = now.matches(place, token);
        if (token.length == 0) {
            return own == TokenTable.NONE ? AuthResult.NOT_MINE : NOTHING_SHOWN;
        }
        if (place == TokenTable.NONE) {
            return AuthResult.NOT_MINE;
        }
        if (!right) {
            return WRONG_TOKEN;
        }
        Grant grant = grants.share(now.grant(place));
        return grant == null ? AuthResult.ADMITTED : new AuthResult.Admitted(grant, AuthResult.Admitted.NEVER);
    }

    @Override
    public List<String> refresh() {
        return watched.refresh(this::read);
    }

    @Override
    public List<String> reload() {
        return watched.reload(this::read);
    }

    /** A file of nothing after one of something is what a full disk leaves, and would turn the whole fleet away. */
    private List<String> read() {
        try {
            TokenTable fresh = TokenFile.read(file);
            if (fresh.isEmpty() && !table.isEmpty()) {
                return List.of(TokenFile.name(file) + ": need at least one line");
            }
            table = fresh;
            return List.of();
        } catch (BrokenFile bad) {
            return bad.problems();
        }
    }
}
