package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.client.FramedProtocol.Exchange;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Conversation in a protocol that a scenario describes, whatever carries its messages: what comes in is compared with the
 * templates of all that the server may say, in the order of the table; what fits none of them is a breach.
 *
 * <pre>
 *   greeting:  hello[step].expect, refused                        |
 *   open:      heartbeat.expect, message.expect, refused, echo    |  then push, questions, closed, ignored
 * </pre>
 *
 * <p>Owner: one event loop. A heartbeat costs its bytes and no object.
 */
final class FramedConversation {

    private static final int MOST_SHOWN = 24;

    private final FramedProtocol protocol;
    private final Dialect dialect;
    private final Carrier carrier;
    private final FramedValues values;
    private final List<Rule> rules = new ArrayList<>();
    private byte[] payload = new byte[0];
    private int at;
    private int length;

    /** What a message of the server is. */
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

    /** Takes a message to the server. */
    interface Carrier {

        /** Sends it. */
        void send(DeviceConnection connection, FrameTemplate template, FramedValues values);
    }

    /** Speaks a described protocol for a dialect. */
    FramedConversation(FramedProtocol protocol, Dialect dialect, Carrier carrier) {
        this.protocol = protocol;
        this.dialect = dialect;
        this.carrier = carrier;
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

    /** Properties of a described protocol. */
    static EnumSet<Dialect.Trait> traits(FramedProtocol protocol) {
        EnumSet<Dialect.Trait> traits = EnumSet.noneOf(Dialect.Trait.class);
        FrameTemplate beatAnswer = protocol.heartbeat().expect();
        Exchange message = protocol.message();
        if (protocol.hello().stream().anyMatch(step -> step.expect() != null)) {
            traits.add(Dialect.Trait.GREETS);
        }
        if (beatAnswer != null) {
            traits.add(Dialect.Trait.ANSWERS_BEATS);
            if (beatAnswer.counts()) {
                traits.add(Dialect.Trait.ANSWERS_EACH);
            }
        }
        if (message != null) {
            traits.add(Dialect.Trait.CARRIES_MESSAGES);
            if (message.expect() != null) {
                traits.add(Dialect.Trait.ACKNOWLEDGES);
            }
        }
        return traits;
    }

    /** So many bytes a device's message can carry where the whole has so many. */
    int room(int bytes) {
        FrameTemplate send =
                protocol.message() == null ? null : protocol.message().send();
        return send == null ? 0 : send.room(bytes);
    }

    /** Whether a heartbeat is a message of the protocol. */
    boolean beats() {
        return protocol.heartbeat().send() != null;
    }

    // ---- the greeting

    void greet(DeviceConnection connection) {
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
            dialect.welcome(connection, state.intervalMillis);
        } else {
            dialect.welcome(connection);
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

    /** A message came; its bytes lie here. */
    void on(DeviceConnection connection, ByteBuf in, int from, int bytes) {
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
        // one that says nothing has nothing to expect but its end
        if (!protocol.ignoresUnknown() && (connection.isOpen() || !connection.quiet())) {
            throw new WireException(CloseCodes.MALFORMED, complaint(in));
        }
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
        switch (rule.what) {
            case BEAT_ANSWER -> {
                return beatAnswered(connection, state, rule.expect);
            }
            case ACCEPTED, REFUSED -> {
                return acknowledged(connection, state, rule);
            }
            case ECHO -> {
                return echoed(connection, state, rule.expect, in);
            }
            case PUSH -> {
                values.keep(in);
                connection.pushed(in, values.payloadAt, Math.max(0, values.payloadUntil - values.payloadAt));
                answer(connection, state, rule);
            }
            case QUESTION -> {
                values.keep(in);
                connection.probed();
                answer(connection, state, rule);
            }
            case CLOSED -> connection.closed(values.code, "");
            default -> {
                // nobody looks at it
            }
        }
        return true;
    }

    private void answer(DeviceConnection connection, FramedState state, Rule rule) {
        if (rule.answer != null && !connection.quiet()) {
            send(connection, state, rule.answer, FramedState.OTHER);
        }
    }

    private boolean beatAnswered(DeviceConnection connection, FramedState state, FrameTemplate expect) {
        if (state.flooded) {
            return true;
        }
        if (!expect.counts()) {
            connection.answeredNext();
            return true;
        }
        long answered = state.was(values.counter, values.modulus);
        if (answered <= 0) {
            values.complaint = "an answer to heartbeat " + values.counter + ", which was none";
            return false;
        }
        connection.answered((int) answered);
        return true;
    }

    private boolean acknowledged(DeviceConnection connection, FramedState state, Rule rule) {
        if (!rule.expect.counts()) {
            connection.acknowledgedNext(rule.what == What.ACCEPTED);
            return true;
        }
        long answered = state.was(values.counter, values.modulus);
        if (answered >= 0) {
            values.complaint = "an acknowledgement of message " + values.counter + ", which was none";
            return false;
        }
        connection.acknowledged(-answered, rule.what == What.ACCEPTED);
        return true;
    }

    private boolean echoed(DeviceConnection connection, FramedState state, FrameTemplate expect, ByteBuf in) {
        boolean carries = values.payloadAt >= 0;
        ByteBuf content = carries ? values.content(in) : in;
        boolean inPlace = !(carries && values.payloadHex);
        int from = inPlace ? values.payloadAt : 0;
        int bytes = inPlace ? values.payloadUntil - values.payloadAt : content.readableBytes();
        if (!expect.counts()) {
            if (carries) {
                connection.receivedUnnamed(false, content, from, bytes);
            } else {
                connection.receivedNext();
            }
            return true;
        }
        long sent = state.was(values.counter, values.modulus);
        if (sent >= 0) {
            values.complaint = "message " + values.counter + " came back, which was none";
            return false;
        }
        if (carries) {
            connection.received(-sent, false, content, from, bytes);
        } else {
            connection.received(-sent);
        }
        return true;
    }

    // ---- what goes out

    void beat(DeviceConnection connection, int sequence) {
        send(connection, stateOf(connection), protocol.heartbeat().send(), sequence);
    }

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

    static FramedState stateOf(DeviceConnection connection) {
        if (connection.state() instanceof FramedState state) {
            return state;
        }
        throw new IllegalStateException("device " + connection.index() + " has not greeted yet");
    }

    private void send(DeviceConnection connection, FramedState state, @Nullable FrameTemplate template, long what) {
        if (template == null) {
            return;
        }
        carrier.send(connection, template, values.of(connection, state));
        state.sent(what, connection.isOpen());
    }

    /** A heartbeat of a device that floods: nobody waits for its answer. Null: it has none. */
    @Nullable
    FrameTemplate flooding(DeviceConnection connection) {
        FramedState state = stateOf(connection);
        state.flooded = true;
        values.of(connection, state);
        return protocol.heartbeat().send();
    }

    /** What is begun and never finished. */
    @Nullable
    FrameTemplate unfinished(DeviceConnection connection) {
        Exchange message = protocol.message();
        values.of(connection, stateOf(connection)).carrying(new byte[0]);
        return message == null ? protocol.heartbeat().send() : message.send();
    }

    /** What it says that leaves; null: nothing. */
    @Nullable
    FrameTemplate leaving(DeviceConnection connection) {
        FrameTemplate leave = protocol.leave();
        if (leave != null) {
            values.of(connection, stateOf(connection));
        }
        return leave;
    }

    FramedValues values() {
        return values;
    }
}
