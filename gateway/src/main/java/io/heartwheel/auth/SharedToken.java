package io.heartwheel.auth;

import java.security.MessageDigest;
import java.util.function.Consumer;

/** Method of {@code auth.mode = shared-token}: one token for all devices. Answers at once; any thread. */
public final class SharedToken implements Authenticator {
    /** Its name in metrics and evidence. */
    public static final String NAME = "shared-token";

    private static final AuthResult NOTHING_SHOWN = new AuthResult.Refused(AuthCause.NOTHING_SHOWN, "");
    private static final AuthResult WRONG_TOKEN = new AuthResult.Refused(AuthCause.WRONG_TOKEN, "");

    private final byte[] expected;

    /** @param expected the token */
    public SharedToken(byte[] expected) {
        this.expected = expected.clone();
    }

    @Override
    public String name() {
        return NAME;
    }

    /** Takes time that depends only on the length of what the device shows. */
    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        if (MessageDigest.isEqual(expected, request.token())) {
            answer.accept(AuthResult.ADMITTED);
        } else {
            answer.accept(request.token().length == 0 ? NOTHING_SHOWN : WRONG_TOKEN);
        }
    }
}
