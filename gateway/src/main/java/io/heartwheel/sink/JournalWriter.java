package io.heartwheel.sink;

import static java.util.Objects.requireNonNull;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.event.Incarnation;
import io.heartwheel.presence.PresenceRow;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events into the journal, many in one commit: a message is written when the commit that covers it has returned.
 *
 * <p>A connection's row of presence comes with its {@code connected}, or a {@code present} if that was lost, and goes with the event of its end, so that after a
 * crash the next start knows who was cut off. Messages leave a reserve free for all other events, so that who comes and goes, and what was lost, can be told
 * also when the journal is full.
 */
final class JournalWriter implements EventWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);
    private static final byte[] NOBODY = new byte[0];
    private static final long LEAST_RESERVE_BYTES = 1 << 20;
    private static final int RESERVE_PART = 64;

    private final Journal journal;
    private final Store store;
    private final JournalSettings settings;
    private final SinkObserver observer;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    private final @Nullable RecentMessages recent;
    private final EventEncoder encoder;
    /** What begins the journal of this start; it goes before all else. */
    private final Transaction beginning = new Transaction();

    private final Transaction transaction = new Transaction();
    private boolean hasMessages;

    /** @param instance name of this process in every event; empty: none */
    JournalWriter(
            Journal journal, String instance, SinkObserver observer, LongSupplier nanoClock, LongSupplier wallMillis) {
        this.journal = journal;
        this.store = journal.store();
        this.settings = journal.settings();
        this.observer = observer;
        recent = settings.dedupe().enabled()
                ? new RecentMessages(settings.dedupe().messages())
                : null;
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        encoder = new EventEncoder(instance, journal.incarnation());
    }

    /**
     * Tells of this start, and of what was found damaged, before anything else: now, or as soon as the store can write. Blocks on the disk.
     *
     * @param version of the gateway
     */
    JournalWriter begin(String version) {
        long now = wallMillis.getAsLong();
        Store.Start start = store.start();
        add(new Incarnation(now, start.incarnation(), start.previous(), start.previousEnded(), version), beginning);
        Store.Damage damage = store.damage();
        if (damage.any()) {
            LOG.warn("the journal was damaged: {}", damage.text());
            add(new Gap(now, now, now, Map.of("unknown", Math.max(1, damage.lostRecords()))), beginning);
        }
        try {
            commitBeginning();
        } catch (StoreException e) {
            observer.writeFailed();
            LOG.warn("the journal cannot write yet: {}", e.getMessage());
        }
        return this;
    }

    private void commitBeginning() throws StoreException {
        if (!beginning.isEmpty()) {
            store.commit(beginning);
            beginning.clear();
        }
    }

    @Override
    public boolean append(Fact event, boolean told) {
        if (told && isRepeat(event)) {
            return true;
        }
        if (!add(event, transaction)) {
            return false;
        }
        hasMessages |= event instanceof ConnectionEvent.Message;
        noteWhoIsHere(event);
        return true;
    }

    private boolean add(Fact event, Transaction to) {
        boolean encoded = encoder.append(event);
        if (encoded) {
            ByteBuffer line = encoder.lines();
            line.limit(line.limit() - 1);
            to.records().add(requireNonNull(event.kind()).number(), event.atEpochMillis(), key(event), line);
        }
        encoder.clear();
        return encoded;
    }

    /** One that has its record: accepted with what is committed next, and not told again. */
    private boolean isRepeat(Fact event) {
        return recent != null
                && event instanceof ConnectionEvent.Message message
                && recent.isRepeat(
                        message.identity().deviceId(), message.messageId(), message.text(), message.payload());
    }

    private static byte[] key(Fact event) {
        return event instanceof ConnectionEvent of ? of.identity().deviceId().getBytes(StandardCharsets.UTF_8) : NOBODY;
    }

    private void noteWhoIsHere(Fact event) {
        if (event instanceof ConnectionEvent of && !(event instanceof ConnectionEvent.NodeLost)) {
            transaction.epoch(of.identity().epoch());
        }
        if (event instanceof ConnectionEvent.Connected connected) {
            noteOneIsHere(connected.identity(), connected.atEpochMillis());
        } else if (event instanceof ConnectionEvent.Present present) {
            noteOneIsHere(present.identity(), present.atEpochMillis() - present.openMillis());
        } else if (event instanceof ConnectionEvent.Lost lost) {
            transaction.delete(PresenceRow.key(lost));
        } else if (event instanceof ConnectionEvent.Ended ended && !(ended instanceof ConnectionEvent.Refused)) {
            transaction.delete(
                    PresenceRow.key(journal.incarnation(), ended.identity().sessionId()));
        }
    }

    private void noteOneIsHere(ConnectionEvent.Identity who, long sinceEpochMillis) {
        byte[] key = PresenceRow.key(journal.incarnation(), who.sessionId());
        transaction.put(key, PresenceRow.value(who, sinceEpochMillis));
    }

    @Override
    public int size() {
        return transaction.records().bytes();
    }

    @Override
    public void write() throws IOException {
        commitBeginning();
        if (transaction.isEmpty()) {
            return;
        }
        if (isFull()) {
            store.lacksRoom();
            throw new StoreException(
                    StoreException.Cause.DISK_FULL,
                    "the journal is full: it holds " + store.recordBytes() + " bytes of journal.max-bytes = "
                            + journal.maxBytes() + ", which the outlets have not taken");
        }
        long startNanos = nanoClock.getAsLong();
        store.commit(transaction);
        if (recent != null) {
            recent.committed();
        }
        observer.committed(nanoClock.getAsLong() - startNanos);
    }

    /** What is larger than all there may be is written when nothing else is there, or it would be tried for ever. */
    private boolean isFull() {
        long most = journal.maxBytes();
        long reserve = hasMessages ? 0 : Math.max(LEAST_RESERVE_BYTES, most / RESERVE_PART);
        long held = store.recordBytes();
        return held > 0 && held + transaction.records().bytes() > most + reserve;
    }

    @Override
    public void clear() {
        if (recent != null) {
            recent.failed(); // nothing, if it was committed
        }
        transaction.clear();
        hasMessages = false;
    }

    @Override
    public boolean keeps() {
        return settings.whenFull() == JournalSettings.WhenFull.SLOW;
    }

    @Override
    public void endsIncomplete() {
        journal.endedIncomplete();
    }

    @Override
    public void close() {
        // the journal is closed by whoever opened it
    }
}
