package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.client.FramedProtocol.Exchange;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Framing;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A protocol that a scenario describes: what comes in is held against the templates of all that the server may say, in the
 * order of the table; what fits none of them is a breach.
 *
 * <pre>
 *   greeting:  hello[step].expect, refused                        |
 *   open:      heartbeat.expect, message.expect, refused, echo    |  then push, questions, closed, ignored
 * </pre>
 *
 * <p>Owner: one event loop. A heartbeat costs its bytes and no object.
 */
public final class FramedDialect extends Dialect {

    private static final int ROOM = 64;
    private static final int MOST_SHOWN = 24;
    private static final int MOST_PAYLOAD = 65_536;

    private final FramedProtocol protocol;
    private final Framing framing;
    private final FramedValues values;
    private final List<Rule> rules = new ArrayList<>();
    private byte[] payload = new byte[0];

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

    /** Speaks a described protocol. */
    public FramedDialect(FramedProtocol protocol) {
        this.protocol = protocol;
        this.framing = protocol.framing().get();
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

    @Override
    boolean greets() {
        return protocol.hello().stream().anyMatch(step -> step.expect() != null);
    }

    @Override
    public boolean answersBeats() {
        return protocol.heartbeat().expect() != null;
    }

    @Override
    boolean answersEach() {
        return answersBeats();
    }

    @Override
    public boolean carriesMessages() {
        return protocol.message() != null;
    }

    @Override
    boolean acknowledges() {
        Exchange message = protocol.message();
        return message != null && message.expect() != null;
    }

    @Override
    boolean staysAway(int code) {
        return false;
    }

    @Override
    public String codeName(int code) {
        return Integer.toString(code);
    }

    // ---- the greeting

    @Override
    void greet(Line line) {
        FramedState state = new FramedState(protocol.captures(), protocol.firstCounter());
        line.state(state);
        proceed(line, state);
    }

    /** Says what comes next, up to where an answer has to be waited for. */
    private void proceed(Line line, FramedState state) {
        List<Exchange> hello = protocol.hello();
        while (state.step < hello.size()) {
            send(line, state, hello.get(state.step).send(), FramedState.OTHER);
            if (hello.get(state.step).expect() != null) {
                return;
            }
            state.step++;
        }
        if (state.intervalMillis > 0) {
            welcome(line, state.intervalMillis);
        } else {
            welcome(line);
        }
    }

    private boolean greeted(Line line, FramedState state, ByteBuf in) {
        Exchange step = protocol.hello().get(state.step);
        if (step.expect() != null && matches(step.expect(), in)) {
            if (values.counter < 0 || sameCounter(state)) {
                values.keep(in);
                state.step++;
                proceed(line, state);
                return true;
            }
            values.complaint = "an answer to message " + values.counter + ": need one to " + (state.next() - 1);
        } else if (step.refused() != null && matches(step.refused(), in)) {
            line.end(Ending.NOT_ACCEPTED, values.code, values.code == 0 ? "refused" : "");
            line.hangUp();
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
    void read(Line line, ByteBuf in) {
        while (line.listening() && framing.next(in)) {
            int behind = in.readerIndex();
            on(line, in);
            in.readerIndex(behind);
        }
    }

    private void on(Line line, ByteBuf in) {
        FramedState state = line.state() instanceof FramedState known
                ? known
                : new FramedState(protocol.captures(), protocol.firstCounter());
        values.of(line, state);
        values.complaint = "";
        if (!line.isOpen() && !line.quiet() && greeted(line, state, in)) {
            return;
        }
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            boolean later = rule.what.compareTo(What.PUSH) < 0;
            if ((line.isOpen() || !later) && matches(rule.expect, in) && acted(line, state, rule, in)) {
                return;
            }
        }
        // one that says nothing has nothing to expect but its end
        if (!protocol.ignoresUnknown() && (line.isOpen() || !line.quiet())) {
            throw new WireException(CloseCodes.MALFORMED, complaint(in));
        }
    }

    private boolean matches(FrameTemplate template, ByteBuf in) {
        return template.matches(in, framing.at(), framing.length(), values);
    }

    private String complaint(ByteBuf in) {
        if (!values.complaint.isEmpty()) {
            return values.complaint;
        }
        int shown = Math.min(MOST_SHOWN, framing.length());
        return "a message that nobody expects: " + ByteBufUtil.hexDump(in, framing.at(), shown)
                + (framing.length() > shown ? "..." : "");
    }

    /** Does what the message asks for; false when it is not what it looked like. */
    private boolean acted(Line line, FramedState state, Rule rule, ByteBuf in) {
        switch (rule.what) {
            case BEAT_ANSWER -> {
                return beatAnswered(line, state, rule.expect);
            }
            case ACCEPTED, REFUSED -> {
                return acknowledged(line, state, rule);
            }
            case ECHO -> {
                return echoed(line, state, rule.expect, in);
            }
            case PUSH -> {
                values.keep(in);
                line.pushed(in, values.payloadAt, Math.max(0, values.payloadUntil - values.payloadAt));
                answer(line, state, rule);
            }
            case QUESTION -> {
                values.keep(in);
                line.probed();
                answer(line, state, rule);
            }
            case CLOSED -> line.closed(values.code, "");
            default -> {
                // nobody looks at it
            }
        }
        return true;
    }

    private void answer(Line line, FramedState state, Rule rule) {
        if (rule.answer != null && !line.quiet()) {
            send(line, state, rule.answer, FramedState.OTHER);
        }
    }

    private boolean beatAnswered(Line line, FramedState state, FrameTemplate expect) {
        if (state.flooded) {
            return true;
        }
        if (!expect.counts()) {
            line.answeredNext();
            return true;
        }
        long answered = state.was(values.counter, values.modulus);
        if (answered <= 0) {
            values.complaint = "an answer to heartbeat " + values.counter + ", which was none";
            return false;
        }
        line.answered((int) answered);
        return true;
    }

    private boolean acknowledged(Line line, FramedState state, Rule rule) {
        if (!rule.expect.counts()) {
            line.acknowledgedNext(rule.what == What.ACCEPTED);
            return true;
        }
        long answered = state.was(values.counter, values.modulus);
        if (answered >= 0) {
            values.complaint = "an acknowledgement of message " + values.counter + ", which was none";
            return false;
        }
        line.acknowledged(-answered, rule.what == What.ACCEPTED);
        return true;
    }

    private boolean echoed(Line line, FramedState state, FrameTemplate expect, ByteBuf in) {
        int length = values.payloadUntil - values.payloadAt;
        if (!expect.counts()) {
            if (values.payloadAt < 0 || values.payloadHex) {
                line.receivedNext();
            } else {
                line.receivedUnnamed(false, in, values.payloadAt, length);
            }
            return true;
        }
        long sent = state.was(values.counter, values.modulus);
        if (sent >= 0) {
            values.complaint = "message " + values.counter + " came back, which was none";
            return false;
        }
        if (values.payloadAt < 0 || values.payloadHex) {
            line.received(-sent);
        } else {
            line.received(-sent, false, in, values.payloadAt, length);
        }
        return true;
    }

    // ---- what goes out

    @Override
    void beat(Line line, int sequence) {
        send(line, stateOf(line), protocol.heartbeat().send(), sequence);
    }

    @Override
    int mostBytes(Line line) {
        return MOST_PAYLOAD;
    }

    @Override
    void data(Line line, long id, int bytes) {
        Exchange message = protocol.message();
        if (message == null) {
            return;
        }
        if (payload.length != bytes) {
            payload = new byte[bytes];
        }
        line.content(Unpooled.wrappedBuffer(payload).clear(), id, bytes);
        values.carrying(payload);
        send(line, stateOf(line), message.send(), -id);
    }

    private static FramedState stateOf(Line line) {
        if (line.state() instanceof FramedState state) {
            return state;
        }
        throw new IllegalStateException("device " + line.index() + " has not greeted yet");
    }

    private void send(Line line, FramedState state, @Nullable FrameTemplate template, long what) {
        if (template == null) {
            return;
        }
        ByteBuf out = line.buffer(ROOM);
        write(line, state, template, out);
        state.sent(what, line.isOpen());
        line.send(out);
    }

    private void write(Line line, FramedState state, FrameTemplate template, ByteBuf out) {
        values.of(line, state);
        framing.begin(out);
        int from = out.writerIndex();
        template.write(out, values);
        framing.end(out, from);
    }

    @Override
    void flood(Line line) {
        FrameTemplate beat = protocol.heartbeat().send();
        FramedState state = stateOf(line);
        state.flooded = true;
        ByteBuf out = line.buffer(FLOOD * ROOM);
        for (int i = 0; beat != null && i < FLOOD; i++) {
            write(line, state, beat, out);
        }
        line.sendUnnoted(out);
    }

    @Override
    void beginDrip(Line line, int bytes) {
        Exchange message = protocol.message();
        FrameTemplate begun = message == null ? protocol.heartbeat().send() : message.send();
        ByteBuf out = line.buffer(ROOM);
        if (begun != null) {
            values.of(line, stateOf(line)).carrying(new byte[0]);
            framing.begin(out);
            int from = out.writerIndex();
            begun.write(out, values);
            framing.end(out, from);
            framing.cutShort(out, from);
        }
        line.sendUnnoted(out);
    }

    @Override
    void drip(Line line) {
        FramedState state = stateOf(line);
        if (state.dripped < framing.mayDrip()) {
            state.dripped++;
            super.drip(line);
        }
    }

    @Override
    void leave(Line line) {
        FrameTemplate leave = protocol.leave();
        if (leave == null) {
            line.hangUp();
            return;
        }
        ByteBuf out = line.buffer(ROOM);
        write(line, stateOf(line), leave, out);
        line.sendLast(out);
    }
}
