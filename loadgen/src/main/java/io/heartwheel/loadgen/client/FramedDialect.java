package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.client.FramedProtocol.Exchange;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.Framing;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A protocol that a scenario describes, over TCP or in messages of a plain WebSocket, where a heartbeat that is not described
 * is a native ping. What comes in is compared with the templates of all that the server may say, in the order of the table;
 * what fits none of them is a breach.
 *
 * <pre>
 *   greeting:  hello[step].expect, refused                        |
 *   open:      heartbeat.expect, message.expect, refused, echo    |  then push, questions, closed, ignored
 * </pre>
 *
 * <p>Owner: one event loop. A heartbeat costs its bytes and no object.
 */
public final class FramedDialect extends CarriedDialect {

    private static final int ROOM = 64;
    private static final int MOST_SHOWN = 24;

    private final FramedProtocol protocol;
    /** Tells messages apart; null: the WebSocket does. */
    private final @Nullable Framing framing;
    /** Of a message of the WebSocket. */
    private final int opcode;

    private final FramedValues values;
    private final List<Rule> rules = new ArrayList<>();
    /** A frame of the WebSocket tells its length before it. */
    private final ByteBuf plain = Unpooled.buffer(256);

    private byte[] payload = new byte[0];
    private int at;
    private int length;

    /** Kind of a message of the server. */
    private enum What {
        BEAT_ANSWER,
        ACCEPTED,
        REFUSED,
        ECHO,
        PUSH,
        QUESTION,
        CLOSED,
        IGNORED
    }

    /** A message that the server may send, and what is said to it. */
    private record Rule(What what, FrameTemplate expect, @Nullable FrameTemplate answer) {}

    /** Speaks a described protocol over TCP, its messages told apart by this. */
    public FramedDialect(FramedProtocol protocol, Framing framing) {
        this(protocol, framing, "", null, true);
    }

    /**
     * Speaks a described protocol over WebSocket to a host.
     *
     * @param binary whether its messages are binary; else text
     */
    public FramedDialect(FramedProtocol protocol, String host, WsRequest request, boolean binary) {
        this(protocol, null, host, request, binary);
    }

    private FramedDialect(
            FramedProtocol protocol,
            @Nullable Framing framing,
            String host,
            @Nullable WsRequest request,
            boolean binary) {
        super(traits(protocol, framing == null), host, request);
        this.protocol = protocol;
        this.framing = framing;
        this.opcode = binary ? WsCursor.BINARY : WsCursor.TEXT;
        this.values = new FramedValues(protocol.id(), protocol.captures());
        rule(What.BEAT_ANSWER, protocol.heartbeat().expect(), null);
        Exchange message = protocol.message();
        if (message != null) {
            rule(What.ACCEPTED, message.expect(), null);
            rule(What.REFUSED, message.refused(), null);
        }
        rule(What.ECHO, protocol.echo(), null);
        Exchange push = protocol.push();
        if (push != null) {
            rule(What.PUSH, push.expect(), push.send());
        }
        protocol.questions().forEach(question -> rule(What.QUESTION, question.expect(), question.send()));
        rule(What.CLOSED, protocol.closed(), null);
        protocol.ignored().forEach(ignored -> rule(What.IGNORED, ignored, null));
    }

    private void rule(What what, @Nullable FrameTemplate expect, @Nullable FrameTemplate answer) {
        if (expect != null) {
            rules.add(new Rule(what, expect, answer));
        }
    }

    // ---- what it promises

    private static EnumSet<Trait> traits(FramedProtocol protocol, boolean nativePings) {
        EnumSet<Trait> traits = EnumSet.noneOf(Trait.class);
        Exchange beat = protocol.heartbeat();
        Exchange message = protocol.message();
        if (protocol.hello().stream().anyMatch(step -> step.expect() != null)) {
            traits.add(Trait.GREETS);
        }
        if (beat.expect() != null || (nativePings && beat.send() == null)) {
            traits.add(Trait.ANSWERS_BEATS);
        }
        if (beat.expect() != null && beat.expect().counts()) {
            traits.add(Trait.ANSWERS_EACH);
        }
        if (message != null) {
            traits.add(Trait.CARRIES_MESSAGES);
            if (message.expect() != null) {
                traits.add(Trait.ACKNOWLEDGES);
            }
        }
        return traits;
    }

