package io.heartwheel.push;

import io.heartwheel.store.Transactions;
import io.heartwheel.store.Transactions.Statements;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Idempotency-Keys of messages on the disk, each under the number of its message; it stays when the message goes. Any thread. */
final class StoredKeys {
    private static final int SWEEPS = 16;

    /**
     * Key of a message.
     *
     * @param id of the message
     * @param untilMillis how long it is kept, milliseconds since 1970
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Key(String name, byte[] fingerprint, long id, long untilMillis) {}

    private final Transactions database;
    private final AtomicBoolean sweeping = new AtomicBoolean();
    /** There may be some. */
    private volatile boolean any = true;

    private int sweeps;

    StoredKeys(Transactions database) {
        this.database = database;
    }

    /** Those whose time is not over, the oldest first. */
    static List<Key> read(Statements on, long nowMillis) throws SQLException {
        PreparedStatement select =
                on.of("SELECT name, fingerprint, id, until FROM message_key WHERE until > ? ORDER BY number");
        select.setLong(1, nowMillis);
        List<Key> keys = new ArrayList<>();
        try (ResultSet found = select.executeQuery()) {
            while (found.next()) {
                keys.add(new Key(found.getString(1), found.getBytes(2), found.getLong(3), found.getLong(4)));
            }
        }
        return keys;
    }

    void insert(Statements on, long number, Key key) throws SQLException {
        any = true;
        PreparedStatement put =
                on.of("INSERT OR REPLACE INTO message_key(number, name, fingerprint, id, until) VALUES(?, ?, ?, ?, ?)");
        put.setLong(1, number);
        put.setString(2, key.name);
        put.setBytes(3, key.fingerprint);
        put.setLong(4, key.id);
        put.setLong(5, key.untilMillis);
        put.executeUpdate();
    }

    static void delete(Statements on, long number) throws SQLException {
        PreparedStatement delete = on.of("DELETE FROM message_key WHERE number = ?");
        delete.setLong(1, number);
        delete.executeUpdate();
    }

    /** Forgets those whose time is over, and the oldest if there are more than this; to be called about once a second. */
    void sweep(long nowMillis, int most) {
        if (any && ++sweeps % SWEEPS == 0 && sweeping.compareAndSet(false, true)) {
            database.run(on -> forget(on, nowMillis, most)).whenComplete((done, failure) -> sweeping.set(false));
        }
    }

    private boolean forget(Statements on, long nowMillis, int most) throws SQLException {
        PreparedStatement old = on.of("DELETE FROM message_key WHERE until <= ?");
        old.setLong(1, nowMillis);
        old.executeUpdate();
        PreparedStatement oldest = on.of("DELETE FROM message_key WHERE number <="
                + " (SELECT number FROM message_key ORDER BY number DESC LIMIT 1 OFFSET ?)");
        oldest.setInt(1, most);
        oldest.executeUpdate();
        try (ResultSet left = on.of("SELECT EXISTS(SELECT 1 FROM message_key)").executeQuery()) {
            any = left.getBoolean(1);
        }
        return true;
    }
}
