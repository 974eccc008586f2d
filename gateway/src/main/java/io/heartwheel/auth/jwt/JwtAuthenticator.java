package io.heartwheel.auth.jwt;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.AuthResult.Admitted;
import io.heartwheel.auth.AuthResult.Unavailable;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.Grants;
import io.heartwheel.auth.jwt.KeySource.Outcome;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authentication by signed tokens of an issuer.
 *
 * <p>The caller's thread counts dots and looks whether the token was verified before; a worker does the rest, cheap checks first: form, algorithm, times,
 * issuer, audience, device, key, and then the signature. What a token grants is looked at only after its signature.
 *
 * <p>Keys come from the configuration alone. A token may name one of them by its id ({@code kid}), and nothing that it names is ever fetched. Any thread.
 */
public final class JwtAuthenticator implements Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(JwtAuthenticator.class);

    private static final AuthResult OUTAGE =
            new Unavailable(AuthCause.OUTAGE, "the key is not among those in force, and keys cannot be fetched");

    private static final AuthResult NOT_YET =
            new Unavailable(AuthCause.BUSY, "keys were fetched for another id a moment ago, and will be again");

    private static final AuthResult CLOSED = new Unavailable(AuthCause.OUTAGE, "closed");

    private final JwtSettings settings;
    private final AuthContext context;
    private final TokenRules rules;
    private final @Nullable KeySource published;
    private final @Nullable KeySource secrets;
    private final @Nullable VerifiedTokens verified;
    /** Who has waited for a worker is not admitted by what is configured no more. */
    private volatile boolean closed;

    JwtAuthenticator(
            JwtSettings settings, AuthContext context, @Nullable KeySource published, @Nullable KeySource secrets) {
        this.settings = settings;
        this.context = context;
        this.published = published;
        this.secrets = secrets;
        rules = new TokenRules(settings);
        verified = settings.cache() == 0 ? null : new VerifiedTokens(settings.cache());
    }

    /** @throws IOException if a file cannot be used; a URL is asked later */
    static JwtAuthenticator open(JwtSettings settings, AuthContext context) throws IOException {
        Path secretFile = settings.secretFile();
        KeySource secrets = secretFile == null
                ? null
                : KeyFile.secrets(secretFile, context.nanoClock()).open();
        return new JwtAuthenticator(settings, context, published(settings, context), secrets);
    }

    private static @Nullable KeySource published(JwtSettings settings, AuthContext context) throws IOException {
        Path file = settings.keysFile();
        if (file != null) {
            return KeyFile.keys(file, settings.algorithms(), context.nanoClock())
                    .open();
        }
        URI url = settings.keysUrl();
        if (url == null) {
            return null;
        }
        KeySchedule schedule = new KeySchedule(
                context.nanoClock().getAsLong(),
                settings.keysRefresh(),
                settings.keysOutage(),
                () -> ThreadLocalRandom.current().nextDouble());
        return new KeyUrl(
                        url.getScheme() + "://" + url.getAuthority() + url.getPath(),
                        new HttpKeyFetcher(url, settings.keysTimeout()),
                        new JwksReader(settings.algorithms()),
                        schedule,
                        settings.keysTimeout(),
                        context.nanoClock())
                .start();
    }

    @Override
    public String name() {
        return JwtSettings.METHOD;
    }

    @Override
    public void warmUp(long untilNanos) {
        warmUp(JwtWarmUp.MOST_TOKENS, untilNanos);
    }

    /** Answers how many tokens of its own it has verified. */
    int warmUp(int mostTokens, long untilNanos) {
        AuthContext here = new AuthContext(Runnable::run, new Grants(), context.nanoClock(), context.wallMillis());
        return JwtWarmUp.run(
                rules.admitted(JwtWarmUp.DEVICE, context.wallMillis().getAsLong()),
                keys -> new JwtAuthenticator(settings.withPublishedKeyOnly(), here, keys, null),
                mostTokens,
                untilNanos);
    }

    // ------------------------------------------------------------------ a device

    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        if (!CompactToken.isOne(request.token())) {
            answer.accept(AuthResult.NOT_MINE);
            return;
        }
        AuthResult known = known(request);
        if (known != null) {
            answer.accept(known);
        } else {
            work(request, answer, true);
        }
    }

    private void work(AuthRequest request, Consumer<AuthResult> answer, boolean mayWait) {
        try {
            context.workers().execute(() -> {
                AuthResult result;
                try {
                    result = decide(request, answer, mayWait);
                } catch (RuntimeException | Error fault) {
                    LOG.error("a token could not be checked", fault);
                    result = new Unavailable(AuthCause.FAULT, fault.getClass().getSimpleName());
                }
                if (result != null) {
                    answer.accept(result);
                }
            });
        } catch (RejectedExecutionException full) {
            answer.accept(new Unavailable(AuthCause.BUSY, "no worker is free"));
        }
    }

    /** Says whether it may come in; null: {@code answer} is told later. */
    private @Nullable AuthResult decide(AuthRequest request, Consumer<AuthResult> answer, boolean mayWait) {
        if (closed) {
            return CLOSED;
        }
        if (context.nanoClock().getAsLong() - request.deadlineNanos() >= 0) {
            return new Unavailable(AuthCause.TIMEOUT, "its turn came too late");
        }
        try {
            CompactToken token = CompactToken.parse(request.token(), settings.algorithms());
            long nowMillis = context.wallMillis().getAsLong();
            long expiresAtMillis = rules.check(token.claims(), request.deviceName(), nowMillis);
            KeySource source = source(token.algorithm());
            KeySet keys = source.inForce();
            // a secret has no id: whatever the token calls it, there is no other
            String kid = source == secrets ? null : token.kid();
            if (mayWait && (keys == null || (kid != null && !keys.has(kid)))) {
                return missing(source, kid, request, answer);
            }
            if (keys == null) {
                return OUTAGE;
            }
            verify(token, keys.find(kid, token.algorithm()));
            Admitted admitted = new Admitted(context.grants().share(rules.grant(token.claims())), expiresAtMillis);
            if (verified != null) {
                verified.put(verified.hash(keys, request.deviceId(), request.token()), admitted, nowMillis);
            }
            return admitted;
        } catch (TokenRefused refused) {
            return refused.result();
        }
    }

    private static void verify(CompactToken token, List<VerificationKey> keys) throws TokenRefused {
        if (keys.isEmpty()) {
            throw new TokenRefused(
                    AuthCause.UNKNOWN_KEY, "no key for " + token.algorithm().label());
        }
        for (VerificationKey key : keys) {
            if (key.verifies(token)) {
                return;
            }
        }
        throw new TokenRefused(AuthCause.SIGNATURE, "");
    }

    private @Nullable AuthResult missing(
            KeySource source, @Nullable String kid, AuthRequest request, Consumer<AuthResult> answer) {
        return switch (source.missing(kid, request.deadlineNanos(), outcome -> found(outcome, request, answer))) {
            case NO_SUCH_KEY -> new AuthResult.Refused(AuthCause.UNKNOWN_KEY, "no key of this id");
            case NOT_YET -> NOT_YET;
            case OUTAGE -> OUTAGE;
            case BUSY -> new Unavailable(AuthCause.BUSY, "too many wait for keys");
            case WAITING -> null;
        };
    }

    /** On the thread of the keys. */
    private void found(Outcome outcome, AuthRequest request, Consumer<AuthResult> answer) {
        switch (outcome) {
            case READ -> work(request, answer, false);
            case FAILED -> answer.accept(OUTAGE);
            case TOO_LATE -> answer.accept(new Unavailable(AuthCause.TIMEOUT, "the keys were not fetched in time"));
        }
    }

    private KeySource source(JwtAlgorithm algorithm) {
        KeySource source = algorithm == JwtAlgorithm.HS256 ? secrets : published;
        if (source == null) {
            throw new IllegalStateException(algorithm + ": without keys");
        }
        return source;
    }

    // ------------------------------------------------------------------ known tokens

    private @Nullable AuthResult known(AuthRequest request) {
        if (verified == null || request.token().length > CompactToken.MOST_BYTES) {
            return null;
        }
        AuthResult found = known(published, verified, request);
        return found == null ? known(secrets, verified, request) : found;
    }

    private @Nullable AuthResult known(@Nullable KeySource source, VerifiedTokens tokens, AuthRequest request) {
        KeySet keys = source == null ? null : source.inForce();
        return keys == null
                ? null
                : tokens.find(
                        tokens.hash(keys, request.deviceId(), request.token()),
                        context.wallMillis().getAsLong());
    }

    // ------------------------------------------------------------------ keys

    @Override
    public List<String> refresh() {
        return problems(KeySource::refresh);
    }

    @Override
    public List<String> reload() {
        return problems(KeySource::reload);
    }

    private List<String> problems(Function<KeySource, List<String>> reading) {
        List<String> problems = new ArrayList<>();
        if (published != null) {
            problems.addAll(reading.apply(published));
        }
        if (secrets != null) {
            problems.addAll(reading.apply(secrets));
        }
        return problems;
    }

    /** Published keys in force, for metrics. */
    public JwkStatus keys() {
        return published == null ? JwkStatus.NONE : published.status();
    }

    @Override
    public void close() {
        closed = true;
        if (published != null) {
            published.close();
        }
    }
}
