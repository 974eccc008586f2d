package io.heartwheel.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and standard output after a failed write, a crash, a rotation. */
class OutputsTest {
    @TempDir
    Path directory;

    @AutoClose
    private FileOutput output;

    private int forces;
    private int failures;

    /** Takes so many bytes and then fails. */
    private static final class Narrow implements WritableByteChannel {
        final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        int room;

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (room == 0) {
                throw new IOException("full");
            }
            byte[] part = new byte[Math.min(room, source.remaining())];
            source.get(part);
            taken.writeBytes(part);
            room -= part.length;
            return part.length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void console_partOfALine_isEndedBeforeTheNext() throws Exception {
        Narrow channel = new Narrow();
        ConsoleOutput output = new ConsoleOutput(channel);
        channel.room = 5;
        assertThrows(IOException.class, () -> output.write(lines("{1}\n{2}\n")));
        channel.room = 0;
        assertThrows(IOException.class, () -> output.write(lines("{3}\n")));
        channel.room = 1_000;
        output.write(lines("{4}\n"));
        output.write(lines("{5}\n"));

        assertEquals("{1}\n{\n{4}\n{5}\n", channel.taken.toString(StandardCharsets.UTF_8));
    }

    @Test
    void console_wholeLines_needNoEnd() throws Exception {
        Narrow channel = new Narrow();
        ConsoleOutput output = new ConsoleOutput(channel);
        channel.room = 4;
        assertThrows(IOException.class, () -> output.write(lines("{1}\n{2}\n")));
        channel.room = 1_000;
        output.write(lines("{3}\n"));

        assertEquals("{1}\n{3}\n", channel.taken.toString(StandardCharsets.UTF_8));
    }

    @Test
    void writeFully_largeBuffer_goesInSlices() throws Exception {
        Narrow channel = new Narrow();
        channel.room = Integer.MAX_VALUE;
        ByteBuffer large = ByteBuffer.allocate(3 * LineOutput.SLICE + 7);

        LineOutput.writeFully(channel, large);

        assertEquals(0, large.remaining());
        assertEquals(3 * LineOutput.SLICE + 7, channel.taken.size());
    }

    @Test
    void file_thatExists_isContinued() throws Exception {
        Path file = Files.writeString(directory.resolve("events"), "{0}\n");
        output = new FileOutput(file);
        output.write(lines("{1}\n"));

        assertEquals("{0}\n{1}\n", Files.readString(file));
    }

    @Test
    void file_lastLineTornByACrash_isEndedFirst() throws Exception {
        Path file = Files.writeString(directory.resolve("events"), "{0}\n{to");
        output = new FileOutput(file);
        output.write(lines("{1}\n"));

        assertEquals("{0}\n{to\n{1}\n", Files.readString(file));
    }

    /** Whoever renames may take the old file away at once, as logrotate does with {@code compress}. */
    @Test
    void file_renamedUnderUs_isMadeAnewBeforeTheNextLine() throws Exception {
        Path file = directory.resolve("events");
        Path rotated = directory.resolve("events.1");
        output = new FileOutput(file);
        output.write(lines("{1}\n"));
        Files.move(file, rotated);
        output.write(lines("{2}\n"));

        assertEquals("{1}\n", Files.readString(rotated));
        assertEquals("{2}\n", Files.readString(file));
    }

    /** What was written before the failure may be nowhere: the next time the disk says yes without it. */
    @Test
    void force_fails_takesBackAllThatWasNotForced() throws Exception {
        Path file = Files.writeString(directory.resolve("events"), "{0}\n");
        output = new FileOutput(file, this::force);
        output.write(lines("{1}\n"));
        output.force();
        output.write(lines("{2}\n"));
        output.write(lines("{3}\n"));
        assertFalse(output.isForced());
        failures = 1;
        assertThrows(IOException.class, output::force);
        assertEquals("{0}\n{1}\n", Files.readString(file));
        assertTrue(output.isForced(), "nothing is left to be forced");

        output.write(lines("{2}\n"));
        output.force();
        assertEquals("{0}\n{1}\n{2}\n", Files.readString(file));
        assertEquals(3, forces);
    }

    @Test
    void force_failsForARenamedFile_isToldBeforeTheNextLineAndLeavesThatFileAlone() throws Exception {
        Path file = directory.resolve("events");
        output = new FileOutput(file, this::force);
        output.write(lines("{1}\n"));
        Files.move(file, directory.resolve("events.1"));
        failures = 1;
        assertThrows(IOException.class, () -> output.write(lines("{2}\n")));
        output.write(lines("{1}\n{2}\n"));

        assertEquals("{1}\n", Files.readString(directory.resolve("events.1")));
        assertEquals("{1}\n{2}\n", Files.readString(file));
    }

    @Test
    void force_device_isNotAskedFor() throws Exception {
        output = new FileOutput(Path.of("/dev/null"), this::force);
        output.write(lines("{1}\n"));
        output.force();
        assertEquals(0, forces);
    }

    private void force(FileChannel channel) throws IOException {
        forces++;
        if (failures > 0) {
            failures--;
            throw new IOException("disk");
        }
        channel.force(false);
    }

    @Test
    void file_cutToNothingByRotation_isContinuedAtItsStart() throws Exception {
        Path file = directory.resolve("events");
        output = new FileOutput(file);
        output.write(lines("{1}\n"));
        Files.write(file, new byte[0]);
        output.write(lines("{2}\n"));

        assertEquals("{2}\n", Files.readString(file));
    }

    @Test
    void file_directoryGone_failsAndComesBack() throws Exception {
        Path away = Files.createDirectory(directory.resolve("disk"));
        Path file = away.resolve("events");
        output = new FileOutput(file);
        Files.delete(file);
        Files.delete(away);
        assertThrows(IOException.class, () -> output.write(lines("{1}\n")));
        Files.createDirectory(away);
        output.write(lines("{2}\n"));

        assertEquals("{2}\n", Files.readString(file));
    }

    /** The kernel's own full disk. */
    @Test
    void file_fullDevice_failsEachTime() throws Exception {
        output = new FileOutput(Path.of("/dev/full"));
        assertThrows(IOException.class, () -> output.write(lines("{1}\n")));
        assertThrows(IOException.class, () -> output.write(lines("{2}\n")));
    }

    @Test
    void file_thatCannotBe_isToldAtOnce() {
        assertThrows(IOException.class, () -> new FileOutput(directory));
    }

    private static ByteBuffer lines(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
