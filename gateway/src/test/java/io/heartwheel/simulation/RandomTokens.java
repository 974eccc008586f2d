package io.heartwheel.simulation;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grant;
import io.heartwheel.session.AuthPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of the devices and the method that judges them. In one world of five they expire, some are refused, and an answer may take its time or never come. A
 * token says itself what comes of it.
 */
final class RandomTokens implements Authenticator {
    /** Says nothing: admitted at once and for good. */
    static final Token ORDINARY = new Token(0, 0, Answer.ADMITTED, 0);

    /** One in which the rare worlds that find certain faults stay as they are. */
    private static final int STREAM = 19;

    private final World world;
    private final SplittableRandom random;
    private final long seed;
    private final boolean on;
    private final SplittableRandom groups;
    /** Whether some devices are in groups. */
    private final boolean grouped;

    private final long beatMillis;

    /** What comes of a token. */
    enum Answer {
        ADMITTED,
        REFUSED,
        NEVER
    }

    /**
     * A token.
     *
     * @param leftMillis good for so long from its answer on; 0: for good
     * @param delayNanos until it is answered
     * @param group as in {@link TrueGroups}
     */
    record Token(long leftMillis, long delayNanos, Answer answer, int group) {
        static Token of(byte[] shown) {
            String[] parts = new String(shown, StandardCharsets.US_ASCII).split(" ");
            return parts.length < 4
                    ? ORDINARY
                    : new Token(
                            Long.parseLong(parts[0]),
                            Long.parseLong(parts[1]),
                            Answer.valueOf(parts[2]),
                            Integer.parseInt(parts[3]));
        }

        byte[] shown() {
            return (leftMillis + " " + delayNanos + " " + answer + " " + group).getBytes(StandardCharsets.US_ASCII);
        }
    }

    RandomTokens(World world, Circumstances is) {
        this.world = world;
        random = Chance.stream(is.seed(), "tokens", STREAM);
        on = random.nextInt(5) == 0 && !is.noisy();
        groups = Chance.stream(is.seed(), "groups", 0);
        grouped = groups.nextInt(2) == 0;
        seed = is.seed();
        beatMillis = is.rules().intervalMillis();
    }

    AuthPolicy policy() {
        return on ? new AuthPolicy(this, cause -> false, warnBeforeNanos()) : AuthPolicy.ANYBODY;
    }

    long warnBeforeNanos() {
        return TimeUnit.MILLISECONDS.toNanos(beatMillis);
    }

    /** Whether a device understands that its token expires. */
    boolean understands() {
        return on && random.nextBoolean();
    }

    Token next() {
        if (!on || random.nextInt(3) == 0) {
            return ORDINARY;
        }
        int chance = random.nextInt(20);
        Answer answer = chance == 0 ? Answer.NEVER : chance < 3 ? Answer.REFUSED : Answer.ADMITTED;
        long leftMillis = Math.max(1, (long) (beatMillis * (0.1 + 8 * random.nextDouble())));
        long delayNanos = random.nextBoolean() ? 0 : Chance.nanos(random, 0.0001, random.nextInt(8) == 0 ? 20 : 0.5);
        return new Token(leftMillis, delayNanos, answer, grouped ? groups.nextInt(TrueGroups.COUNT + 1) : 0);
    }

    /** How often a device shows a newer token as soon as the one before is answered. */
    int hasteOf(TrueHistory history) {
        return on && Chance.stream(seed, "haste", history.number).nextInt(8) == 0 ? 8 : 0;
    }

    /** When a device shows a newer one, that has one which is good for so long: mostly in time, sometimes too late. */
    long renewsInNanos(long leftMillis) {
        return (long) (TimeUnit.MILLISECONDS.toNanos(leftMillis) * (0.3 + 0.8 * random.nextDouble()));
    }

    private static @Nullable Grant grant(int group) {
        return group == 0 ? null : new Grant(0, 0, "", List.of(TrueGroups.name(group)), Map.of());
    }

    @Override
    public String name() {
        return "random";
    }

    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        Token token = Token.of(request.token());
        AuthResult result = token.answer == Answer.REFUSED
                ? new AuthResult.Refused(AuthCause.WRONG_TOKEN, "")
                : new AuthResult.Admitted(
                        grant(token.group),
                        token.leftMillis == 0 ? AuthResult.Admitted.NEVER : Machine.WALL_MILLIS + token.leftMillis);
        if (token.answer == Answer.NEVER) {
            return;
        }
        if (token.delayNanos == 0) {
            answer.accept(result);
        } else {
            world.in(token.delayNanos, () -> answer.accept(result));
        }
    }
}