    /** So many bytes a device's message can carry. */
    @Override
    int mostBytes(DeviceConnection connection) {
        FrameTemplate send =
                protocol.message() == null ? null : protocol.message().send();
        return send == null ? 0 : send.room(framing == null ? LARGEST : framing.room());
    }

    /** Codes of the protocol itself mean what nobody here knows. */
    @Override
    boolean staysAway(int code) {
        return overWebSocket() && super.staysAway(code);
    }

    @Override
    public String codeName(int code) {
        return overWebSocket() ? super.codeName(code) : Integer.toString(code);
    }

    @Override
    public String wireId(int index, DeviceDefaults defaults) {
        String id = protocol.id().of(index, defaults);
        return overWebSocket() && protocol.id().toString().equals("{id}") ? super.wireId(index, defaults) : id;
    }

    // ---- the greeting

    @Override
    void begun(DeviceConnection connection) {
        FramedState state = new FramedState(protocol.captures(), protocol.firstCounter());
        connection.state(state);
        proceed(connection, state);
    }

    /** Says what comes next, up to where an answer has to be waited for. */
    private void proceed(DeviceConnection connection, FramedState state) {
        List<Exchange> hello = protocol.hello();
        while (state.step < hello.size()) {
            send(connection, state, hello.get(state.step).send(), FramedState.OTHER);
            if (hello.get(state.step).expect() != null) {
                return;
            }
            state.step++;
        }
        if (state.intervalMillis > 0) {
            welcome(connection, state.intervalMillis);
        } else {
            welcome(connection);
        }
    }

    private boolean greeted(DeviceConnection connection, FramedState state, ByteBuf in) {
        Exchange step = protocol.hello().get(state.step);
        if (step.expect() != null && matches(step.expect(), in)) {
            if (values.counter < 0 || sameCounter(state)) {
                values.keep(in);
                state.step++;
                proceed(connection, state);
                return true;
            }
            values.complaint = "an answer to message " + values.counter + ": need one to " + (state.next() - 1);
        } else if (step.refused() != null && matches(step.refused(), in)) {
            connection.end(ConnectionEnd.NOT_ACCEPTED, values.code, values.code == 0 ? "refused" : "");
            connection.hangUp();
            return true;
        }
        return false;
    }

    private boolean sameCounter(FramedState state) {
        long last = state.next() - 1;
        return values.counter == (values.modulus == 0 ? last : Math.floorMod(last, values.modulus));
    }

    // ---- what comes in

    @Override
    void readStream(DeviceConnection connection, ByteBuf in) {
        Framing frames = Objects.requireNonNull(framing);
        while (connection.listening() && frames.next(in)) {
            int behind = in.readerIndex();
            on(connection, in, frames.at(), frames.length());
            in.readerIndex(behind);
        }
    }

    @Override
    void message(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (message.opcode() != opcode) {
            throw new WireException(
                    1003, opcode == WsCursor.TEXT ? "a binary message: need text" : "a text message: need binary");
        }
        on(connection, in, message.payloadAt(), message.payloadLength());
    }

    @Override
    void nativePong(DeviceConnection connection, WsCursor message, ByteBuf in) {
        if (protocol.heartbeat().send() == null && message.payloadLength() == Frames.BEAT_PAYLOAD) {
            connection.answered(in.getInt(message.payloadAt()));
        }
    }

