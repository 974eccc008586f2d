package io.heartwheel.loadgen.scenario;

import io.heartwheel.loadgen.client.RecordedConnection;
import io.heartwheel.loadgen.client.RecordedEnd;
import io.heartwheel.loadgen.scenario.RecordedLine.Connection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
        BufferedReader lines = new BufferedReader(text);
        String line = nextLine(lines);
        for (long number = 1; line != null && joining.hasRoom(); number++) {
            joining.take(number, line);
            line = nextLine(lines);
        }
        return joining.recording();
    }

    /** The next line without its end, of one that is too long so much that this is seen; null if there is none. */
    private static @Nullable String nextLine(BufferedReader text) throws IOException {
        int c = text.read();
        if (c < 0) {
            return null;
        }
        StringBuilder line = new StringBuilder();
        for (; c >= 0 && c != '\n'; c = text.read()) {
            if (line.length() <= MOST_LINE_CHARS) {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** Puts the lines of each connection together. */
    private static final class Joining {
        private final int mostLives;
        private final long mostBeats;
        private final List<RecordedConnection> lives = new ArrayList<>();
        private final List<String> mistakes = new ArrayList<>();
        private final Map<Connection, Draft> open = new LinkedHashMap<>();
        /** Lost one line and with it their meaning; bounded as the lives are. */
        private final Set<Connection> broken = new HashSet<>();

        private long beats;
        private long mistakesUntold;

        Joining(int mostLives, long mostBeats) {
            this.mostLives = mostLives;
            this.mostBeats = mostBeats;
        }

        void take(long number, String text) {
            if (text.length() > MOST_LINE_CHARS) {
                mistake(number, "longer than " + MOST_LINE_CHARS + " characters");
            } else if (!text.isBlank()) {
                try {
                    join(number, RecordedLine.of(text));
                } catch (IllegalArgumentException e) {
                    mistake(number, String.valueOf(e.getMessage()));
                }
            }
        }

        private void join(long number, RecordedLine line) {
            Connection connection = line.connection();
            if (broken.contains(connection)) {
                return;
            }
            Draft draft = open.get(connection);
            try {
                if (draft == null) {
                    draft = new Draft(line);
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

    /** A life as far as its lines have been read. */
    private static final class Draft {
        private final long connectedMillis;
        private long toldMillis;
        private long intervalMillis;
        private int graceHundredths;
        private int[] beats = new int[0];
        private int count;

        /** @throws IllegalArgumentException if this is not the beginning of a life */
        Draft(RecordedLine first) {
            connectedMillis = first.connectedMillis();
            toldMillis = connectedMillis;
            add(first);
        }

        /** @throws IllegalArgumentException if it does not follow upon the line before */
        void add(RecordedLine line) {
            if (line.fromMillis() != toldMillis || line.connectedMillis() != connectedMillis) {
                throw new IllegalArgumentException(
                        "from_ms = " + line.fromMillis() + " of a connection of connected_ms = "
                                + line.connectedMillis() + ": need " + toldMillis + " of " + connectedMillis
                                + ", a line before it is missing");
            }
            if (line.intervalMillis() > 0) {
                intervalMillis = line.intervalMillis();
            }
            graceHundredths = line.graceHundredths();
            int[] reads = line.readsMillis();
            if (count + reads.length > beats.length) {
                beats = Arrays.copyOf(beats, Math.max(count + reads.length, 2 * count));
            }
            for (int read : reads) {
                toldMillis += read;
                beats[count++] = sinceConnect("reads_ms", toldMillis);
            }
        }

        private int sinceConnect(String key, long millis) {
            long since = millis - connectedMillis;
            if (since < 0 || since > Integer.MAX_VALUE) {
                throw new IllegalArgumentException(
                        key + " reaches " + since + " ms after the connect: need 0..2147483647 ms");
            }
            return (int) since;
        }

        /** @throws IllegalArgumentException if it ended before it was heard last */
        RecordedConnection ended(RecordedLine last) {
            if (last.endedMillis() < toldMillis) {
                throw new IllegalArgumentException("ended_ms = " + last.endedMillis() + ": need at least " + toldMillis
                        + ", when it was heard last");
            }
            return life(last.ended(), sinceConnect("ended_ms", last.endedMillis()));
        }

        /** The recording goes no further. */
        RecordedConnection untold() {
            return life(RecordedEnd.UNTOLD, (int) (toldMillis - connectedMillis));
        }

        private RecordedConnection life(RecordedEnd ended, int endedAtMillis) {
            return new RecordedConnection(
                    connectedMillis,
                    intervalMillis,
                    graceHundredths,
                    Arrays.copyOf(beats, count),
                    ended,
                    endedAtMillis);
        }
    }
}
