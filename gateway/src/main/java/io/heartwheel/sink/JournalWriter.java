package io.heartwheel.sink;

import static java.util.Objects.requireNonNull;

import io.heartwheel.event.ConnectionEvent;
import io.heartwheel.event.Fact;
import io.heartwheel.event.Gap;
import io.heartwheel.event.Incarnation;
import io.heartwheel.presence.PresenceRow;
import io.heartwheel.store.Cursors;
import io.heartwheel.store.RowSpace;
import io.heartwheel.store.Store;
import io.heartwheel.store.StoreException;
import io.heartwheel.store.StoreReader;
import io.heartwheel.store.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events into the journal, many in one commit: a message is written when the commit that covers it has returned.
 *
 * <pre>
 *   append --&gt; [ transaction: records, and who is connected ] --write--&gt; store
 *                                                               |
 *              cursors, and the head that nobody needs, once a second in a transaction of their own
 * </pre>
 *
 * <p>A connection's row in {@link RowSpace#PRESENT} comes with its {@code connected}, or a {@code present} if that was lost, and goes with the event of its end, so
 * that after a crash the next start knows who was cut off.
 */
final class JournalWriter implements EventWriter {
    private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);
    private static final byte[] NOBODY = new byte[0];
    private static final long TIDY_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A commit costs as much processor time as dozens of events, so they are at least so far apart. */
    private static final long COMMIT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    /** Records that are dropped in one commit, so that none takes long. */
    private static final long DROPPED_AT_ONCE = 100_000;

    private final Journal journal;
    private final Store store;
    private final StoreReader reader;
    private final JournalSettings settings;
    private final SinkObserver observer;
    private final LongSupplier nanoClock;
    private final LongSupplier wallMillis;
    private final @Nullable RecentMessages recent;
    private final EventEncoder encoder = new EventEncoder();
    private final Transaction transaction = new Transaction();
    private final Transaction tidying = new Transaction();
    private long tidiedNanos;
    private long committedNanos;

    JournalWriter(Journal journal, SinkObserver observer, LongSupplier nanoClock, LongSupplier wallMillis)
            throws StoreException {
        this.journal = journal;
        this.store = journal.store();
        this.settings = journal.settings();
        this.observer = observer;
        recent = settings.dedupe().enabled()
                ? new RecentMessages(settings.dedupe().messages())
                : null;
        this.nanoClock = nanoClock;
        this.wallMillis = wallMillis;
        reader = store.reader();
        tidiedNanos = nanoClock.getAsLong() - TIDY_EVERY_NANOS;
        committedNanos = nanoClock.getAsLong() - COMMIT_EVERY_NANOS;
    }

    /** Names this process in every event. */
    JournalWriter ofInstance(String instance) {
        encoder.nameInstance(instance);
        return this;
    }

    /**
     * Tells of this start, and of what was found damaged, before anything else. Blocks on the disk.
     *
     * @param version of the gateway
     * @throws IOException if that cannot be committed
     */
    JournalWriter begin(String version) throws IOException {
        long now = wallMillis.getAsLong();
        encoder.nameIncarnation(journal.incarnation());
        append(
                new Incarnation(now, journal.incarnation(), journal.previous(), journal.previousEnded(), version),
                false);
        Store.Damage damage = store.damage();
        if (damage.any()) {
            LOG.warn("the journal was damaged: {}", damage.text());
            append(new Gap(now, now, now, Map.of("unknown", Math.max(1, damage.lostRecords()))), false);
        }
        write();
        clear();
        return this;
    }

    @Override
    public boolean append(Fact event, boolean told) {
        if (told && isRepeat(event)) {
            return true;
        }
        if (!encoder.append(event)) {
            encoder.clear();
            return false;
        }
        ByteBuffer line = encoder.lines();
        line.limit(line.limit() - 1);
        transaction.records().add(requireNonNull(event.kind()).number(), event.atEpochMillis(), key(event), line);
        encoder.clear();
        noteWhoIsHere(event);
        return true;
    }

    /** One that has its record: accepted with what is committed next, and not told again. */
    private boolean isRepeat(Fact event) {
        return recent != null
                && event instanceof ConnectionEvent.Message message
                && recent.seen(message.identity().deviceId(), message.messageId(), message.text(), message.payload())
                        != RecentMessages.Seen.NEW;
    }

    private static byte[] key(Fact event) {
        return event instanceof ConnectionEvent of ? of.identity().deviceId().getBytes(StandardCharsets.UTF_8) : NOBODY;
    }

    private void noteWhoIsHere(Fact event) {
        if (event instanceof ConnectionEvent.Connected connected) {
            noteOneIsHere(connected.identity(), connected.atEpochMillis());
        } else if (event instanceof ConnectionEvent.Present present) {
            noteOneIsHere(present.identity(), present.atEpochMillis() - present.openMillis());
        } else if (event instanceof ConnectionEvent.Lost lost) {
            transaction.delete(RowSpace.PRESENT, PresenceRow.key(lost));
        } else if (event instanceof ConnectionEvent.Ended ended && !(ended instanceof ConnectionEvent.Refused)) {
            transaction.delete(
                    RowSpace.PRESENT,
                    PresenceRow.key(journal.incarnation(), ended.identity().sessionId()));
        }
    }

    private void noteOneIsHere(ConnectionEvent.Identity who, long sinceEpochMillis) {
        byte[] key = PresenceRow.key(journal.incarnation(), who.sessionId());
        transaction.put(RowSpace.PRESENT, key, PresenceRow.value(who, sinceEpochMillis));
    }

    @Override
    public int size() {
        return transaction.records().bytes();
    }

    @Override
    public void write() throws IOException {
        if (isFull()) {
            tidy();
            if (isFull()) {
                throw new StoreException(
                        StoreException.Cause.DISK_FULL,
                        "the journal is full: it holds " + store.recordBytes() + " bytes of journal.max-bytes = "
                                + settings.maxBytes() + ", which the outlets have not taken");
            }
        } else if (isTimeToTidy()) {
            tidy();
        }
        committedNanos = nanoClock.getAsLong();
        store.commit(transaction);
        if (recent != null) {
            recent.committed();
        }
        observer.committed(nanoClock.getAsLong() - committedNanos);
    }

    /** One that comes alone is committed at once; of a stream, those of some milliseconds together. */
    @Override
    public long gatherNanos() {
        return Math.max(0, committedNanos + COMMIT_EVERY_NANOS - nanoClock.getAsLong());
    }

    private boolean isFull() {
        return store.recordBytes() + transaction.records().bytes() > settings.maxBytes();
    }

    private boolean isTimeToTidy() {
        return nanoClock.getAsLong() - tidiedNanos >= TIDY_EVERY_NANOS;
    }

    /** Stores the cursors that have moved, and drops what nobody needs. */
    private void tidy() throws StoreException {
        tidiedNanos = nanoClock.getAsLong();
        Cursors cursors = journal.cursors();
        cursors.storeInto(tidying);
        journal.forgotten(tidying);
        long drop = neededByNobody();
        if (drop >= store.firstNumber()) {
            tidying.dropUpTo(drop);
        }
        try {
            if (!tidying.isEmpty()) {
                store.commit(tidying);
                cursors.stored();
            }
        } finally {
            tidying.clear();
        }
    }

    /** The newest record that no outlet needs and that is old, or in the way. */
    private long neededByNobody() throws StoreException {
        long first = store.firstNumber();
        long least = Math.min(journal.cursors().least(), store.lastNumber());
        if (least < first) {
            return 0;
        }
        boolean inTheWay = store.recordBytes() > settings.maxBytes() / 4 * 3;
        long old = inTheWay
                ? least
                : reader.firstSince(wallMillis.getAsLong() - settings.keep().toMillis()) - 1;
        return Math.min(Math.min(least, old), first + DROPPED_AT_ONCE);
    }

    @Override
    public void clear() {
        if (recent != null) {
            recent.failed(); // nothing, if it was committed
        }
        transaction.clear();
        encoder.clear();
    }

    @Override
    public boolean keeps() {
        return settings.whenFull() == JournalSettings.WhenFull.SLOW;
    }

    @Override
    public boolean idle() {
        if (isTimeToTidy()) {
            try {
                tidy();
            } catch (StoreException e) {
                LOG.debug("the journal could not be tidied, which is tried again", e);
            }
        }
        return journal.cursors().least() < store.lastNumber()
                || journal.cursors().anyToStore();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
