package io.heartwheel.loadgen.client;

import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Framing;
import io.heartwheel.loadgen.wire.WireException;
import io.netty.buffer.ByteBuf;

/** A protocol that a scenario describes, over TCP. Owner: one event loop. A heartbeat costs its bytes and no object. */
public final class FramedDialect extends Dialect {

    private static final int ROOM = 64;

    private final FramedTalk talk;
    private final Framing framing;

    /** Speaks a described protocol whose messages this tells apart. */
    public FramedDialect(FramedProtocol protocol, Framing framing) {
        this.framing = framing;
        this.talk = new FramedTalk(protocol, this, this::send);
    }

    @Override
    boolean greets() {
        return talk.greets();
    }

    @Override
    public boolean answersBeats() {
        return talk.answersBeats();
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
    boolean staysAway(int code) {
        return false;
    }

    @Override
    public String codeName(int code) {
        return Integer.toString(code);
    }

    @Override
    void greet(DeviceConnection line) {
        talk.greet(line);
    }

    @Override
    void read(DeviceConnection line, ByteBuf in) {
        while (line.listening() && framing.next(in)) {
            int behind = in.readerIndex();
            talk.on(line, in, framing.at(), framing.length());
            in.readerIndex(behind);
        }
    }

    @Override
    void beat(DeviceConnection line, int sequence) {
        talk.beat(line, sequence);
    }

    @Override
    int mostBytes(DeviceConnection line) {
        return talk.room(framing.room());
    }

    @Override
    void data(DeviceConnection line, long id, int bytes) {
        talk.data(line, id, bytes);
    }

    private void send(DeviceConnection line, FrameTemplate template, FramedValues values) {
        ByteBuf out = line.buffer(ROOM);
        write(template, values, out);
        line.send(out);
    }

    private void write(FrameTemplate template, FramedValues values, ByteBuf out) {
        framing.begin(out);
        int from = out.writerIndex();
        template.write(out, values);
        framing.end(out, from);
    }

    @Override
    void flood(DeviceConnection line) {
        FrameTemplate beat = talk.flooding(line);
        ByteBuf out = line.buffer(FLOOD * ROOM);
        for (int i = 0; beat != null && i < FLOOD; i++) {
            write(beat, talk.values(), out);
        }
        line.sendUnnoted(out);
    }

    @Override
    void beginDrip(DeviceConnection line, int bytes) {
        FrameTemplate begun = talk.dripping(line);
        ByteBuf out = line.buffer(ROOM);
        if (begun != null) {
            framing.begin(out);
            int from = out.writerIndex();
            begun.write(out, talk.values());
            framing.end(out, from);
            framing.cutShort(out, from);
        }
        line.sendUnnoted(out);
    }

    @Override
    void drip(DeviceConnection line) {
        FramedState state = FramedTalk.stateOf(line);
        if (state.dripped < framing.mayDrip()) {
            state.dripped++;
            super.drip(line);
        }
    }

    @Override
    void leave(DeviceConnection line) {
        FrameTemplate leave = talk.leaving(line);
        if (leave == null) {
            line.hangUp();
            return;
        }
        ByteBuf out = line.buffer(ROOM);
        write(leave, talk.values(), out);
        line.sendLast(out);
    }
}
