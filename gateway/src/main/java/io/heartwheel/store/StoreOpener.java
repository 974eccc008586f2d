package io.heartwheel.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;

/**
 * Opens the database of a store: checks what is there, repairs what can be, and finds out which records are lost. Whatever is lost in the middle or at the end
 * becomes a row that stands for it, so that numbers go on behind it and each reader is told. Used once, by one thread, which has the lock.
 */
final class StoreOpener {
    static final byte[] NAME_KEY = "store".getBytes(StandardCharsets.US_ASCII);
    static final byte[] DROPPED_KEY = "dropped".getBytes(StandardCharsets.US_ASCII);

    private static final String TABLES =
            """
            CREATE TABLE IF NOT EXISTS batch(
              last INTEGER PRIMARY KEY, count INTEGER NOT NULL, at INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS row(
              space INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY(space, key)) WITHOUT ROWID;
            """;

    /** A database up to this size is checked at each start: less than 0.1 s. */
    private static final long CHECKED_BYTES = 64 << 20;

    private final StoreSettings settings;
    private final Path file;
    private final LongSupplier wallMillis;
    private final StoreMark mark;
    private final StringBuilder told = new StringBuilder();
    private final List<Hole> holes = new ArrayList<>();
    private final TreeMap<Long, Long> knownLost = new TreeMap<>();
    private @Nullable Path aside;
    private boolean tailUncertain;

    private long id;
    private long dropped;
    private long first = 1;
    private long last;
    private long bytes;

    /** Records that are lost. */
    private record Hole(long from, long to) {}

    StoreOpener(StoreSettings settings, LongSupplier wallMillis, StoreMark mark) {
        this.settings = settings;
        this.wallMillis = wallMillis;
        this.mark = mark;
        file = settings.directory().resolve(Sqlite.FILE);
    }

    /** The database, checked and repaired, with a log that begins anew. */
    Connection open() throws SQLException, IOException {
        Path salvaged = StoreSalvage.beside(file, "-new");
        if (!Files.exists(file) && Files.exists(salvaged)) {
            Files.move(salvaged, file);
        }
        boolean check = checkLog();
        try {
            return attempt(check);
        } catch (SQLException e) {
            if (!StoreSalvage.isUnreadable(e)) {
                throw e;
            }
            salvage(salvaged, e);
            return attempt(false);
        }
    }

    private boolean checkLog() throws IOException {
        StoreMark.State marked = mark.found();
        boolean forced = (marked == null ? settings.sync().mode() : marked.sync()) == SyncPolicy.Mode.ALWAYS;
        boolean sameBoot = mark.isOfThisBoot();
        if (marked != null && !marked.clean() && !forced && !sameBoot) {
            tailUncertain = true; // what the machine had not written is gone, and its numbers are given again
        }
        Path wal = StoreSalvage.beside(file, "-wal");
        WalCheck log = WalCheck.of(wal, file);
        int mayBeTorn = forced && !sameBoot ? 1 : 0;
        if (log.lostCommits() > mayBeTorn || log.headerLost()) {
            Path copy = aside().resolve(wal.getFileName() + ".found");
            Files.copy(wal, copy);
            String what = log.headerLost()
                    ? "its header is damaged"
                    : log.lostCommits() + " commits behind a damaged place are lost";
            String power = forced ? "" : " (a power failure does that with sync = " + settings.sync() + ")";
            tell(wal + ": " + what + power + "; a copy is " + copy);
            tailUncertain = true;
            return true;
        }
        return (marked != null && marked.suspect()) || (Files.exists(file) && Files.size(file) <= CHECKED_BYTES);
    }

    private Path aside() throws IOException {
        Path made = aside;
        if (made == null) {
            long millis = wallMillis.getAsLong();
            made = settings.directory().resolve("damaged-" + millis);
            while (Files.exists(made)) {
                millis++;
                made = settings.directory().resolve("damaged-" + millis);
            }
            Files.createDirectory(made);
            aside = made;
        }
        return made;
    }

