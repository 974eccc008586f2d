package io.heartwheel.session;

import java.util.Arrays;

/**
 * Settings of who may come in. Keeps a secret: it is in no {@link #toString} and no error. Immutable as long as nobody writes into {@link #token}; any
 * thread.
 *
 * @param mode whether a token is asked for
 * @param token UTF-8 bytes, {@link #MIN_TOKEN}..{@link #MAX_TOKEN} of them with {@link Mode#SHARED_TOKEN}, else none
 */
@SuppressWarnings("ArrayRecordComponent") // equality is by content, see below
public record AuthSettings(Mode mode, byte[] token) {
    /** Least length of a token, bytes. */
    public static final int MIN_TOKEN = 8;
    /** Greatest length of a token, bytes. */
    public static final int MAX_TOKEN = 1_024;

    /** Mode of authentication. */
    public enum Mode {
        /** Nobody has said what: as {@link #NONE}, and so only on addresses that this machine alone can reach. */
        UNSET,
        /** Nothing: every device id is believed. */
        NONE,
        /** The one token all devices share. */
        SHARED_TOKEN
    }

    /** @throws IllegalArgumentException if the length of the token does not fit the mode */
    public AuthSettings {
        token = token.clone();
        if (mode == Mode.SHARED_TOKEN && (token.length < MIN_TOKEN || token.length > MAX_TOKEN)) {
            throw new IllegalArgumentException(
                    "auth.token of " + token.length + " bytes: need " + MIN_TOKEN + ".." + MAX_TOKEN + " bytes");
        }
        if (mode != Mode.SHARED_TOKEN && token.length != 0) {
            throw new IllegalArgumentException(
                    "auth.token of " + token.length + " bytes: need none without mode = shared-token");
        }
    }

    /** What asks devices for the token, or does not. */
    public Credentials credentials() {
        return mode == Mode.SHARED_TOKEN ? Credentials.sharedToken(token) : Credentials.ANYBODY;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AuthSettings that && mode == that.mode && Arrays.equals(token, that.token);
    }

    @Override
    public int hashCode() {
        return mode.hashCode();
    }

    /** The mode alone. */
    @Override
    public String toString() {
        return "AuthSettings[mode=" + mode + ", token=" + (token.length == 0 ? "none" : "***") + "]";
    }
}
