package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frames;
import io.heartwheel.loadgen.wire.WireException;
import io.heartwheel.loadgen.wire.WsCursor;
import io.heartwheel.loadgen.wire.WsWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A protocol that a scenario describes, in messages of a plain WebSocket. A heartbeat that is not described is a native ping.
 * Owner: one event loop.
 */
public final class WsTalkDialect extends WsDialect {

    private static final int NORMAL = 1000;

    private final FramedTalk talk;
    private final int opcode;
    /** A frame tells its length before it. */
    private final ByteBuf plain = Unpooled.buffer(256);

    /**
     * Speaks to a host.
     *
     * @param binary whether its messages are binary; else text
     */
    public WsTalkDialect(String host, WsRequest request, FramedProtocol protocol, boolean binary) {
        super(host, request);
        this.talk = new FramedTalk(protocol, this, this::send);
        this.opcode = binary ? WsCursor.BINARY : WsCursor.TEXT;
    }

    @Override
    boolean greets() {
        return talk.greets();
    }

    @Override
    public boolean answersBeats() {
        return !talk.beats() || talk.answersBeats();
    }

    @Override
    boolean answersEach() {
        return talk.answersEach();
    }

    @Override
    void answeredTooOften(DeviceConnection line) {
        throw new WireException(CloseCodes.MALFORMED, "an answer to no heartbeat");
    }

    @Override
    public boolean carriesMessages() {
        return talk.carriesMessages();
    }

    @Override
    boolean acknowledges() {
        return talk.acknowledges();
    }

    @Override
    void upgraded(DeviceConnection line) {
        talk.greet(line);
    }

    @Override
    void message(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (message.opcode() != opcode) {
            throw new WireException(
                    1003, opcode == WsCursor.TEXT ? "a binary message: need text" : "a text message: need binary");
        }
        talk.on(line, in, message.payloadAt(), message.payloadLength());
    }

    @Override
    void nativePong(DeviceConnection line, WsCursor message, ByteBuf in) {
        if (!talk.beats() && message.payloadLength() == Frames.BEAT_PAYLOAD) {
            line.answered(in.getInt(message.payloadAt()));
        }
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        if (talk.beats()) {
            talk.beat(line, sequence);
            return;
        }
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + Frames.BEAT_PAYLOAD);
        begin(line, out, WsCursor.PING, Frames.BEAT_PAYLOAD);
        out.writeInt(sequence);
        end(line, out);
    }

    @Override
    int mostBytes(DeviceConnection line) {
        return talk.room(LARGEST);
    }

    @Override
    void data(DeviceConnection line, long id, int bytes) {
        talk.data(line, id, bytes);
    }

    private void send(DeviceConnection line, FrameTemplate template, FramedValues values) {
        template.write(plain.clear(), values);
        int bytes = plain.readableBytes();
        ByteBuf out = line.buffer(WsWriter.LONGEST_HEADER + bytes);
        begin(line, out, opcode, bytes);
        out.writeBytes(plain);
        end(line, out);
    }

    @Override
    void leave(DeviceConnection line) {
        FrameTemplate leave = talk.leaving(line);
        if (leave != null) {
            send(line, leave, talk.values());
        }
        closeFrame(line, NORMAL);
    }
}
