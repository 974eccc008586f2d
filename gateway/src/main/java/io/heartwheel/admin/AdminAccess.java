package io.heartwheel.admin;

import io.heartwheel.auth.AuthFailures;
import io.heartwheel.auth.AuthSettings;
import io.heartwheel.event.SafeText;
import io.heartwheel.net.HttpError;
import io.heartwheel.net.IpAddress;
import io.heartwheel.net.Networks;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decision who a caller of the admin listener is.
 *
 * <pre>
 *   nobody need be known (no tokens, no client certificates)  --&gt; local, may do everything
 *   Authorization: Bearer TOKEN  --wrong--&gt; 401, the eleventh of an address 429
 *                                --good---&gt; the token's name and scopes
 *   none, and a client certificate          its subject, admin.tls.client-scopes
 *   none of them                            unknown: /healthz and /readyz only
 * </pre>
 *
 * A token that was good from this address before passes also while others guess from there, so that a guesser behind the same balancer does not lock operators
 * out.
 *
 * <p>Any thread. Reads the file of tokens when it has changed: not for a device's loop.
 */
final class AdminAccess {
    private static final Logger LOG = LoggerFactory.getLogger(AdminAccess.class);
    private static final String SCHEME = "Bearer ";
    private static final int MOST_TOKEN = 4_096;
    private static final int SUBJECT_BYTES = 128;
    private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Wrong tokens of one address at once; then one in {@link #REFILL_SECONDS}. */
    static final int GUESSES = 10;

    static final int REFILL_SECONDS = 6;

    /** Asks nobody, as a listener that only shows figures does. */
    static final AdminAccess OPEN = new AdminAccess(true, null, Set.of());

    private final boolean asksNobody;
    private final @Nullable TokenFile tokens;
    private final Set<Scope> certificateScopes;
    private final AuthFailures guesses;

    // ---- under the lock
    private long untold;
    private long toldNanos;

    private AdminAccess(boolean asksNobody, @Nullable TokenFile tokens, Set<Scope> certificateScopes) {
        this.asksNobody = asksNobody;
        this.tokens = tokens;
        this.certificateScopes = certificateScopes;
        long nowNanos = System.nanoTime();
        guesses = new AuthFailures(
                new AuthSettings.Failures(!asksNobody, GUESSES, 60 / REFILL_SECONDS, Networks.NONE, 4_096), nowNanos);
        toldNanos = nowNanos - WARN_EVERY_NANOS;
    }

    /**
     * As configured.
     *
     * @throws IOException if the file of tokens will not do
     */
    static AdminAccess of(AdminSettings settings) throws IOException {
        Path file = settings.tokensFile();
        TokenFile tokens = file == null ? null : new TokenFile(file, System.nanoTime());
        return new AdminAccess(settings.asksNobody(), tokens, settings.clientScopes());
    }

    /**
     * Who calls.
     *
     * @throws HttpError 401 for a wrong token, 429 for one too many
     */
    Caller caller(Request call, Channel channel) {
        if (asksNobody) {
            return Caller.LOCAL;
        }
        List<String> given = call.headers().getAll(HttpHeaderNames.AUTHORIZATION);
        String header = given.isEmpty() ? "" : given.get(0);
        if (header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            String token =
                    given.size() > 1 ? "" : header.substring(SCHEME.length()).strip();
            return byToken(token.getBytes(StandardCharsets.ISO_8859_1), IpAddress.of(channel.remoteAddress()));
        }
        X509Certificate certificate = certificate(channel);
        return certificate == null ? Caller.UNKNOWN : new Caller(name(certificate), certificateScopes);
    }

    private Caller byToken(byte[] token, byte[] source) {
        long nowNanos = System.nanoTime();
        Caller known = tokens == null ? null : tokens.remembered(token, source, nowNanos);
        if (known != null) {
            return known;
        }
        boolean limited = guesses.isLimited(source, nowNanos);
        if (tokens != null && !limited && token.length <= MOST_TOKEN) {
            known = tokens.find(token, source);
        }
        if (known != null) {
            return known;
        }
        warn(source, nowNanos);
        if (limited) {
            throw new HttpError(429, "too_many_failures", "too many wrong tokens from this address, come back later");
        }
        guesses.failed(source, nowNanos);
        throw Caller.unauthorized();
    }

    /** At most one line in ten seconds, without the token. */
    private synchronized void warn(byte[] source, long nowNanos) {
        untold++;
        if (nowNanos - toldNanos >= WARN_EVERY_NANOS) {
            toldNanos = nowNanos;
            LOG.warn("admin: {} requests with a wrong token, the latest from {}", untold, IpAddress.text(source));
            untold = 0;
        }
    }

    /** What the caller has shown, and TLS has found good; null: nothing, or it has expired on an open connection or a resumed session. */
    private static @Nullable X509Certificate certificate(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls == null) {
            return null;
        }
        try {
            X509Certificate shown = (X509Certificate) tls.engine().getSession().getPeerCertificates()[0];
            shown.checkValidity();
            return shown;
        } catch (SSLPeerUnverifiedException | CertificateException none) {
            return null;
        }
    }

    private static String name(X509Certificate certificate) {
        return "certificate/"
                + SafeText.of(certificate.getSubjectX500Principal().getName(), SUBJECT_BYTES);
    }
}
