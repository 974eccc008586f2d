package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.conform.Peer.End;
import io.heartwheel.loadgen.wire.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One case being played: a port, a client process, and what a script does and asks. One thread, that of the case; {@link #close}
 * any thread. A script that asks for what does not come ends by a {@link CaseEnd}.
 */
final class Trial implements AutoCloseable, World.Output {

    /** With characters that may stand in a subprotocol, since a browser can send it nowhere else. */
    static final String TOKEN = "t0ken-of.conform~1";

    static final int LIMIT_BYTES = 65_536;
    /** So long that no heartbeat disturbs a short case. */
    static final long INTERVAL_MILLIS = 10_000;

    private static final int GRACE_HUNDREDTHS = 150;
    private static final long FIRST_EPOCH = 1_700_000_000_000_000L;
    /** So much of its output is kept. */
    private static final int MOST_PRINTED_CHARS = 4 << 20;

    private static final int SHOWN_CHARS = 80;

    private final World world;
    private final Carrier carrier;
    private final String name;
    private final Facts facts;
    private final Listener listener;
    private final Path tokenFile;
    private long sessions;
    private long epoch = FIRST_EPOCH;
    private int taken;
    private volatile World.@Nullable Client client;
    // ---- guarded by facts
    private final List<String> lines = new ArrayList<>();
    private int printedChars;
    private @Nullable String complaint;
    private @Nullable Integer status;

    /** A port that a gateway listens on, and the connections that came to it. */
    final class Listener implements AutoCloseable {

        /** Guarded by facts; in the order in which they were accepted. */
        private final List<Peer> peers = new ArrayList<>();

        private final World.Port port;

        Listener(int number) throws IOException {
            port = world.listen(number, wire -> {
                Peer peer = new Peer(facts, wire, carrier);
                facts.report(() -> peers.add(peer));
                return peer;
            });
        }

        int port() {
            return port.number();
        }

        /** The connection with this number among those that sent HELLO, from 0, or null before it. */
        @Nullable
        Peer greeted(int number) {
            return facts.read(() -> peers.stream()
                    .filter(peer -> peer.hello() != null)
                    .skip(number)
                    .findFirst()
                    .orElse(null));
        }

        /** A client is refused by the kernel from now on. Connections stay. */
        void stopListening() {
            port.close();
        }

        @Override
        public void close() {
            port.close();
            facts.read(() -> List.copyOf(peers)).forEach(Peer::breakOff);
        }
    }

    /**
     * Opens the port.
     *
     * @param name of the device
     */
    Trial(World world, Carrier carrier, String name) throws IOException {
        this.world = world;
        this.carrier = carrier;
        this.name = name;
        this.facts = new Facts(world);
        this.listener = new Listener(0);
        this.tokenFile = Files.createTempFile("conform-token-", "");
        token(TOKEN);
    }

    /** The client has this token from now on. */
    void token(String token) {
        try {
            Files.writeString(tokenFile, token);
        } catch (IOException e) {
            throw CaseEnd.notJudged("the token cannot be written: " + e.getMessage());
        }
    }

    Facts facts() {
        return facts;
    }

    Carrier carrier() {
        return carrier;
    }

    Listener listener() {
        return listener;
    }

    /** Another port, or one again; 0: any free one. */
    Listener open(int port) {
        try {
            return new Listener(port);
        } catch (IOException e) {
            throw CaseEnd.notJudged("port " + port + " cannot be opened: " + e.getMessage());
        }
    }

    String deviceId() {
        return "conform-" + name;
    }

    /** Whether the client ever connected. */
    boolean connected() {
        return facts.read(() -> !listener.peers.isEmpty());
    }

    /** Bytes of all values. */
    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (length - 37 * i);
        }
        return bytes;
    }

    // ---- the client

    World.Client client() {
        return Objects.requireNonNull(client, "the client was not started");
    }

    @Override
    public void printed(String line) {
        facts.report(() -> {
            printedChars += line.length() + 1;
            if (printedChars < MOST_PRINTED_CHARS) {
                lines.add(line);
            } else {
                facts.violation("more than " + MOST_PRINTED_CHARS + " characters on standard output");
            }
        });
    }

    @Override
    public void complained(String line) {
        facts.report(() -> complaint = line);
    }

    @Override
    public void exited(int ended) {
        facts.report(() -> status = ended);
    }

    /** Its exit status, or null while it runs. */
    @Nullable
    Integer status() {
        return facts.read(() -> status);
    }

    private @Nullable String endText() {
        return facts.read(() -> status == null
                ? null
                : "the client ended with status " + status + (complaint == null ? "" : " (" + cut(complaint) + ")"));
    }

    /** Starts the client; it is not awaited. */
    void launch(long intervalMillis) {
        try {
            client = world.start(
                    Map.of(
                            "HEARTWHEEL_URL", carrier.url(listener.port()),
                            "HEARTWHEEL_DEVICE", deviceId(),
                            "HEARTWHEEL_TOKEN", TOKEN,
                            "HEARTWHEEL_TOKEN_FILE", tokenFile.toString(),
                            "HEARTWHEEL_INTERVAL_MS", Long.toString(intervalMillis)),
                    this);
        } catch (IOException e) {
            throw CaseEnd.notJudged("the client could not be started: " + e.getMessage());
        }
    }

    /** Starts the client and awaits its HELLO. */
    Peer greeted(long intervalMillis) {
        long from = facts.nanos();
        launch(intervalMillis);
        return next("HELLO", from, Limits.START);
    }

    /** The same, with the usual interval. */
    Peer greeted() {
        return greeted(INTERVAL_MILLIS);
    }

    /** Starts the client, awaits its HELLO, welcomes it, and sees that it stays. */
    Peer welcomed() {
        Peer peer = greeted();
        welcome(peer);
        return peer;
    }

    /** Awaits the next connection with a HELLO. */
    Peer next(String what, long fromNanos, long dueMillis) {
        return nextOf(listener, taken++, what, fromNanos, dueMillis);
    }

    /** Awaits a connection with a HELLO to this port. */
    Peer nextOf(Listener at, int greeted, String what, long fromNanos, long dueMillis) {
        return facts.await(what, fromNanos, dueMillis, () -> at.greeted(greeted), this::endText);
    }

    /** A client that came back, and after which time. */
    record Back(Peer peer, long tookMillis) {}

    /** Awaits the next connection, judges when it came, and welcomes it. */
    Back back(String after, long fromNanos, long leastMillis, long mostMillis) {
        String what = "the connection after " + after;
        Peer peer = next(what, fromNanos, mostMillis);
        long took = facts.between(what, fromNanos, peer.openedNanos(), leastMillis, mostMillis);
        welcome(peer);
        return new Back(peer, took);
    }

    /** The same, in words. */
    String backText(String after, long fromNanos, long leastMillis, long mostMillis) {
        return "back after " + back(after, fromNanos, leastMillis, mostMillis).tookMillis() + " ms";
    }

    /** Closes with a code of the first range, and awaits the next connection. */
    Peer reconnected(Peer peer, int code) {
        return back("CLOSE " + code, peer.close(code), 0, Limits.SOON).peer();
    }

    /** Sends WELCOME with what it asked for, and sees that it stays. */
    void welcome(Peer peer) {
        Frame.Hello hello = Objects.requireNonNull(peer.hello());
        peer.send(welcome(hello.intervalMillis(), nextEpoch(), LIMIT_BYTES));
        stays(peer, Limits.SETTLED, "WELCOME");
    }

    Frame.Welcome welcome(long intervalMillis, long givenEpoch, long limitBytes) {
        return new Frame.Welcome(intervalMillis, GRACE_HUNDREDTHS, ++sessions, givenEpoch, limitBytes);
    }

    long nextEpoch() {
        return ++epoch;
    }

    // ---- what it must do

    /** Awaits something on a connection. */
    <T> T await(Peer peer, String what, long fromNanos, long dueMillis, Supplier<@Nullable T> seen) {
        return facts.await(what, fromNanos, dueMillis, seen, () -> {
            End end = peer.end();
            return end == null ? endText() : "the client left by " + end.how();
        });
    }

    /** Awaits the frame with this number, from 0, among those of its kind on a connection. */
    <T extends Frame> T await(Peer peer, Class<T> kind, int index) {
        return await(peer, kind, index, Limits.ANSWER);
    }

    <T extends Frame> T await(Peer peer, Class<T> kind, int index, long dueMillis) {
        String what = kind.getSimpleName().toUpperCase(Locale.ROOT) + " number " + (index + 1);
        return await(peer, what, facts.nanos(), dueMillis, () -> {
            List<T> frames = peer.frames(kind);
            return index < frames.size() ? frames.get(index) : null;
        });
    }

    /** Awaits the ACK with this number, from 0, which must be of this id and accept. */
    void acknowledged(Peer peer, int index, long id) {
        Frame.Ack ack = await(peer, Frame.Ack.class, index);
        need(
                ack.id() == id && ack.status() == 0,
                "ACK of id " + Long.toUnsignedString(ack.id()) + " with status " + ack.status() + ": need id "
                        + Long.toUnsignedString(id) + " with status 0");
    }

    /** Awaits that the client has printed so many lines, and checks what they are. */
    void printed(List<String> expected) {
        int most = expected.size();
        List<String> now = facts.await(
                "line " + most + " on standard output",
                facts.nanos(),
                Limits.ANSWER,
                () -> lines.size() < most ? null : List.copyOf(lines),
                this::endText);
        for (int i = 0; i < most; i++) {
            need(
                    now.get(i).equals(expected.get(i)),
                    "line " + (i + 1) + " on standard output is \"" + cut(now.get(i)) + "\": need \""
                            + cut(expected.get(i)) + "\"");
        }
        need(now.size() == most, now.size() + " lines on standard output: need " + most);
    }

    /** Awaits that the client leaves this connection. */
    End left(Peer peer, String what, long fromNanos, long dueMillis) {
        return facts.await(what, fromNanos, dueMillis, peer::end, () -> null);
    }

    /** Awaits the end of its process with this status. */
    void exited(int wanted, long fromNanos) {
        int ended = facts.await("the end of the process", fromNanos, Limits.EXIT, this::status, () -> null);
        need(ended == wanted, "exit status " + ended + ": need " + wanted);
    }

    /** Breaks the rule unless it is so. */
    void need(boolean kept, String otherwise) {
        if (!kept) {
            throw CaseEnd.broken(otherwise);
        }
    }

    /** Waits, and then looks whether the connection still stands. */
    void stays(Peer peer, long millis, String after) {
        facts.pause(millis);
        End end = peer.end();
        need(end == null, "the client left by " + (end == null ? "" : end.how()) + " after " + after);
    }

    // ---- texts

    /** A message that wants an ACK. */
    static Frame.Data wanted(long id, String text) {
        return data(id, true, text);
    }

    static Frame.Data data(long id, boolean ackWanted, String text) {
        return new Frame.Data(id, ackWanted, true, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static String text(Frame.Data data) {
        return StandardCharsets.UTF_8.decode(data.payload().duplicate()).toString();
    }

    static String cut(String line) {
        return line.length() <= SHOWN_CHARS
                ? line
                : line.substring(0, SHOWN_CHARS) + "... of " + line.length() + " characters";
    }

    /** {@code 120, 340 ms}. */
    static String millis(List<Long> times) {
        return times.stream().map(String::valueOf).collect(Collectors.joining(", ")) + " ms";
    }

    /** Largest less smallest, of one at least. */
    static long spread(List<Long> times) {
        LongSummaryStatistics all = times.stream().mapToLong(Long::longValue).summaryStatistics();
        return all.getMax() - all.getMin();
    }

    @Override
    public void close() {
        World.Client run = client;
        if (run != null) {
            run.close();
        }
        listener.close();
        try {
            Files.deleteIfExists(tokenFile);
        } catch (IOException e) {
            return; // in the directory for such files
        }
    }
}
