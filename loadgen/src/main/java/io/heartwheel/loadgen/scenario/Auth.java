package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.Credentials.Habit;
import io.heartwheel.loadgen.server.Disturbance;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Credentials that devices show to be admitted, made by the run itself. Immutable; any thread.
 *
 * @param warnBeforeNanos how long before the end of a token the gateway warns
 * @param habits weights of what devices do about the end of their token
 * @param wrong what the wrong ones show, in turn
 * @param jwt with {@link Kind#JWT}
 * @param service with {@link Kind#JWT} and {@link Kind#HTTP}: the server that the gateway asks
 * @param directory where files for the gateway are written; empty: in a temporary one that goes with the run
 */
public record Auth(
        Kind kind,
        long warnBeforeNanos,
        Map<Habit, Double> habits,
        List<Wrong> wrong,
        Jwt jwt,
        Service service,
        String directory) {

    /** Keeps its own copies. */
    public Auth {
        habits = Map.copyOf(habits);
        wrong = List.copyOf(wrong);
    }

    /** What devices show. */
    public enum Kind {
        /** Nothing of their own. */
        NONE,
        /** Each its own token, of which the gateway has a salted hash. */
        TOKENS,
        /** Each its own token, about which the gateway asks a server of the run. */
        HTTP,
        /** Each a signed token that expires. */
        JWT,
        /** Each a client certificate. */
        CERTIFICATE;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How a wrong credential is wrong. */
    public enum Wrong {
        /** Signed by a key that nobody knows, under the name of one that is known; a token that nobody has. */
        FORGED,
        /** Good for another device. */
        DEVICE,
        /** Expired an hour ago. */
        EXPIRED,
        /** For another audience. */
        AUDIENCE,
        /** Not signed at all. */
        UNSIGNED,
        /** Without its last characters. */
        TRUNCATED;

        /** The name in a scenario. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether it is only a JWT that can be wrong so. */
        public boolean ofClaims() {
            return this == EXPIRED || this == AUDIENCE || this == UNSIGNED;
        }
    }

    /** Algorithm of a signature, RFC 7518 and 8037. */
    public enum Algorithm {
        /** ECDSA with P-256. */
        ES256,
        /** RSA with SHA-256. */
        RS256,
        /** Ed25519. */
        EDDSA;

        /** The name in a scenario, and in the token. */
        public String label() {
            return this == EDDSA ? "EdDSA" : name();
        }
    }

    /**
     * Signed tokens.
     *
     * @param lifetimeNanos from when it is made to its expiry, which is at a whole second
     * @param groups claim of the same name; empty: none
     */
    public record Jwt(Algorithm algorithm, long lifetimeNanos, String issuer, String audience, List<String> groups) {

        /** Keeps its own copy. */
        public Jwt {
            groups = List.copyOf(groups);
        }
    }

    /**
     * Server of the run that the gateway asks: for keys, or about devices.
     *
     * @param bind its address
     * @param rotateNanos a new key signs after each so long, since observation began, and the newest two are told; 0: never
     * @param plan when it does something else than to answer
     */
    public record Service(String bind, long rotateNanos, List<Disturbance> plan) {

        /** Devices use a new key so long after it was first told. */
        public static final long SETTLE_NANOS = 500_000_000L;

        /** Keeps its own copy. */
        public Service {
            plan = List.copyOf(plan);
        }

        /** Number of the key that signs, from 0, so long after observation began; below 0 before that. */
        public int signing(long nanos) {
            return newest(nanos - SETTLE_NANOS);
        }

        /** Number of the newest key that is told. */
        public int newest(long nanos) {
            return rotateNanos == 0 || nanos < 0 ? 0 : (int) (nanos / rotateNanos);
        }
    }

    /** Whether the gateway asks a server of the run; keys that never change lie in a file. */
    public boolean serves() {
        return kind == Kind.HTTP || (kind == Kind.JWT && (service.rotateNanos > 0 || !service.plan.isEmpty()));
    }

    /** What a device does about the end of its token; {@code chance}, 0 to below 1, decides. */
    public Habit habit(double chance) {
        double all = habits.values().stream().mapToDouble(Double::doubleValue).sum();
        double left = chance * all;
        for (Habit habit : Habit.values()) {
            left -= habits.getOrDefault(habit, 0.0);
            if (left < 0) {
                return habit;
            }
        }
        return Habit.RENEW;
    }
}
