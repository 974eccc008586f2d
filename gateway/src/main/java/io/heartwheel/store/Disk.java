package io.heartwheel.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/** Files of a store, all in one directory: the few operations that it needs, so that tests can let each of them fail. Any thread. */
interface Disk {
    /** Names of all files. */
    Set<String> names() throws IOException;

    /**
     * Opens a file that is there.
     *
     * @throws java.nio.file.NoSuchFileException if it is not
     */
    DiskFile open(String name) throws IOException;

    /** The same, only to read and to force it: also on a disk that takes no writes. */
    DiskFile openToRead(String name) throws IOException;

    /** Length of a file, bytes; also of one that cannot be opened. */
    long size(String name) throws IOException;

    /** Makes an empty file, in place of the one of this name, which need not be one that can be opened. */
    DiskFile create(String name) throws IOException;

    /** Deletes a file, if there is one. Whoever has it open may go on reading. */
    void delete(String name) throws IOException;

    /** Blocks until the names of files that were made are on the disk. */
    void forceNames() throws IOException;

    /** Open file. Calls may overlap as far as their bytes do not. */
    interface DiskFile extends Closeable {
        /** Fills the buffer from there, as far as the file goes. */
        void read(ByteBuffer into, long at) throws IOException;

        /** Writes all of the buffer there; its position moves on. */
        void write(ByteBuffer from, long at) throws IOException;

        /** Blocks until what was written is on the disk. */
        void force() throws IOException;

        /** Cuts it to this length. */
        void truncate(long size) throws IOException;
    }
}