    /** A message came; its bytes lie here. */
    private void on(DeviceConnection connection, ByteBuf in, int from, int bytes) {
        at = from;
        length = bytes;
        FramedState state = connection.state() instanceof FramedState known
                ? known
                : new FramedState(protocol.captures(), protocol.firstCounter());
        values.of(connection, state);
        values.complaint = "";
        if (!connection.isOpen() && !connection.quiet() && greeted(connection, state, in)) {
            return;
        }
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            boolean later = rule.what.compareTo(What.PUSH) < 0;
            if ((connection.isOpen() || !later) && matches(rule.expect, in) && acted(connection, state, rule, in)) {
                return;
            }
        }
        if (connection.isOpen() && misdelivered(connection, in)) {
            return;
        }
        // one that says nothing has nothing to expect but its end
        if (!protocol.ignoresUnknown() && (connection.isOpen() || !connection.quiet())) {
            throw new WireException(CloseCodes.MALFORMED, complaint(in));
        }
    }

    /** Whether it is a message of another device, as that one sent it or as it comes back. */
    private boolean misdelivered(DeviceConnection connection, ByteBuf in) {
        String complaint = values.complaint;
        FrameTemplate sent =
                protocol.message() == null ? null : protocol.message().send();
        values.ofAnyDevice = true;
        boolean found = isOfAnother(connection, protocol.echo(), in) || isOfAnother(connection, sent, in);
        values.ofAnyDevice = false;
        values.complaint = complaint;
        return found;
    }

    private boolean isOfAnother(DeviceConnection connection, @Nullable FrameTemplate template, ByteBuf in) {
        if (template == null || !matches(template, in) || values.payloadAt < 0) {
            return false;
        }
        ByteBuf content = values.content(in);
        return connection.messages().misdelivered(content, values.payloadAt, values.payloadUntil - values.payloadAt);
    }

    private boolean matches(FrameTemplate template, ByteBuf in) {
        return template.matches(in, at, length, values);
    }

    private String complaint(ByteBuf in) {
        if (!values.complaint.isEmpty()) {
            return values.complaint;
        }
        int shown = Math.min(MOST_SHOWN, length);
        return "a message that nobody expects: " + ByteBufUtil.hexDump(in, at, shown) + (length > shown ? "..." : "");
    }

    /** Does what the message asks for; false when it is not what it looked like. */
    private boolean acted(DeviceConnection connection, FramedState state, Rule rule, ByteBuf in) {
        return switch (rule.what) {
            case BEAT_ANSWER -> beatAnswered(connection, state, rule.expect);
            case ACCEPTED, REFUSED -> acknowledged(connection, state, rule);
            case ECHO -> echoed(connection, state, rule.expect, in);
            case PUSH -> {
                values.keep(in);
                int bytes = Math.max(0, values.payloadUntil - values.payloadAt);
                if (!connection.pushed(in, values.payloadAt, bytes) && values.payloadAt >= 0) {
                    connection
                            .messages()
                            .misdelivered(values.content(in), values.payloadAt, values.payloadUntil - values.payloadAt);
                }
                answer(connection, state, rule);
                yield true;
            }
            case QUESTION -> {
                values.keep(in);
                connection.probed();
                answer(connection, state, rule);
                yield true;
            }
            case CLOSED -> {
                connection.closed(values.code, "");
                yield true;
            }
            case IGNORED -> true;
        };
    }

    private void answer(DeviceConnection connection, FramedState state, Rule rule) {
        if (rule.answer != null && !connection.quiet()) {
            send(connection, state, rule.answer, FramedState.OTHER);
        }
    }

    @Override
    void answeredTooOften(DeviceConnection connection) {
        throw new WireException(CloseCodes.MALFORMED, "an answer to no heartbeat");
    }

    private boolean beatAnswered(DeviceConnection connection, FramedState state, FrameTemplate expect) {
        if (state.flooded) {
            return true;
        }
        if (!expect.counts()) {
            connection.answeredNext();
            return true;
        }
        long beat = named(state, 1, "an answer to heartbeat ");
        if (beat > 0) {
            connection.answered((int) beat);
        }
        return beat > 0;
    }

    /** Which of ours the message names: heartbeats above 0 in the state, messages below. 0 or less: it was none. */
    private long named(FramedState state, int sign, String what) {
        long number = sign * state.was(values.counter, values.modulus);
        if (number <= 0) {
            values.complaint = what + values.counter + ", which was none";
        }
        return number;
    }

    private boolean acknowledged(DeviceConnection connection, FramedState state, Rule rule) {
        if (!rule.expect.counts()) {
            connection.messages().acknowledged(DeviceConnection.UNNAMED, rule.what == What.ACCEPTED);
            return true;
        }
        long id = named(state, -1, "an acknowledgement of message ");
        if (id > 0) {
            connection.messages().acknowledged(id, rule.what == What.ACCEPTED);
        }
        return id > 0;
    }

    private boolean echoed(DeviceConnection connection, FramedState state, FrameTemplate expect, ByteBuf in) {
        ByteBuf content = values.payloadAt < 0 ? null : values.content(in);
        int from = values.payloadAt;
        int bytes = values.payloadUntil - from;
        if (content != null && connection.messages().misdelivered(content, from, bytes)) {
            return true;
        }
        long id = expect.counts() ? named(state, -1, "an echo of message ") : DeviceConnection.UNNAMED;
        if (id <= 0 && content != null && isOwn(connection, state, content, from, bytes)) {
            id = DeviceConnection.UNNAMED;
        }
        boolean ours = id > 0 || id == DeviceConnection.UNNAMED;
        if (ours) {
            connection.messages().received(id, false, content, from, bytes);
        }
        return ours;
    }

    private boolean isOwn(DeviceConnection connection, FramedState state, ByteBuf content, int from, int bytes) {
        return connection.messages().isOwn(content, from, bytes, state.isForgotten(values.counter, values.modulus));
    }

    // ---- what goes out

    @Override
    void beat(DeviceConnection connection, int sequence) {
        if (overWebSocket() && protocol.heartbeat().send() == null) {
            nativePing(connection, sequence);
        } else {
            send(connection, stateOf(connection), protocol.heartbeat().send(), sequence);
        }
    }

    @Override
    void data(DeviceConnection connection, long id, int bytes) {
        Exchange message = protocol.message();
        if (message == null) {
            return;
        }
        if (payload.length != bytes) {
            payload = new byte[bytes];
        }
        connection.content(Unpooled.wrappedBuffer(payload).clear(), id, bytes);
        values.carrying(payload);
        send(connection, stateOf(connection), message.send(), -id);
    }

    private static FramedState stateOf(DeviceConnection connection) {
        if (connection.state() instanceof FramedState state) {
            return state;
        }
        throw new IllegalStateException("device " + connection.index() + " has not greeted yet");
    }

    private void send(DeviceConnection connection, FramedState state, @Nullable FrameTemplate template, long what) {
        if (template == null) {
            return;
        }
        values.of(connection, state);
        if (framing == null) {
            sendMessage(connection, template);
        } else {
            ByteBuf out = connection.buffer(ROOM);
            write(framing, template, out);
            connection.send(out);
        }
        state.sent(what, connection.isOpen(), connection.messages().oldest(), connection.oldestBeat());
    }

    private void sendMessage(DeviceConnection connection, FrameTemplate template) {
        template.write(plain.clear(), values);
        end(connection, begin(connection, opcode, plain.readableBytes()).writeBytes(plain));
    }

    /** Appends a message; answers where it begins. */
    private int write(Framing frames, FrameTemplate template, ByteBuf out) {
        frames.begin(out);
        int from = out.writerIndex();
        template.write(out, values);
        frames.end(out, from);
        return from;
    }

    /** Heartbeats; nobody waits for their answers. */
    @Override
    void question(DeviceConnection connection, ByteBuf out) {
        FrameTemplate beat = protocol.heartbeat().send();
        if (framing == null) {
            super.question(connection, out);
        } else if (beat != null) {
            FramedState state = stateOf(connection);
            state.flooded = true;
            values.of(connection, state);
            write(framing, beat, out);
        }
    }

    @Override
    void beginUnfinished(DeviceConnection connection, int bytes) {
        if (framing == null) {
            super.beginUnfinished(connection, bytes);
            return;
        }
        values.of(connection, stateOf(connection)).carrying(new byte[0]);
        FrameTemplate begun = (protocol.message() == null ? protocol.heartbeat() : protocol.message()).send();
        ByteBuf out = connection.buffer(ROOM);
        if (begun != null) {
            framing.cutShort(out, write(framing, begun, out));
        }
        connection.sendUnnoted(out);
    }

    @Override
    void drip(DeviceConnection connection) {
        if (framing == null) {
            super.drip(connection);
            return;
        }
        FramedState state = stateOf(connection);
        if (state.followed < framing.mayFollow()) {
            state.followed++;
            super.drip(connection);
        }
    }

    @Override
    void leave(DeviceConnection connection) {
        FrameTemplate leave = protocol.leave();
        if (leave == null) {
            super.leave(connection);
            return;
        }
        values.of(connection, stateOf(connection));
        if (framing == null) {
            sendMessage(connection, leave);
            super.leave(connection);
        } else {
            ByteBuf out = connection.buffer(ROOM);
            write(framing, leave, out);
            connection.sendLast(out);
        }
    }
}