    private void tell(String sentence) {
        told.append(told.isEmpty() ? "" : ". ").append(sentence);
    }

    private Connection attempt(boolean check) throws SQLException {
        Connection connection = Sqlite.connect(file, settings.sync(), false);
        try {
            makeTables(connection);
            if (check) {
                check(connection);
            }
            Sqlite.execute(connection, Sqlite.BEGIN);
            measure(connection);
            reconcile(connection);
            Sqlite.execute(connection, Sqlite.COMMIT);
            Sqlite.checkpoint(connection, "TRUNCATE");
            return connection;
        } catch (SQLException e) {
            try {
                connection.close();
            } catch (SQLException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    private static void makeTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(TABLES);
        }
    }

    private static void check(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("PRAGMA quick_check(1)")) {
            String answer = found.next() ? found.getString(1) : "no answer";
            if (!answer.equals("ok")) {
                throw malformed(answer);
            }
        }
    }

    private static SQLException malformed(String what) {
        return new SQLException(what, "", SQLiteErrorCode.SQLITE_CORRUPT.code);
    }

    private void measure(Connection connection) throws SQLException {
        holes.clear();
        knownLost.clear();
        bytes = 0;
        StoreMark.State marked = mark.found();
        byte[] droppedRow = row(connection, DROPPED_KEY);
        long droppedThere = droppedRow == null ? 0 : ByteBuffer.wrap(droppedRow).getLong();
        dropped = Math.max(droppedThere, marked == null ? 0 : marked.dropped());
        byte[] name = row(connection, NAME_KEY);
        id = name == null ? 0 : Long.parseUnsignedLong(new String(name, StandardCharsets.US_ASCII), 16);
        long expected = dropped + 1;
        long newest = 0;
        int newestCount = 0;
        long beforeNewest = dropped;
        first = 0;
        try (Statement statement = connection.createStatement();
                ResultSet found =
                        statement.executeQuery("SELECT last, count, length(body), crc FROM batch ORDER BY last")) {
            while (found.next()) {
                long next = found.getLong(1);
                int count = Math.max(1, found.getInt(2));
                if (next <= newest) {
                    throw malformed("numbers are not in order");
                }
                beforeNewest = newest > 0 ? newest : beforeNewest;
                addHole(Math.max(expected, newest + 1), next - count);
                first = newest > 0 ? first : next - count + 1;
                newest = next;
                newestCount = count;
                bytes += found.getLong(3);
                if (found.getLong(4) == BatchScan.LOST) {
                    knownLost.put(next - count + 1, next);
                }
            }
        }
        last = newest;
        if (newest > 0 && !isWhole(connection, newest)) {
            replaceNewest(connection, newest, newestCount, beforeNewest);
        }
        if (marked != null && marked.last() > last) {
            addHole(Math.max(last, dropped) + 1, marked.last());
            tailUncertain = true;
        }
    }

    private void addHole(long from, long to) {
        if (from <= to) {
            holes.add(new Hole(from, to));
        }
    }

