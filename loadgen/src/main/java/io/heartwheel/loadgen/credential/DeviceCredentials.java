package io.heartwheel.loadgen.credential;

import io.heartwheel.loadgen.client.Credential;
import io.heartwheel.loadgen.client.Credentials;
import io.heartwheel.loadgen.client.Identity;
import io.heartwheel.loadgen.pace.Chance;
import io.heartwheel.loadgen.scenario.Auth;
import io.heartwheel.loadgen.scenario.Scenario;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Credentials of the devices of one worker. Tokens that live long are made once a device, before the run if there are not too many: a signature
 * costs a quarter of a millisecond and must not slow the connects that are measured. Any thread.
 */
public final class DeviceCredentials implements Credentials {

    /** A device keeps a token that lives longer than this, as an ordinary device does. */
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(10);
    /** A gateway that was not answered leaves the one it asks alone for a while. */
    private static final long RECOVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int MOST_PREPARED = 100_000;
    private static final int HABIT_DRAW = -3;
    private static final long MILLI = 1_000_000L;
    private static final long SECOND_MILLIS = 1_000;

    private final Auth auth;
    private final String prefix;
    private final long seed;
    private final LongSupplier wallMillis;
    private final JwtMaker maker;
    private final DeviceTokens tokens;
    private final @Nullable DeviceCertificates certificates;

    private volatile Kept kept = new Kept(0, List.of());
    private volatile long observedFromNanos = Credential.NEVER;

    /** Tokens that were made, of devices from one on; all by the first key. */
    private record Kept(int first, List<Credential> made) {

        @Nullable
        Credential of(int index) {
            return index >= first && index < first + made.size() ? made.get(index - first) : null;
        }
    }

    /** @param wallMillis the wall clock, milliseconds since 1970: tokens expire by it */
    public DeviceCredentials(Scenario scenario, Auth auth, LongSupplier wallMillis) {
        this.auth = auth;
        this.prefix = scenario.deviceDefaults().idPrefix();
        this.seed = scenario.seed();
        this.wallMillis = wallMillis;
        this.maker = new JwtMaker(auth.jwt(), seed);
        this.tokens = new DeviceTokens(seed);
        this.certificates = auth.kind() == Auth.Kind.CERTIFICATE ? new DeviceCertificates(seed) : null;
    }

    @Override
    public Habit habit(int index) {
        return auth.habit(Chance.unit(seed, index, HABIT_DRAW));
    }

    @Override
    public void observeFrom(long nanos) {
        observedFromNanos = nanos;
    }

    @Override
    public boolean isDisturbed(long fromNanos, long toNanos) {
        long observed = observedFromNanos;
        return auth.kind() == Auth.Kind.HTTP
                && auth.service().plan().stream()
                        .anyMatch(each -> fromNanos < observed + each.endNanos() + RECOVERY_NANOS
                                && toNanos >= observed + each.atNanos());
    }

    @Override
    public Credential made(int index, long nowNanos) {
        boolean wrong = habit(index) == Habit.WRONG;
        return switch (auth.kind()) {
            case NONE, CERTIFICATE -> lasting("");
            case TOKENS, HTTP -> lasting(wrong ? wrongToken(index) : tokens.of(index));
            case JWT -> jwt(index, nowNanos);
        };
    }

    @Override
    public @Nullable Identity identity(int index) {
        DeviceCertificates issuer = certificates;
        if (issuer == null) {
            return null;
        }
        boolean wrong = habit(index) == Habit.WRONG;
        boolean forged = wrong && how(index) != Auth.Wrong.DEVICE;
        return issuer.of(prefix + (wrong && !forged ? index + 1 : index), index, forged);
    }

    private static Credential lasting(String token) {
        return new Credential(token, Credential.NEVER);
    }

    private String wrongToken(int index) {
        return switch (how(index)) {
            case DEVICE -> tokens.of(index + 1);
            case TRUNCATED -> tokens.of(index).substring(1);
            default -> tokens.unknown(index);
        };
    }

    private Auth.Wrong how(int index) {
        return auth.wrong().get(index % auth.wrong().size());
    }

    private Credential jwt(int index, long nowNanos) {
        int key = auth.service().signing(nowNanos - observedFromNanos);
        Credential before = key > 0 ? null : kept.of(index);
        return before == null ? signed(index, key, nowNanos) : before;
    }

    private Credential signed(int index, int key, long nowNanos) {
        long now = wallMillis.getAsLong();
        long lifetimeMillis = auth.jwt().lifetimeNanos() / MILLI;
        long expirySeconds = (now + lifetimeMillis + SECOND_MILLIS - 1) / SECOND_MILLIS;
        long nowSeconds = now / SECOND_MILLIS;
        String device = prefix + index;
        long expiresNanos = nowNanos + (expirySeconds * SECOND_MILLIS - now) * MILLI;
        return habit(index) == Habit.WRONG
                ? lasting(maker.wrong(how(index), key, device, nowSeconds, expirySeconds))
                : new Credential(maker.good(key, device, nowSeconds, expirySeconds), expiresNanos);
    }

    /** Makes what these devices show first, so that it costs nothing while they connect. Blocks. */
    public void prepare(int first, int count, long nowNanos) {
        if (auth.kind() != Auth.Kind.JWT) {
            return;
        }
        // A key pair that is made while devices connect would hold their event loop.
        maker.key(0);
        if (auth.jwt().lifetimeNanos() >= KEPT_NANOS && count <= MOST_PREPARED) {
            Credential[] made = new Credential[count];
            IntStream.range(0, count).parallel().forEach(i -> made[i] = signed(first + i, 0, nowNanos));
            kept = new Kept(first, Arrays.asList(made));
        }
    }
}
