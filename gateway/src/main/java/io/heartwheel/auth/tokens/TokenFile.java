package io.heartwheel.auth.tokens;

import io.heartwheel.auth.BrokenFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reader of a file of tokens: a {@link TokenLine} a line, empty lines, and comments from a {@code #} at the beginning of a word. The file goes by in pieces;
 * only the table is kept. All mistakes are found, {@value #MOST_PROBLEMS} of them told; none shows a hash. One thread, once.
 */
final class TokenFile {
    /** No file is larger; one that is was named by mistake. */
    static final long MOST_BYTES = 1L << 30;
    /** No line is longer: ids, hashes and grants at their limits fit. */
    static final int LONGEST_LINE = 16_384;

    private static final int MOST_PROBLEMS = 20;
    private static final int PIECE_BYTES = 65_536;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final String name;
    private final TokenTable.Builder table = new TokenTable.Builder();
    private final List<String> problems = new ArrayList<>();
    private final byte[] line = new byte[LONGEST_LINE];
    private int length;
    private long number = 1;
    private long mistakes;

    private TokenFile(String name) {
        this.name = name;
    }

    /**
     * Reads a file.
     *
     * @throws BrokenFile telling all that is wrong with it
     */
    static TokenTable read(Path file) throws BrokenFile {
        String name = name(file);
        try (InputStream in = Files.newInputStream(file)) {
            return read(in, name, MOST_BYTES);
        } catch (BrokenFile bad) {
            throw bad;
        } catch (IOException unreadable) {
            throw new BrokenFile(List.of(name + ": it cannot be read"));
        }
    }

    /** Of the key, for errors. */
    static String name(Path file) {
        return "auth.tokens.file = " + file;
    }

    /**
     * Reads lines.
     *
     * @param name of the source, for errors
     * @param mostBytes more are an error
     */
    static TokenTable read(InputStream in, String name, long mostBytes) throws IOException {
        TokenFile reader = new TokenFile(name);
        byte[] piece = new byte[PIECE_BYTES];
        long bytes = 0;
        for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
            bytes += read;
            if (bytes > mostBytes) {
                throw new BrokenFile(List.of(name + ": need at most " + mostBytes + " bytes"));
            }
            reader.take(piece, read);
        }
        reader.endLine();
        return reader.result();
    }

    private TokenTable result() throws BrokenFile {
        if (mistakes > 0) {
            if (mistakes > problems.size()) {
                problems.add(name + ": and " + (mistakes - problems.size()) + " more");
            }
            throw new BrokenFile(problems);
        }
        return table.build();
    }

    private void take(byte[] piece, int end) {
        for (int from = 0; from < end; ) {
            int to = from;
            while (to < end && piece[to] != '\n') {
                to++;
            }
            int fits = Math.min(to - from, LONGEST_LINE - Math.min(length, LONGEST_LINE));
            System.arraycopy(piece, from, line, Math.min(length, LONGEST_LINE), fits);
            length = Math.min(length + to - from, LONGEST_LINE + 1);
            if (to < end) {
                endLine();
            }
            from = to + 1;
        }
    }

    private void endLine() {
        if (length > LONGEST_LINE) {
            problem("need at most " + LONGEST_LINE + " bytes in a line");
        } else {
            int from = number == 1 && startsWithMark() ? BYTE_ORDER_MARK.length : 0;
            String text = new String(line, from, length - from, StandardCharsets.ISO_8859_1).strip();
            if (!text.isEmpty() && text.charAt(0) != '#') {
                add(text);
            }
        }
        length = 0;
        number++;
    }

    private boolean startsWithMark() {
        int mark = BYTE_ORDER_MARK.length;
        return length >= mark && Arrays.equals(line, 0, mark, BYTE_ORDER_MARK, 0, mark);
    }

    private void add(String text) {
        try {
            TokenLine parsed = TokenLine.parse(text);
            if (!table.add(parsed)) {
                problem(
                        parsed.deviceId().length == 0
                                ? TokenLine.ANY_DEVICE + " stands twice: need one line for it"
                                : "device " + TokenLine.written(new String(parsed.deviceId(), StandardCharsets.UTF_8))
                                        + " stands twice: need one line for each");
            }
        } catch (IllegalArgumentException bad) {
            problem(String.valueOf(bad.getMessage()));
        }
    }

    private void problem(String what) {
        mistakes++;
        if (problems.size() < MOST_PROBLEMS) {
            problems.add(name + ": line " + number + ": " + what);
        }
    }
}
