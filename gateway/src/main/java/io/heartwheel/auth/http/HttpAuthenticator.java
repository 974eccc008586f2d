package io.heartwheel.auth.http;

import io.heartwheel.auth.AuthCause;
import io.heartwheel.auth.AuthContext;
import io.heartwheel.auth.AuthRequest;
import io.heartwheel.auth.AuthResult;
import io.heartwheel.auth.Authenticator;
import io.heartwheel.auth.WatchedFiles;
import io.heartwheel.auth.http.HookOutcome.Failed;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Method {@code http}: asks a service of the operator's for each device. Whoever asks is held up for the digest of what the device has shown and for a
 * look into the cache, some microseconds; everything else happens on a thread of its own. At most {@value #MOST_ASKING} devices ask at once. Any thread.
 */
public final class HttpAuthenticator implements Authenticator {
    /** Devices that may wait for an answer. */
    public static final int MOST_ASKING = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger(HttpAuthenticator.class);
    private static final long LOOK_EVERY_MILLIS = 20;
    private static final AuthResult BUSY =
            new AuthResult.Unavailable(AuthCause.BUSY, MOST_ASKING + " devices wait for an answer");

    private static final AuthResult CLOSED = new AuthResult.Unavailable(AuthCause.OUTAGE, "closed");

    private final HttpSettings settings;
    private final AuthContext context;
    private final HookClient client;
    private final AnswerCache cache;
    private final CircuitBreaker breaker;
    private final HookCalls calls;
    private final RequestKey.Seed seed = new RequestKey.Seed();
    private final AtomicInteger asking = new AtomicInteger();
    private final WatchedFiles watched;
    /** The thread of calls and breaker. */
    private final ScheduledThreadPoolExecutor owner;
    /** Whether a look at the deadlines is due; the thread of the calls has it. */
    private boolean looking;

    private HttpAuthenticator(HttpSettings settings, AuthContext context, HookClient client, WatchedFiles watched) {
        this.settings = settings;
        this.context = context;
        this.client = client;
        this.watched = watched;
        cache = new AnswerCache(
                settings.cache(), settings.onOutage() == OnOutage.CACHED ? settings.outageTime() : Duration.ZERO);
        breaker = new CircuitBreaker(
                settings.breaker(),
                () -> ThreadLocalRandom.current().nextDouble(),
                context.nanoClock().getAsLong());
        calls = new HookCalls(
                new HookCalls.Limits(
                        settings.connections(),
                        settings.timeout().toNanos(),
                        settings.onOutage(),
                        settings.outageExpiry().toMillis()),
                this::call,
                breaker,
                cache,
                new HookLog(settings.place()),
                context.nanoClock(),
                context.wallMillis());
        owner = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "auth-http");
            thread.setDaemon(true);
            return thread;
        });
        owner.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Starts it; it connects when there is somebody to ask for.
     *
     * @throws IOException naming key and file that cannot be used
     */
    public static HttpAuthenticator open(HttpSettings settings, AuthContext context) throws IOException {
        WatchedFiles watched = new WatchedFiles(Stream.of(settings.secretFile(), settings.caFile())
                .filter(Objects::nonNull)
                .toList());
        String secret = secret(settings.secretFile());
        HookClient client;
        try {
            client = new HookClient(
                    settings.url(), settings.timeout(), settings.caFile(), context.grants(), context.wallMillis());
        } catch (IOException e) {
            throw badAuthorities(e);
        }
        client.secret(secret);
        if (settings.onOutage() == OnOutage.ADMIT) {
            LOG.warn("auth.http.on-outage = admit: while {} fails every device is admitted", settings.place());
        }
        return new HttpAuthenticator(settings, context, client, watched);
    }

    @Override
    public String name() {
        return HttpSettings.METHOD;
    }

    // ------------------------------------------------------------------ asking

    @Override
    public void authenticate(AuthRequest request, Consumer<AuthResult> answer) {
        RequestKey credentials = RequestKey.ofCredentials(seed, request);
        // who renews wants a new answer, not the one that is about to expire
        AuthResult known = request.renewal()
                ? null
                : cache.fresh(
                        credentials,
                        context.nanoClock().getAsLong(),
                        context.wallMillis().getAsLong());
        if (known != null) {
            answer.accept(known);
        } else if (asking.incrementAndGet() > MOST_ASKING) {
            asking.decrementAndGet();
            answer.accept(BUSY);
        } else {
            try {
                owner.execute(() -> ask(credentials, request, answer));
            } catch (RejectedExecutionException e) {
                asking.decrementAndGet();
                answer.accept(CLOSED);
            }
        }
    }

    private void ask(RequestKey credentials, AuthRequest request, Consumer<AuthResult> answer) {
        calls.ask(RequestKey.ofAll(seed, request), credentials, request, result -> {
            asking.decrementAndGet();
            answer.accept(result);
        });
        lookLater();
    }

    /** Begins a call; what comes of it is told on the thread of the calls. */
    private Runnable call(AuthRequest request, Consumer<HookOutcome> end) {
        Consumer<HookOutcome> onOwner = outcome -> {
            try {
                owner.execute(() -> end.accept(outcome));
            } catch (RejectedExecutionException e) {
                LOG.debug("closed before an answer of {} came", settings.place());
            }
        };
        try {
            return client.call(HookRequest.encode(request), onOwner);
        } catch (RuntimeException e) {
            LOG.error("auth.http: no request could be made", e);
            onOwner.accept(Failed.of(AuthCause.FAULT, e.getClass().getSimpleName()));
            return () -> {};
        }
    }

    private void lookLater() {
        if (!looking && !calls.isIdle()) {
            looking = true;
            owner.schedule(this::look, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        looking = false;
        calls.expire();
        lookLater();
    }

    // ------------------------------------------------------------------ the rest

    @Override
    public List<String> refresh() {
        return watched.refresh(this::read);
    }

    @Override
    public List<String> reload() {
        return watched.reload(this::read);
    }

    /** Reads secret and authorities again. */
    private List<String> read() {
        List<String> found = new ArrayList<>();
        try {
            client.secret(secret(settings.secretFile()));
        } catch (IOException e) {
            found.add(String.valueOf(e.getMessage()));
        }
        try {
            client.trust(settings.caFile());
        } catch (IOException e) {
            found.add(String.valueOf(badAuthorities(e).getMessage()));
        }
        return found;
    }

    private static IOException badAuthorities(IOException cause) {
        return new IOException("auth.http.ca-file: " + cause.getMessage(), cause);
    }

    private static @Nullable String secret(@Nullable Path file) throws IOException {
        if (file == null) {
            return null;
        }
        byte[] line;
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(HttpSettings.LONGEST_SECRET + 1);
            int end = 0;
            while (end < start.length && start[end] != '\n' && start[end] != '\r') {
                end++;
            }
            line = Arrays.copyOf(start, end);
        } catch (IOException e) {
            String kind = e.getClass().getSimpleName();
            throw new IOException("auth.http.secret-file = " + file + ": cannot be read (" + kind + ")", e);
        }
        if (!HttpSettings.isSecret(line)) {
            throw new IOException(
                    "auth.http.secret-file = " + file + ": need a first line of 16..1024 visible characters");
        }
        return new String(line, StandardCharsets.US_ASCII);
    }

    /** What it is doing. Any thread. */
    public HookStatus status() {
        return new HookStatus(
                settings.place(),
                breaker.state(),
                calls.callsUnderWay(),
                calls.callsWaiting(),
                calls.started(),
                calls.answered(),
                calls.failures(),
                breaker.opened(),
                calls.joined(),
                cache.size(),
                cache.hits(),
                cache.misses(),
                cache.staleHits(),
                calls.admittedUnasked());
    }

    @Override
    public void close() {
        try {
            owner.execute(() -> {
                calls.close();
                client.close();
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("closed already");
        }
        owner.shutdown();
    }
}
