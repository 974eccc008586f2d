package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.RecordedConnection;
import io.heartwheel.loadgen.client.RecordedEnd;
import io.heartwheel.loadgen.scenario.RecordedLine.Connection;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Liveness trace of the gateway ({@code gateway/docs/trace.md}): recorded connections, to be replayed. Traces of several gateways may
 * stand in one file, one after the other or line by line among each other; they are taken to have begun together.
 *
 * <pre>
 *   {"trace":1,"connection":7,"connected_ms":1200,"from_ms":1200,...,"reads_ms":[3,27000]}           --+
 *   {"trace":1,"connection":8,...,"ended_ms":90000,"ended":"peer_closed"}                              |  joined
 *   {"trace":1,"connection":7,"connected_ms":1200,"from_ms":28203,...,"ended":"heartbeat_timeout"}   --+
 * </pre>
 *
 * <p>Everything is bounded: {@link #MOST_LINE_CHARS}, {@link #MOST_LIVES}, {@link #MOST_BEATS}. A bad line costs the life it is of, and is named.
 *
 * @param lives in order of their connects, the first at 0
 * @param mistakes one a bad line, {@link #MOST_MISTAKES} at most and then a line with the number of the others
 */
public record Recording(List<RecordedConnection> lives, List<String> mistakes) {

    /** Longest line: as many arrivals as one may have, 12 digits and a comma each. */
    public static final int MOST_LINE_CHARS = 1 << 20;
    /** Most lives; 4 million take half a gigabyte. */
    public static final int MOST_LIVES = 4_000_000;
    /** Most arrivals of all lives together. */
    public static final int MOST_BEATS = 100_000_000;
    /** Mistakes told one by one. */
    public static final int MOST_MISTAKES = 50;

    /** Keeps what it is given. */
    public Recording {
        lives = List.copyOf(lives);
        mistakes = List.copyOf(mistakes);
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read, or is no file
     */
    static Recording of(Path file) throws IOException {
        if (!Files.isRegularFile(file.toRealPath())) {
            throw new IOException("not a regular file");
        }
        // Bytes that are no UTF-8 become characters that are no JSON, so the line with them is named.
        try (Reader text = new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8)) {
            return read(text);
        }
    }

    /**
     * Reads all of it.
     *
     * @throws IOException only if reading fails
     */
    public static Recording read(Reader text) throws IOException {
        return read(text, MOST_LIVES, MOST_BEATS);
    }

    static Recording read(Reader text, int mostLives, long mostBeats) throws IOException {
        Joining joining = new Joining(mostLives, mostBeats);
        LineCursor lines = new LineCursor(text, MOST_LINE_CHARS);
        while (lines.next() && joining.hasRoom()) {
            joining.take(lines.number(), lines.text());
        }
        return joining.recording();
    }

    /**
     * The same if every line of it is good.
     *
     * @throws IllegalArgumentException with all mistakes, a line each
     */
    public Recording orThrow() {
        if (!mistakes.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", mistakes));
        }
        return this;
    }

    /** Puts the lines of each connection together. */
    private static final class Joining {
        private final int mostLives;
        private final long mostBeats;
        private final List<RecordedConnection> lives = new ArrayList<>();
        private final List<String> mistakes = new ArrayList<>();
        private final Map<Connection, RecordedDraft> open = new LinkedHashMap<>();
        /** Lost one line and with it their meaning; bounded as the lives are. */
        private final Set<Connection> broken = new HashSet<>();

        private long beats;
        private long mistakesUntold;

        Joining(int mostLives, long mostBeats) {
            this.mostLives = mostLives;
            this.mostBeats = mostBeats;
        }

        void take(long number, @Nullable String text) {
            if (text == null) {
                mistake(number, "longer than " + MOST_LINE_CHARS + " characters");
            } else if (!text.isBlank()) {
                RecordedLine line;
                try {
                    line = RecordedLine.of(text);
                } catch (IllegalArgumentException e) {
                    mistake(number, String.valueOf(e.getMessage()));
                    return;
                }
                join(number, line);
            }
        }

        private void join(long number, RecordedLine line) {
            Connection connection = line.connection();
            if (broken.contains(connection)) {
                return;
            }
            RecordedDraft draft = open.get(connection);
            try {
                if (draft == null) {
                    draft = new RecordedDraft(line);
                    open.put(connection, draft);
                } else {
                    draft.add(line);
                }
                beats += line.readsMillis().length;
                if (line.ended() != RecordedEnd.UNTOLD) {
                    lives.add(draft.ended(line));
                    open.remove(connection);
                }
            } catch (IllegalArgumentException e) {
                mistake(number, "connection " + connection.number() + ": " + e.getMessage());
                open.remove(connection);
                broken.add(connection);
            }
        }

        boolean hasRoom() {
            if (lives.size() + open.size() + broken.size() < mostLives && beats < mostBeats) {
                return true;
            }
            mistakes.add("need at most " + mostLives + " lives and " + mostBeats + " arrivals: the rest was not read");
            return false;
        }

        private void mistake(long number, String what) {
            if (mistakes.size() < MOST_MISTAKES) {
                mistakes.add("line " + number + ": " + what);
            } else {
                mistakesUntold++;
            }
        }

        Recording recording() {
            open.values().forEach(draft -> lives.add(draft.untold()));
            if (mistakesUntold > 0) {
                mistakes.add("and " + mistakesUntold + " more");
            }
            lives.sort(Comparator.comparingLong(RecordedConnection::connectAtMillis));
            long beginMillis = lives.isEmpty() ? 0 : lives.get(0).connectAtMillis();
            lives.replaceAll(life -> life.earlier(beginMillis));
            return new Recording(lives, mistakes);
        }
    }

    /** Stands on one line after the other; what is longer than allowed is skipped. */
    private static final class LineCursor {
        private final Reader text;
        private final int mostChars;
        private final char[] buffer = new char[1 << 14];
        private final StringBuilder line = new StringBuilder();
        private int at;
        private int end;
        private long number;
        private boolean tooLong;

        LineCursor(Reader text, int mostChars) {
            this.text = text;
            this.mostChars = mostChars;
        }

        /**
         * Goes to the next line.
         *
         * @return false if there is none
         */
        boolean next() throws IOException {
            line.setLength(0);
            tooLong = false;
            boolean any = false;
            while (at < end || fill()) {
                any = true;
                char c = buffer[at++];
                if (c == '\n') {
                    break;
                } else if (line.length() < mostChars) {
                    line.append(c);
                } else {
                    tooLong = true;
                }
            }
            number += any ? 1 : 0;
            return any;
        }

        private boolean fill() throws IOException {
            at = 0;
            end = Math.max(0, text.read(buffer));
            return end > 0;
        }

        long number() {
            return number;
        }

        /** The line without its end; null if it is too long. */
        @Nullable
        String text() {
            return tooLong ? null : line.toString();
        }
    }
}
