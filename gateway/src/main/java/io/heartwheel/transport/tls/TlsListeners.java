package io.heartwheel.transport.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of all listeners, and its upkeep: files are read again, ticket keys rotate, certificates near their end are warned of.
 *
 * <p>Any thread, under one lock; only figures are read without it. No event loop may call but for the figures: files are read and keys checked.
 */
public final class TlsListeners implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TlsListeners.class);

    /** Between two looks at the ticket keys: four within {@link TicketRing#LEAD_MILLIS}. */
    private static final long TICKET_LOOK_MILLIS = 5_000;

    private static final long NOTICE_LOOK_MILLIS = 60_000;
    private static final long REMIND_MILLIS = Duration.ofDays(1).toMillis();
    private static final long LOCK_STEP_NANOS = 20_000_000;
    private static final int LOCK_STEPS = 150;
    private static final long CLOSE_MILLIS = 500;

    private final TlsUpkeepSettings settings;
    private final Executor afterEveryLoop;
    private final LongSupplier wallMillis;
    private final TicketStore tickets;
    private final Map<String, TlsListener> listeners = new LinkedHashMap<>();
    private @Nullable ScheduledExecutorService thread;
    private final Set<String> told = new HashSet<>();
    private String ticketTrouble = "";
    private long nextFilesMillis;
    private long nextTicketsMillis;
    private long nextNoticesMillis;
    private long forgetMillis;

    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile List<CertificateStatus> certificates = List.of();
    private volatile long sealedSinceMillis;

    /**
     * None yet.
     *
     * @param afterEveryLoop runs a task when every event loop has ended what it is doing now
     * @param wallMillis milliseconds since 1970
     */
    public TlsListeners(TlsUpkeepSettings settings, Executor afterEveryLoop, LongSupplier wallMillis) {
        this.settings = settings;
        this.afterEveryLoop = afterEveryLoop;
        this.wallMillis = wallMillis;
        tickets = new TicketStore(settings.tickets());
    }

    /**
     * TLS for a listener of devices that is about to open.
     *
     * @param http whether its peers may speak HTTP
     * @throws IOException naming the key and what will not do
     */
    public TlsListener open(String name, boolean http, TlsSettings tls) throws IOException {
        return open(name, "listeners." + name, http, tls, afterEveryLoop);
    }

    /**
     * The same for any listener.
     *
     * @param path of its block in the configuration, for errors
     * @param afterEachOfItsLoops runs a task when every event loop of this listener has ended what it is doing now
     * @throws IOException naming the key and what will not do
     */
    public synchronized TlsListener open(
            String name, String path, boolean http, TlsSettings tls, Executor afterEachOfItsLoops) throws IOException {
        TlsListener listener =
                new TlsListener(name, path, http, settings.tickets().enabled(), tls, afterEachOfItsLoops, wallMillis);
        long nowMillis = wallMillis.getAsLong();
        listeners.put(name, listener);
        if (listener.isBoring() && settings.tickets().enabled()) {
            firstTickets(nowMillis);
            listener.seal(keys(nowMillis));
        }
        introduce(listener);
        changed(nowMillis);
        return listener;
    }

    private void introduce(TlsListener listener) {
        if (!listener.isBoring()) {
            LOG.warn(
                    "listener {}: TLS runs on the JDK's provider{}: slower and larger than BoringSSL, session tickets are not shared between "
                            + "processes, nothing is stapled",
                    listener.name(),
                    listener.settings().provider() == TlsSettings.Provider.JDK
                            ? ""
                            : " (BoringSSL does not load: " + OpenSsl.unavailabilityCause() + ")");
        }
        LOG.info(
                "listener {}: TLS {} by {}, certificates {}",
                listener.name(),
                listener.settings().oldest() == TlsSettings.Version.V1_3 ? "1.3" : "1.2 and 1.3",
                listener.isBoring() ? "BoringSSL" : "the JDK",
                listener.credentials());
    }

    /** Whether this listener has TLS. */
    public synchronized boolean isOpen(String listener) {
        return listeners.containsKey(listener);
    }

    // ------------------------------------------------------------------ changes

    /**
     * Takes new settings and whatever the files hold now, for new connections of these listeners: all of them, or none. Nothing is logged of a
     * refusal; the caller knows whom to tell.
     *
     * @param fresh by the name of the listener; those that are not open here are passed over
     * @return what will not do; empty: all is taken
     */
    public synchronized List<String> reload(Map<String, TlsSettings> fresh) {
        List<String> problems = new ArrayList<>();
        List<Prepared> prepared = new ArrayList<>();
        fresh.forEach((name, tls) -> {
            TlsListener listener = listeners.get(name);
            TlsFiles files = new TlsFiles(tls);
            if (listener == null || listener.isInForce(tls, files)) {
                return;
            }
            try {
                prepared.add(new Prepared(listener, tls, listener.prepare(tls, files)));
            } catch (SSLException bad) {
                problems.add(bad.getMessage());
            }
        });
        if (!problems.isEmpty()) {
            refused.incrementAndGet();
            prepared.forEach(each -> ReferenceCountUtil.release(each.built().context()));
            return problems;
        }
        prepared.forEach(this::take);
        return problems;
    }

    private record Prepared(TlsListener listener, TlsSettings tls, TlsContexts.Built built) {}

    private void take(Prepared prepared) {
        TlsListener listener = prepared.listener();
        TlsContexts.Built built = prepared.built();
        long nowMillis = wallMillis.getAsLong();
        if (built.isBoring() && settings.tickets().enabled()) {
            refreshTickets(nowMillis);
            TlsListener.seal(built, keys(nowMillis));
        }
        listener.swap(prepared.tls(), built);
        taken.incrementAndGet();
        LOG.info("listener {}: new connections get certificates {}", listener.name(), listener.credentials());
        changed(nowMillis);
    }

    private void changed(long nowMillis) {
        certificates = listeners.values().stream()
                .flatMap(listener -> listener.credentials().stream()
                        .map(credential -> CertificateStatus.of(listener.name(), credential)))
                .toList();
        tellNotices(nowMillis);
    }

    // ------------------------------------------------------------------ upkeep

    /** Starts the thread that does the upkeep, once a second; {@link #close} ends it. */
    public synchronized void startUpkeep() {
        if (thread == null) {
            thread = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("tls-upkeep", true));
            thread.scheduleWithFixedDelay(this::turn, 1, 1, TimeUnit.SECONDS);
        }
    }

    private void turn() {
        try {
            upkeep();
        } catch (RuntimeException fault) {
            LOG.error("the upkeep of TLS failed; it is tried again", fault);
        }
    }

    /** Does what is due. */
    synchronized void upkeep() {
        long nowMillis = wallMillis.getAsLong();
        if (settings.watch().enabled() && nowMillis >= nextFilesMillis) {
            nextFilesMillis = nowMillis + settings.watch().period().toMillis();
            listeners.values().forEach(this::lookAtFiles);
        }
        if (settings.tickets().enabled() && nowMillis >= nextTicketsMillis) {
            nextTicketsMillis = nowMillis + TICKET_LOOK_MILLIS;
            renewTickets(nowMillis);
        }
        if (nowMillis >= nextNoticesMillis) {
            nextNoticesMillis = nowMillis + NOTICE_LOOK_MILLIS;
            tellNotices(nowMillis);
        }
    }

    private void lookAtFiles(TlsListener listener) {
        TlsFiles change = listener.settledChange();
        if (change == null) {
            return;
        }
        try {
            take(new Prepared(listener, listener.settings(), listener.prepare(listener.settings(), change)));
        } catch (SSLException bad) {
            listener.refused(change);
            refused.incrementAndGet();
            LOG.warn("{}; not taken, the former certificates stay in use", bad.getMessage());
        }
    }

    /** Each notice once a day. */
    private void tellNotices(long nowMillis) {
        if (nowMillis >= forgetMillis) {
            forgetMillis = nowMillis + REMIND_MILLIS;
            told.clear();
        }
        for (TlsListener listener : listeners.values()) {
            for (String notice : Credential.notices(listener.name(), listener.credentials(), nowMillis)) {
                if (told.add(notice)) {
                    LOG.warn("{}", notice);
                }
            }
        }
    }

    // ------------------------------------------------------------------ tickets

    /** Keys must be there before the first connection; another process may be writing them at this moment. */
    private void firstTickets(long nowMillis) throws IOException {
        for (int i = 0; i < LOCK_STEPS; i++) {
            tickets.refresh(nowMillis);
            if (!tickets.ring().keys().isEmpty()) {
                return;
            }
            LockSupport.parkNanos(LOCK_STEP_NANOS);
        }
        throw new IOException("tls.tickets.key-file = " + settings.tickets().keyFile()
                + ": another process holds its lock, and there are no keys yet");
    }

    private void renewTickets(long nowMillis) {
        List<TicketKey> before = tickets.ring().keys();
        if (before.isEmpty()) {
            return; // nobody here seals
        }
        refreshTickets(nowMillis);
        boolean same = tickets.ring().keys().equals(before)
                && tickets.ring().currentSinceMillis(nowMillis) == sealedSinceMillis;
        if (!same) {
            OpenSslSessionTicketKey[] keys = keys(nowMillis);
            listeners.values().forEach(listener -> listener.seal(keys));
        }
    }

    private void refreshTickets(long nowMillis) {
        try {
            tickets.refresh(nowMillis);
            ticketTrouble = "";
        } catch (IOException bad) {
            String trouble = String.valueOf(bad.getMessage());
            if (!trouble.equals(ticketTrouble)) {
                ticketTrouble = trouble;
                LOG.warn("{}; the keys known so far stay in use", trouble);
            }
        }
    }

    private OpenSslSessionTicketKey[] keys(long nowMillis) {
        if (tickets.ring().keys().isEmpty()) {
            return new OpenSslSessionTicketKey[0];
        }
        sealedSinceMillis = tickets.ring().currentSinceMillis(nowMillis);
        return tickets.ring().forOpenSsl(nowMillis);
    }

    // ------------------------------------------------------------------ figures

    /** Certificates in use. */
    public List<CertificateStatus> certificates() {
        return certificates;
    }

    /** Times that a listener took new settings or files. */
    public long reloadsTaken() {
        return taken.get();
    }

    /** Times that new settings or files would not do. */
    public long reloadsRefused() {
        return refused.get();
    }

    /** Since when the key is in use that tickets are sealed with, milliseconds since 1970; 0: there is none. */
    public long ticketKeySinceMillis() {
        return sealedSinceMillis;
    }

    /**
     * Ends the upkeep and lets go of all contexts; for when no connection can come any more. Waits {@value #CLOSE_MILLIS} ms at most: a read of a mount that
     * hangs would hold up the end of the process.
     */
    @Override
    public void close() {
        Thread release = new Thread(this::release, "tls-release");
        release.setDaemon(true);
        release.start();
        try {
            release.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void release() {
        if (thread != null) {
            thread.shutdownNow();
        }
        listeners.values().forEach(TlsListener::release);
        listeners.clear();
    }
}
