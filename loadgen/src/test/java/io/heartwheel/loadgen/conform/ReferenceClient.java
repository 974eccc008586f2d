package io.heartwheel.loadgen.conform;

import io.heartwheel.loadgen.conform.VirtualWorld.Stream;
import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameType;
import io.heartwheel.loadgen.wire.WireException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A small client in virtual time that keeps every rule, or breaks one. {@link #step} does what is due. One thread. */
final class ReferenceClient implements World.Client {

    private static final long MILLI = VirtualWorld.MILLI;
    private static final int KNOWN_IDS = 64;
    private static final int FEW_IDS = 16;
    private static final int EXIT_NEVER = 3;
    private static final long OPEN_MILLIS = 6_000;

    private static final class Message {
        final String text;
        long id;
        boolean sent;
        long notBeforeNanos;

        Message(String text, long id) {
            this.text = text;
            this.id = id;
        }
    }

    private final VirtualWorld world;
    private final World.Output output;
    private final @Nullable Fault fault;
    private final Map<String, String> environment;
    private final Random random;
    private final Carrier carrier;
    private final long wantedMillis;
    private final String home;
    private boolean over;

    // ---- kept over connections
    private final List<String> input = new ArrayList<>();
    private boolean inputEnded;
    private final Map<Long, Message> outbox = new LinkedHashMap<>();
    private final Set<Long> known = new LinkedHashSet<>();
    private long lastEpoch;
    private long nextId = 1;
    private int failures;
    private String address;
    private long connectAtNanos;

    // ---- of one connection
    private @Nullable Link link;
    private Frame.@Nullable Welcome welcome;
    private Frame.@Nullable Goaway goaway;
    private long heardNanos;
    private long nextBeatNanos;
    private long firstMillis;
    private @Nullable String offered;
    private long retryAtNanos;

    ReferenceClient(
            VirtualWorld world,
            Carrier carrier,
            Map<String, String> environment,
            World.Output output,
            @Nullable Fault fault,
            long seed) {
        this.world = world;
        this.environment = environment;
        this.output = output;
        this.fault = fault;
        this.random = new Random(seed);
        this.wantedMillis = Long.parseLong(value("HEARTWHEEL_INTERVAL_MS"));
        String url = value("HEARTWHEEL_URL");
        this.carrier = carrier;
        this.home = url.replaceAll("^[a-z]+://|/ws$", "");
        this.address = home;
        this.connectAtNanos = world.nanos();
    }

    private String value(String name) {
        return environment.getOrDefault(name, "");
    }

    private boolean has(Fault one) {
        return fault == one;
    }

    @Override
    public void say(String message) {
        input.add(message);
    }

    @Override
    public void endInput() {
        inputEnded = true;
    }

    @Override
    public void close() {
        over = true;
    }

    private void exit(int status) {
        over = true;
        output.exited(status);
    }

    /** Does what is due. */
    void step() {
        if (over) {
            return;
        }
        Link open = link;
        if (open == null) {
            if (world.nanos() - connectAtNanos >= 0) {
                connect();
            }
            return;
        }
        try {
            List<Frame> frames = open.read();
            if (has(Fault.PONGS_THE_LATEST_ALONE) && frames.stream().allMatch(Frame.Ping.class::isInstance)) {
                frames = frames.subList(Math.max(0, frames.size() - 1), frames.size());
            }
            for (Frame frame : frames) {
                heardNanos = world.nanos();
                if (!handle(open, frame)) {
                    return;
                }
            }
            if (open.ended()) {
                if (goaway == null && has(Fault.LOSES_THE_OUTBOX_AT_A_RESET)) {
                    outbox.clear();
                }
                leave(goaway == null ? afterBreak() : afterGoaway(goaway));
            } else {
                act(open);
            }
        } catch (WireException e) {
            leave(has(Fault.COMES_BACK_TO_GARBAGE_AT_ONCE) ? 30 : afterBreak());
        }
    }

    // ---- when to come back

    private long draw(long from, long to) {
        return from + (long) (random.nextDouble() * (to - from));
    }

    private long afterBreak() {
        if (has(Fault.STORMS)) {
            return 20;
        } else if (has(Fault.COMES_BACK_AT_ONCE_AFTER_A_BREAK)) {
            return 0;
        }
        return has(Fault.NEVER_WAITS_LONGER)
                ? draw(1_010, 1_900)
                : draw(1_010, 1_100L + (500L << Math.min(5, failures++)));
    }

    /** Below 0: never. */
    private long after(int code) {
        int range = ofRange(code);
        if (range == 0) {
            return afterBreak();
        } else if (range < 4200) {
            return has(Fault.COMES_BACK_LATE) ? 12_000 : has(Fault.COMES_BACK_WITHOUT_JITTER) ? 100 : draw(0, 300);
        } else if (range < 4400) {
            return has(Fault.COMES_BACK_TOO_SOON) ? 0 : draw(1_010, 1_300);
        } else if (range == 4409 && has(Fault.FIGHTS_FOR_ITS_ID)) {
            return 100;
        }
        return has(Fault.COMES_BACK_AFTER_NEVER) ? 100 : -1;
    }

    /** A code of the range that a native one belongs to. */
    private int ofRange(int code) {
        return switch (code) {
            case 1000 -> 4000;
            case 1001, 1011 -> has(Fault.TAKES_1001_FOR_NORMAL) ? 4000 : 4200;
            case 1002, 1003, 1007, 1009 -> has(Fault.TAKES_1002_FOR_A_BREAK) ? 0 : 4406;
            default -> code;
        };
    }

    private long afterGoaway(Frame.Goaway told) {
        long window = told.retryMaxMillis() - told.retryMinMillis();
        long chosen = draw(0, window * 8 / 10);
        if (has(Fault.COMES_BACK_BEFORE_THE_WINDOW)) {
            return 20;
        } else if (has(Fault.COMES_BACK_AFTER_THE_WINDOW)) {
            chosen = window + 2_500;
        } else if (has(Fault.COMES_BACK_IN_THE_MIDDLE)) {
            chosen = window / 2;
        }
        if (!told.host().isEmpty() && !has(Fault.IGNORES_THE_HOST)) {
            address = told.host();
        }
        return told.retryMinMillis() + 5 + chosen;
    }

    // ---- its token

    private String token() {
        try {
            return has(Fault.KEEPS_THE_FIRST_TOKEN)
                    ? value("HEARTWHEEL_TOKEN")
                    : Files.readString(Path.of(value("HEARTWHEEL_TOKEN_FILE")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void offer(Link open) {
        retryAtNanos = Long.MAX_VALUE;
        if (!has(Fault.NEVER_RENEWS) && (offered == null || has(Fault.RENEWS_BEFORE_THE_ANSWER))) {
            offered = token();
            open.send(new Frame.Renewal(offered));
        }
    }

    private boolean answered(Link open, Frame.AuthAnswer answer) {
        if (answer.status() == 1) {
            offer(open);
            return true;
        }
        offered = null;
        if (answer.status() == 3 && !has(Fault.RENEWS_ONCE)) {
            retryAtNanos = world.nanos() + 5_000 * MILLI;
        }
        return answer.status() != 2 || !has(Fault.LEAVES_AT_A_REFUSED_TOKEN) || leaveBroken();
    }

    // ---- a connection

    private void connect() {
        try {
            Stream stream = world.connect(address);
            welcome = null;
            goaway = null;
            heardNanos = world.nanos();
            offered = null;
            retryAtNanos = Long.MAX_VALUE;
            if (has(Fault.FORGETS_IDS_WITH_THE_CONNECTION)) {
                known.clear();
            }
            renew();
            link = new Link(
                    stream,
                    carrier,
                    fault,
                    new Frame.Hello(
                            FrameType.FEATURE_AUTH,
                            has(Fault.WANTS_ANOTHER_INTERVAL) ? 60_000 : wantedMillis,
                            has(Fault.FORGETS_EPOCH) ? 0 : lastEpoch,
                            value("HEARTWHEEL_DEVICE"),
                            token(),
                            has(Fault.NAMES_ITSELF_IN_TWO_LINES) ? "reference\n1" : "reference/1"));
        } catch (IOException e) {
            if (has(Fault.GIVES_UP)) {
                exit(1);
                return;
            }
            address = has(Fault.STAYS_AT_THE_DEAD_HOST) ? address : home;
            connectAtNanos = world.nanos() + afterBreak() * MILLI;
        }
    }

    /** Ends the connection and comes back after this time; below 0: never. */
    private void leave(long waitMillis) {
        Link open = link;
        link = null;
        boolean kept = has(Fault.KEEPS_THE_SILENT_CONNECTION) || has(Fault.KEEPS_THE_CLOSED_CONNECTION);
        if (open != null && !kept) {
            open.end();
        }
        if (waitMillis < 0) {
            exit(has(Fault.ENDS_WITH_ZERO) ? 0 : EXIT_NEVER);
        }
        connectAtNanos = world.nanos() + waitMillis * MILLI;
    }

    /** Whether the connection goes on. */
    private boolean handle(Link open, Frame frame) {
        if (frame instanceof Frame.Goaway told) {
            boolean heeded =
                    !has(Fault.IGNORES_GOAWAY) && (welcome != null || !has(Fault.FORGETS_A_WINDOW_BEFORE_WELCOME));
            return !heeded || leaveFor(told);
        } else if (frame instanceof Frame.Close close) {
            leave(goaway == null ? after(close.code()) : afterGoaway(goaway));
            return false;
        } else if ((welcome == null) != frame instanceof Frame.Welcome) {
            leave(afterBreak());
            return false;
        } else if (frame instanceof Frame.Welcome given) {
            welcome = given;
            lastEpoch = given.epoch();
            failures = 0;
            planBeat();
        } else if (frame instanceof Frame.AuthAnswer answer) {
            return answered(open, answer);
        } else if (frame instanceof Frame.Ping ping && !has(Fault.NEVER_PONGS)) {
            open.send(new Frame.Pong(has(Fault.PONGS_EMPTY) ? ByteBuffer.allocate(0) : ping.payload()));
        } else if (frame instanceof Frame.Data data) {
            if (has(Fault.LEAVES_AT_BINARY) && !data.text()) {
                return leaveBroken();
            }
            received(open, data);
        } else if (frame instanceof Frame.Ack ack) {
            return acknowledged(ack);
        } else if (frame instanceof Frame.Pong) {
            if (has(Fault.TAKES_WHAT_IT_HEARS_FOR_A_BEAT)) {
                planBeat();
            }
            return !has(Fault.LEAVES_AT_UNASKED_PONG) || leaveBroken();
        }
        return true;
    }

    private boolean leaveFor(Frame.Goaway told) {
        goaway = told;
        if (has(Fault.LOSES_THE_OUTBOX_AT_GOAWAY)) {
            outbox.clear();
        }
        leave(afterGoaway(told));
        return false;
    }

    private boolean leaveBroken() {
        leave(afterBreak());
        return false;
    }

    private void received(Link open, Frame.Data data) {
        long id = has(Fault.KEEPS_IDS_AS_DOUBLES) ? (long) (double) data.id() : data.id();
        boolean counts = (data.ackWanted() && id != 0) || has(Fault.TAKES_ID_ZERO_FOR_A_REPEAT);
        boolean repeat = counts && !known.add(id);
        if (known.size() > (has(Fault.REMEMBERS_FEW_IDS) ? FEW_IDS : KNOWN_IDS)) {
            known.remove(known.iterator().next());
        }
        if (!(repeat && !has(Fault.HANDS_ON_REPEATS)) && !has(Fault.ACKS_WITHOUT_PRINTING)) {
            output.printed(Trial.text(data));
        }
        if ((data.ackWanted() || has(Fault.ACKS_UNASKED)) && !(repeat && has(Fault.ACKS_NO_REPEATS))) {
            open.send(new Frame.Ack(id, 0));
        }
    }

    private boolean acknowledged(Frame.Ack ack) {
        Message message = outbox.get(ack.id());
        if (message == null) {
            return !has(Fault.LEAVES_AT_UNKNOWN_ACK) || leaveBroken();
        }
        boolean taken = ack.status() == 0 || (ack.status() != 1 && has(Fault.TAKES_ANY_OTHER_STATUS_FOR_ACCEPTED));
        if ((taken && !has(Fault.KEEPS_ACKNOWLEDGED)) || has(Fault.DROPS_REFUSED)) {
            outbox.remove(ack.id());
        } else if (ack.status() != 0) {
            message.sent = false;
            long waitMillis = has(Fault.REPEATS_REFUSED_AT_ONCE) ? 0 : draw(150, 400);
            message.notBeforeNanos = world.nanos() + waitMillis * MILLI;
        }
        return true;
    }

    // ---- what it does by itself

    private void planBeat() {
        Frame.Welcome granted = welcome;
        if (granted != null && (firstMillis == 0 || !has(Fault.KEEPS_THE_FIRST_INTERVAL))) {
            firstMillis = granted.intervalMillis();
        }
        long interval = has(Fault.BEATS_AS_WANTED) || granted == null ? wantedMillis : firstMillis;
        long wait = has(Fault.BEATS_WITHOUT_JITTER) ? interval * 7 / 10 : draw(interval / 2, interval * 9 / 10);
        nextBeatNanos = world.nanos() + wait * MILLI;
    }

    private boolean halfOpen(Frame.@Nullable Welcome granted) {
        long silentMillis = (world.nanos() - heardNanos) / MILLI;
        if (granted == null) {
            return !has(Fault.WAITS_FOR_WELCOME)
                    && silentMillis > (has(Fault.LEAVES_WHEN_IT_IS_HELD) ? 1_500 : OPEN_MILLIS);
        }
        return !has(Fault.NEVER_DOUBTS) && silentMillis > 2 * granted.intervalMillis() + 100;
    }

    private void act(Link open) {
        Frame.Welcome granted = welcome;
        if (halfOpen(granted)) {
            leave(afterBreak());
        }
        if (granted == null || link == null) {
            return;
        }
        if (world.nanos() - retryAtNanos >= 0) {
            offer(open);
        }
        if (world.nanos() - nextBeatNanos >= 0 && (outbox.isEmpty() || !has(Fault.BEATS_NOT_BEFORE_THE_ACK))) {
            open.send(new Frame.Ping(ByteBuffer.allocate(0)));
            planBeat();
        }
        take();
        for (Message message : List.copyOf(outbox.values())) {
            if (!message.sent && world.nanos() - message.notBeforeNanos >= 0) {
                open.send(Trial.wanted(message.id, message.text));
                message.sent = true;
            }
        }
        if (inputEnded && (outbox.isEmpty() || has(Fault.LEAVES_BEFORE_THE_ACK))) {
            if (!has(Fault.LEAVES_WITHOUT_CLOSE)) {
                open.close();
            }
            leave(0);
            exit(0);
        }
    }

    private void take() {
        for (String line : input) {
            long id = has(Fault.USES_IDS_AGAIN) ? nextId % FEW_IDS + 1 : nextId;
            nextId++;
            outbox.put(id, new Message(line, id));
        }
        input.clear();
    }

    /** What was sent on the last connection is sent again on this one. */
    private void renew() {
        List<Message> kept = new ArrayList<>(outbox.values());
        if (has(Fault.LOSES_THE_OUTBOX)) {
            kept.clear();
        } else if (has(Fault.SENDS_BACKWARDS)) {
            Collections.reverse(kept);
        }
        outbox.clear();
        for (Message message : kept) {
            message.sent = false;
            message.id = has(Fault.GIVES_NEW_IDS) ? nextId++ : message.id;
            outbox.put(message.id, message);
        }
    }
}
