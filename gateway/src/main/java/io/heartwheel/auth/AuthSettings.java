package io.heartwheel.auth;

import io.heartwheel.net.Networks;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Settings of who may come in. Keeps a secret: it is in no {@link #toString} and no error. Immutable as long as nobody writes into {@link #token}; any
 * thread.
 *
 * @param mode who is asked
 * @param token UTF-8 bytes, {@link #MIN_TOKEN}..{@link #MAX_TOKEN} of them with {@link Mode#SHARED_TOKEN}, else none
 * @param methods 1..{@link #MOST_METHODS} with {@link Mode#METHODS}, distinct, asked in this order; else none
 * @param refused what a refused device is told
 * @param warnBefore the device is warned so long before its admission expires
 * @param failures how often a source may fail
 * @param workers threads for signatures and the like, 0 for half of the processors
 * @param watch whether and how often files are read again
 */
@SuppressWarnings("ArrayRecordComponent") // equality is by content, see below
public record AuthSettings(
        Mode mode,
        byte[] token,
        List<MethodSettings> methods,
        Refused refused,
        Duration warnBefore,
        Failures failures,
        int workers,
        Watch watch) {
    /** Least length of a token, bytes. */
    public static final int MIN_TOKEN = 8;
    /** Greatest length of a token, bytes. */
    public static final int MAX_TOKEN = 1_024;
    /** Names of all methods. */
    public static final List<String> METHODS = List.of("certificate", "jwt", "tokens", "http");
    /** Methods that may be asked one after another. */
    public static final int MOST_METHODS = METHODS.size();

    /** Mode of authentication. */
    public enum Mode {
        /** Nobody has said what: as {@link #NONE}, and so only on addresses that this machine alone can reach. */
        UNSET,
        /** Nothing: every device id is believed. */
        NONE,
        /** The one token all devices share. */
        SHARED_TOKEN,
        /** Methods of authentication, in order. */
        METHODS
    }

    /** What a refused device is told. */
    public enum Refused {
        /** Never to come again with what it has shown. */
        NEVER,
        /** To come again later. */
        LATER
    }

    /**
     * How often a source may fail.
     *
     * @param enabled whether failures are limited at all
     * @param burst failures at once after a rest
     * @param perMinute in the long run
     * @param exempt sources whose failures are not counted
     * @param tracked about so many sources are told apart
     */
    public record Failures(boolean enabled, int burst, int perMinute, Networks exempt, int tracked) {
        /** As in the reference configuration. */
        public static final Failures DEFAULTS = new Failures(true, 10, 6, Networks.NONE, 65_536);
    }

    /**
     * How the files of methods are watched.
     *
     * @param enabled whether they are read again without being asked
     * @param period between two looks
     */
    public record Watch(boolean enabled, Duration period) {
        /** As in the reference configuration. */
        public static final Watch DEFAULTS = new Watch(true, Duration.ofSeconds(10));
    }

    /** @throws IllegalArgumentException if token or methods do not fit the mode */
    public AuthSettings {
        token = token.clone();
        methods = List.copyOf(methods);
        if (mode == Mode.SHARED_TOKEN && (token.length < MIN_TOKEN || token.length > MAX_TOKEN)) {
            throw new IllegalArgumentException(
                    "auth.token of " + token.length + " bytes: need " + MIN_TOKEN + ".." + MAX_TOKEN + " bytes");
        }
        if (mode != Mode.SHARED_TOKEN && token.length != 0) {
            throw new IllegalArgumentException(
                    "auth.token of " + token.length + " bytes: need none without mode = shared-token");
        }
        Set<String> names = methods.stream().map(MethodSettings::method).collect(Collectors.toCollection(HashSet::new));
        int least = mode == Mode.METHODS ? 1 : 0;
        int most = mode == Mode.METHODS ? MOST_METHODS : 0;
        if (methods.size() < least || methods.size() > most || names.size() != methods.size()) {
            throw new IllegalArgumentException("auth.methods = "
                    + methods.stream().map(MethodSettings::method).toList() + ": need 1.." + MOST_METHODS
                    + ", each once, with mode = methods, else none");
        }
    }

    /** These, and for the rest the reference configuration. */
    public static AuthSettings of(Mode mode, byte[] token, List<MethodSettings> methods) {
        return new AuthSettings(
                mode, token, methods, Refused.NEVER, Duration.ofSeconds(60), Failures.DEFAULTS, 0, Watch.DEFAULTS);
    }

    /** The same without methods. */
    public static AuthSettings of(Mode mode, byte[] token) {
        return of(mode, token, List.of());
    }

    /** Whether a device has to show something. */
    public boolean asks() {
        return mode == Mode.SHARED_TOKEN || mode == Mode.METHODS;
    }

    /** Whether a device refused for this cause is told to come again later, rather than never. */
    public boolean closesLater(AuthCause cause) {
        return refused == Refused.LATER || cause == AuthCause.TOO_MANY_FAILURES;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AuthSettings that
                && mode == that.mode
                && Arrays.equals(token, that.token)
                && methods.equals(that.methods)
                && refused == that.refused
                && warnBefore.equals(that.warnBefore)
                && failures.equals(that.failures)
                && workers == that.workers
                && watch.equals(that.watch);
    }

    @Override
    public int hashCode() {
        return 31 * mode.hashCode() + methods.hashCode();
    }

    /** The mode, and the names of the methods. */
    @Override
    public String toString() {
        return "AuthSettings[mode=" + mode + ", token=" + (token.length == 0 ? "none" : "***") + ", methods="
                + methods.stream().map(MethodSettings::method).toList() + "]";
    }
}
