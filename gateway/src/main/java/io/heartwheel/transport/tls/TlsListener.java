package io.heartwheel.transport.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of one listener: what new connections get, and how that is exchanged without touching those that are open.
 *
 * <pre>
 *   event loops:  {@link #newHandler}  --- one volatile read ---&gt;  current context --&gt; engines, each holds it
 *   one thread:   {@link #swap}        --- one volatile write --&gt;  the old one is let go when every loop has moved on
 * </pre>
 *
 * <p>Owner: whoever holds the lock of {@link TlsListeners}, but for {@link #newHandler}. A loop may read the old context while it is exchanged; that
 * is harmless, since it is released only after each loop has run a task that was queued behind the write.
 */
public final class TlsListener {
    private final String name;
    private final String path;
    private final boolean http;
    private final boolean tickets;
    private final Executor afterEveryLoop;
    private final LongSupplier wallMillis;
    private TlsSettings settings;
    private volatile TlsContexts.Built current;
    private String seenDigest;
    private String refusedDigest = "";

    /** @throws SSLException naming the listener and what will not do */
    TlsListener(
            String name,
            String path,
            boolean http,
            boolean tickets,
            TlsSettings settings,
            Executor afterEveryLoop,
            LongSupplier wallMillis)
            throws SSLException {
        this.name = name;
        this.path = path;
        this.http = http;
        this.tickets = tickets;
        this.settings = settings;
        this.afterEveryLoop = afterEveryLoop;
        this.wallMillis = wallMillis;
        current = prepare(settings, new TlsFiles(settings));
        seenDigest = current.files().digest();
    }

    /** The handler of a new connection, which is this loop's. The handshake has no deadline of its own: the session's rules. */
    public SslHandler newHandler(ByteBufAllocator allocator) {
        // the engine that Netty makes for a handler of its own: what newEngine() makes takes one record at a time, as
        // the JDK's users expect
        SslHandler handler =
                new RecordHandler(current.context().newHandler(allocator).engine());
        handler.setHandshakeTimeoutMillis(0);
        if (!tickets && handler.engine() instanceof ReferenceCountedOpenSslEngine boring) {
            // BoringSSL has a key of its own for tickets, and uses it unless told not to
            SSL.setOptions(boring.sslPointer(), SSL.SSL_OP_NO_TICKET);
        }
        return handler;
    }

    // ------------------------------------------------------------------ under the lock of TlsListeners

    /**
     * A context of other settings or files, for {@link #swap}.
     *
     * @throws SSLException naming the listener and what will not do
     */
    TlsContexts.Built prepare(TlsSettings fresh, TlsFiles files) throws SSLException {
        try {
            return TlsContexts.build(fresh, files, http, wallMillis);
        } catch (SSLException refused) {
            Throwable cause = refused.getCause();
            String more = cause == null || cause instanceof IllegalArgumentException ? "" : ": " + cause.getMessage();
            throw new SSLException(path + ".tls." + refused.getMessage() + more, refused);
        }
    }

    /** New connections get this from now on. */
    void swap(TlsSettings fresh, TlsContexts.Built built) {
        SslContext old = current.context();
        settings = fresh;
        current = built;
        seenDigest = built.files().digest();
        refusedDigest = "";
        try {
            afterEveryLoop.execute(() -> ReferenceCountUtil.release(old));
        } catch (RejectedExecutionException ended) {
            // the process ends; a loop may still be at work with it
        }
    }

    /** What the files hold now, if that is new and two looks in a row saw it: who writes a certificate and a key needs some time. */
    @Nullable
    TlsFiles settledChange() {
        TlsFiles seen = new TlsFiles(settings);
        boolean settled = seen.digest().equals(seenDigest);
        seenDigest = seen.digest();
        if (seen.digest().equals(current.files().digest())) {
            refusedDigest = "";
            return null;
        }
        return settled && !seen.digest().equals(refusedDigest) ? seen : null;
    }

    /** These contents will not do, and that was said. */
    void refused(TlsFiles files) {
        refusedDigest = files.digest();
    }

    /** Whether these settings and the files as they are now are what is in force. */
    boolean isInForce(TlsSettings fresh, TlsFiles files) {
        return fresh.equals(settings) && files.digest().equals(current.files().digest());
    }

    /** Tickets are sealed and opened with these from now on; does nothing for the JDK's provider. */
    void seal(OpenSslSessionTicketKey... keys) {
        seal(current, keys);
    }

    static void seal(TlsContexts.Built built, OpenSslSessionTicketKey... keys) {
        if (keys.length > 0 && built.context().sessionContext() instanceof OpenSslServerSessionContext sessions) {
            sessions.setTicketKeys(keys);
        }
    }

    /** No more connections. */
    void release() {
        ReferenceCountUtil.release(current.context());
    }

    String name() {
        return name;
    }

    TlsSettings settings() {
        return settings;
    }

    boolean isBoring() {
        return current.isBoring();
    }

    List<Credential> credentials() {
        return current.credentials();
    }
}
