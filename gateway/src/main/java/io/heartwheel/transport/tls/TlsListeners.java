package io.heartwheel.transport.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
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
    private static final long TICKET_LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long NOTICE_LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long REMIND_NANOS = TimeUnit.DAYS.toNanos(1);
    private static final long LOCK_STEP_NANOS = 20_000_000;
    private static final int LOCK_STEPS = 150;
    private static final long CLOSE_MILLIS = 500;

    private final TlsUpkeepSettings settings;
    private final Executor afterEveryLoop;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    private final TicketStore tickets;
    private final Map<String, TlsListener> listeners = new LinkedHashMap<>();
    private final Set<String> told = new HashSet<>();
    private String ticketTrouble = "";
    private long nextFilesNanos;
    private long nextTicketsNanos;
    private long nextNoticesNanos;
    private long forgetNanos;
    private final long beganNanos;
    /** Time of the ticket keys when it began, milliseconds since 1970; see {@link #ticketMillis}. */
    private volatile long ticketBaseMillis;

    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile List<CertificateStatus> certificates = List.of();
    private volatile long sealedSinceMillis;

    /**
     * None yet.
     *
     * @param afterEveryLoop runs a task when every event loop has ended what it is doing now
     * @param nanoClock monotonic nanoseconds, for all waits
     * @param wallMillis milliseconds since 1970, for what certificates say
     */
    public TlsListeners(
            TlsUpkeepSettings settings, Executor afterEveryLoop, LongSupplier nanoClock, LongSupplier wallMillis) {
        this.settings = settings;
        this.afterEveryLoop = afterEveryLoop;
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        beganNanos = nanoClock.getAsLong();
        nextFilesNanos = beganNanos;
        nextTicketsNanos = beganNanos;
        nextNoticesNanos = beganNanos;
        forgetNanos = beganNanos;
        ticketBaseMillis = wallMillis.getAsLong();
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
        listeners.put(name, listener);
        if (listener.isBoring() && settings.tickets().enabled()) {
            firstTickets();
            listener.seal(keys());
        }
        introduce(listener);
        changed();
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
        if (built.isBoring() && settings.tickets().enabled()) {
            refreshTickets();
            TlsListener.seal(built, keys());
        }
        listener.swap(prepared.tls(), built);
        taken.incrementAndGet();
        LOG.info("listener {}: new connections get certificates {}", listener.name(), listener.credentials());
        changed();
    }

    private void changed() {
        certificates = listeners.values().stream()
                .flatMap(listener -> listener.credentials().stream()
                        .map(credential -> CertificateStatus.of(listener.name(), credential)))
                .toList();
        tellNotices();
    }

    // ------------------------------------------------------------------ upkeep

    /** Whether there is anything to keep up. */
    public synchronized boolean isUsed() {
        return !listeners.isEmpty();
    }

    /** Does what is due; to be called once a second. */
    public synchronized void upkeep() {
        long nowNanos = nanoClock.getAsLong();
        if (settings.watch().enabled() && nowNanos - nextFilesNanos >= 0) {
            nextFilesNanos = nowNanos + settings.watch().period().toNanos();
            listeners.values().forEach(this::lookAtFiles);
        }
        if (settings.tickets().enabled() && nowNanos - nextTicketsNanos >= 0) {
            nextTicketsNanos = nowNanos + TICKET_LOOK_NANOS;
            renewTickets();
        }
        if (nowNanos - nextNoticesNanos >= 0) {
            nextNoticesNanos = nowNanos + NOTICE_LOOK_NANOS;
            tellNotices();
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
    private void tellNotices() {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - forgetNanos >= 0) {
            forgetNanos = nowNanos + REMIND_NANOS;
            told.clear();
        }
        long nowMillis = wallMillis.getAsLong();
        for (TlsListener listener : listeners.values()) {
            for (String notice : Credential.notices(listener.name(), listener.credentials(), nowMillis)) {
                if (told.add(notice)) {
                    LOG.warn("{}", notice);
                }
            }
        }
    }

    // ------------------------------------------------------------------ tickets

    /**
     * The clock of the ticket keys: the wall clock's at the start, and goes on by the monotonic one, so that a wall clock that is set does not change when a key
     * is due. If the keys of the file are ahead of it, because another process began by another time, it follows them: it only ever moves on.
     */
    private long ticketMillis() {
        return ticketBaseMillis + TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - beganNanos);
    }

    /** Keys must be there before the first connection; another process may be writing them at this moment. */
    private void firstTickets() throws IOException {
        for (int i = 0; i < LOCK_STEPS; i++) {
            lookAtTickets();
            if (!tickets.ring().keys().isEmpty()) {
                return;
            }
            LockSupport.parkNanos(LOCK_STEP_NANOS);
        }
        throw new IOException("tls.tickets.key-file = " + settings.tickets().keyFile()
                + ": another process holds its lock, and there are no keys yet");
    }

    private void lookAtTickets() throws IOException {
        long nowMillis = ticketMillis();
        long baseMillis = ticketBaseMillis;
        tickets.refresh(nowMillis);
        List<TicketKey> keys = tickets.ring().keys();
        if (!keys.isEmpty()) {
            long aheadMillis = keys.get(0).activeMillis() - TicketRing.LEAD_MILLIS - nowMillis;
            ticketBaseMillis = baseMillis + Math.max(0, aheadMillis);
        }
    }

    private void renewTickets() {
        List<TicketKey> before = tickets.ring().keys();
        if (before.isEmpty()) {
            return; // nobody here seals
        }
        refreshTickets();
        boolean same = tickets.ring().keys().equals(before)
                && tickets.ring().currentSinceMillis(ticketMillis()) == sealedSinceMillis;
        if (!same) {
            OpenSslSessionTicketKey[] keys = keys();
            listeners.values().forEach(listener -> listener.seal(keys));
        }
    }

    private void refreshTickets() {
        try {
            lookAtTickets();
            ticketTrouble = "";
        } catch (IOException bad) {
            String trouble = String.valueOf(bad.getMessage());
            if (!trouble.equals(ticketTrouble)) {
                ticketTrouble = trouble;
                LOG.warn("{}; the keys known so far stay in use", trouble);
            }
        }
    }

    private OpenSslSessionTicketKey[] keys() {
        if (tickets.ring().keys().isEmpty()) {
            return new OpenSslSessionTicketKey[0];
        }
        long nowMillis = ticketMillis();
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

    /** How long the key is in use that tickets are sealed with, milliseconds; -1: there is none. */
    public long ticketKeyAgeMillis() {
        long sinceMillis = sealedSinceMillis;
        return sinceMillis == 0 ? -1 : ticketMillis() - sinceMillis;
    }

    /**
     * Lets go of all contexts; for when no connection can come any more. Waits {@value #CLOSE_MILLIS} ms at most: an upkeep whose
     * read of a file hangs would hold up the end of the process.
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
        listeners.values().forEach(TlsListener::release);
        listeners.clear();
    }
}
