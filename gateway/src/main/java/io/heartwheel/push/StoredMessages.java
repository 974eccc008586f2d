package io.heartwheel.push;

/** Messages on the disk. */
public final class StoredMessages {
    /** Layout of their tables. */
    public static final String TABLES =
            """
            CREATE TABLE message(number INTEGER PRIMARY KEY, device TEXT NOT NULL, value BLOB NOT NULL, expires INTEGER NOT NULL, crc INTEGER NOT NULL);
            CREATE INDEX message_of_device ON message(device, number);
            CREATE INDEX message_expires ON message(expires)
            """;

    private StoredMessages() {}
}