    private static byte @Nullable [] row(Connection connection, byte[] key) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT value FROM row WHERE space = 1 AND key = ?")) {
            query.setBytes(1, key);
            try (ResultSet found = query.executeQuery()) {
                return found.next() ? found.getBytes(1) : null;
            }
        }
    }

    /** Whether the newest batch is as it was written, or stands for lost records: its number is where the next begins. */
    private static boolean isWhole(Connection connection, long newest) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT count, at, crc, body FROM batch WHERE last = ?")) {
            query.setLong(1, newest);
            try (ResultSet found = query.executeQuery()) {
                if (!found.next()) {
                    return false;
                }
                long crc = found.getLong(3);
                byte[] body = found.getBytes(4);
                return crc == BatchScan.LOST
                        || (body != null && BatchScan.crc(newest, found.getInt(1), found.getLong(2), body) == crc);
            }
        }
    }

    /** The newest batch is damaged, so its number may be as well. */
    private void replaceNewest(Connection connection, long newest, int count, long before) throws SQLException {
        StoreMark.State marked = mark.found();
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM batch WHERE last = ?")) {
            delete.setLong(1, newest);
            delete.executeUpdate();
        }
        boolean follows = count > 0 && newest - count == before;
        long to = Math.max(follows ? newest : before + 1, marked == null ? 0 : marked.last());
        holes.removeIf(hole -> hole.to() > before && hole.from() > before);
        addHole(before + 1, to);
        last = to;
        first = first > before ? before + 1 : first;
        tailUncertain = true;
    }

    private void reconcile(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(Sqlite.INSERT_BATCH);
                PreparedStatement put = connection.prepareStatement(Sqlite.PUT_ROW)) {
            for (Hole hole : holes) {
                insertLost(insert, hole);
                knownLost.put(hole.from(), hole.to());
                last = Math.max(last, hole.to());
                first = first == 0 ? hole.from() : Math.min(first, hole.from());
            }
            first = first == 0 ? last + 1 : first;
            if (id == 0 || tailUncertain) {
                id = new SecureRandom().nextLong();
                Sqlite.put(put, RowSpace.META, NAME_KEY, name().getBytes(StandardCharsets.US_ASCII));
            }
        }
        if (!holes.isEmpty()) {
            tell(lost() + " records cannot be read, numbers " + holes.get(0).from() + ".."
                    + holes.get(holes.size() - 1).to() + (holes.size() > 1 ? " in " + holes.size() + " places" : ""));
        }
    }

    private void insertLost(PreparedStatement insert, Hole hole) throws SQLException {
        long to = hole.to();
        while (to >= hole.from()) { // a count has four bytes
            int count = (int) Math.min(Integer.MAX_VALUE, to - hole.from() + 1);
            insert.setLong(4, BatchScan.LOST);
            Sqlite.insertRow(insert, to, count, wallMillis.getAsLong(), new byte[0]);
            to -= count;
        }
    }

    private long lost() {
        return holes.stream().mapToLong(hole -> hole.to() - hole.from() + 1).sum();
    }

    /** Copies what can be read into a new database, and puts it in the place of the damaged one. */
    private void salvage(Path salvaged, SQLException cause) throws SQLException, IOException {
        for (String suffix : new String[] {"", "-wal", "-shm"}) {
            Files.deleteIfExists(StoreSalvage.beside(salvaged, suffix));
        }
        StoreMark.State marked = mark.found();
        StoreSalvage copied;
        try (Connection to = Sqlite.connect(salvaged, SyncPolicy.ALWAYS, false)) {
            makeTables(to);
            Sqlite.execute(to, Sqlite.BEGIN);
            copied = new StoreSalvage(file, to);
            copied.copy(marked == null ? 0 : marked.last());
            Sqlite.execute(to, Sqlite.COMMIT);
        }
        StoreSalvage.moveAside(file, aside());
        Files.move(salvaged, file);
        forceDirectory();
        tailUncertain = true;
        tell(file + " is damaged (" + cause.getMessage() + "): moved to " + aside() + ", " + copied.records()
                + " records copied from it" + (copied.rowsAreWhole() ? "" : ", some rows are lost"));
    }

    private void forceDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(settings.directory(), StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Its name. */
    String name() {
        return HexFormat.of().toHexDigits(id);
    }

    long id() {
        return id;
    }

    long dropped() {
        return dropped;
    }

    long first() {
        return first;
    }

    long last() {
        return last;
    }

    long bytes() {
        return bytes;
    }

    /** First to last number of each range that stands there as lost. */
    NavigableMap<Long, Long> knownLost() {
        return knownLost;
    }

    Store.Damage damage() {
        return told.isEmpty() ? Store.Damage.NONE : new Store.Damage(lost(), told.toString());
    }
}
