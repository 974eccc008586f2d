package io.heartwheel.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Database that is written in transactions, on a thread of its own. Any thread. */
public interface Transactions {
    /**
     * Runs it in its turn.
     *
     * @return completed on the thread of the database when what it has written is on the disk, with a {@link StoreException} if it is not; the dependents must be quick
     */
    <T> CompletableFuture<T> run(Work<T> work);

    /**
     * Work in a transaction. It may be run again, also when what it has written is there already, so it has to come to the same.
     *
     * @param <T> its result
     */
    @FunctionalInterface
    interface Work<T> {
        /** On the thread of the database. */
        T run(Statements on) throws SQLException;
    }

    /** Statements of one connection, each prepared once. The thread of the database only. */
    final class Statements {
        final Connection connection;
        private final Map<String, PreparedStatement> prepared = new HashMap<>();

        /** Of a connection without a transaction. */
        public Statements(Connection connection) {
            this.connection = connection;
        }

        /** The statement with this text, whose parameters are all to be set. Not to be closed; its results are. */
        public PreparedStatement of(String sql) throws SQLException {
            PreparedStatement known = prepared.get(sql);
            if (known == null) {
                known = connection.prepareStatement(sql);
                prepared.put(sql, known);
            }
            return known;
        }

        /** Runs a statement that is not kept. */
        public void execute(String sql) throws SQLException {
            try (Statement once = connection.createStatement()) {
                once.execute(sql);
            }
        }
    }
}
