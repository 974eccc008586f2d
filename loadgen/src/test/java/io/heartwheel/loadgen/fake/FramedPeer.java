package io.heartwheel.loadgen.fake;

import io.heartwheel.loadgen.fake.FramedWire.Kind;
import io.heartwheel.loadgen.fake.FramedWire.Said;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.nio.ByteBuffer;
import java.util.Map;

/** One connection of a {@link FramedServer}. On its event loop. */
final class FramedPeer extends ChannelInboundHandlerAdapter {

    private static final int NEVER = -1;
    /** The heartbeat or message of a connection that faults happen to. */
    private static final int UNLUCKY = 3;

    private final FramedWire wire;
    private final FramedFault fault;
    private final Map<String, FramedPeer> byId;
    private final long silenceMillis;
    private final Deadline greeting = new Deadline();
    private final Deadline silence = new Deadline();
    private final Deadline progress = new Deadline();
    private ChannelHandlerContext context;
    private ByteBuffer pending = ByteBuffer.allocate(0);
    private String id = "";
    private boolean welcomed;
    private boolean over;
    private int beats;
    private int messages;
    private Said held;

    FramedPeer(FramedWire wire, FramedFault fault, Map<String, FramedPeer> byId, long silenceMillis) {
        this.wire = wire;
        this.fault = fault;
        this.byId = byId;
        this.silenceMillis = silenceMillis;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        greeting.set(ctx.executor(), FramedServer.HANDSHAKE_MILLIS, this::end);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        ByteBuffer joined = ByteBuffer.allocate(pending.remaining() + in.readableBytes());
        joined.put(pending);
        int more = in.readableBytes();
        in.readBytes(joined.array(), joined.position(), more);
        in.release();
        joined.position(0);
        pending = joined;
        try {
            for (Said said = wire.next(pending); said != null && !over; said = wire.next(pending)) {
                progress.clear();
                on(said);
            }
        } catch (RuntimeException e) {
            end();
        }
        if (!over) {
            unfinished();
        }
    }

    private void on(Said said) {
        switch (said.kind()) {
            case REGISTER -> send(wire.answer(Kind.REGISTER, said.id(), said.counter(), true));
            case HELLO -> hello(said);
            case BEAT -> beat(said);
            case DATA -> data(said);
            case BYE -> end();
        }
        if (welcomed && !over) {
            arm();
        }
    }

    // ---- who is it

    private void hello(Said said) {
        greeting.clear();
        id = said.id();
        if (fault == FramedFault.REFUSES) {
            send(wire.answer(Kind.HELLO, id, said.counter(), false));
            end();
        } else {
            welcome(said);
        }
    }

    private void welcome(Said said) {
        FramedPeer older = byId.put(id, this);
        welcomed = true;
        send(wire.answer(Kind.HELLO, id, said.counter(), true));
        if (older != null && fault == FramedFault.CLOSES_THE_SUCCESSOR) {
            byId.put(id, older);
            end();
        } else if (older != null && fault == FramedFault.KEEPS_THE_PREDECESSOR) {
            older.silence.clear();
        } else if (older != null) {
            older.end();
        }
        arm();
    }

    // ---- what it says

    private void beat(Said said) {
        byte[] answer = wire.answer(Kind.BEAT, id, said.counter(), true);
        if (++beats != UNLUCKY) {
            send(answer);
            return;
        }
        switch (fault) {
            case SWALLOWS_A_BEAT -> {
                // that is it
            }
            case ANSWERS_A_BEAT_TWICE -> {
                send(answer);
                send(answer);
            }
            case ANSWERS_A_BEAT_THAT_WAS_NONE -> send(wire.answer(Kind.BEAT, id, said.counter() + 40, true));
            case WRONG_ANSWER -> send(wire.answer(Kind.BEAT, id, said.counter(), false));
            case BROKEN_FRAME -> send(wire.broken(id));
            case ANOTHERS_ANSWER -> {
                char last = id.charAt(id.length() - 1);
                String other = id.substring(0, id.length() - 1) + (last == '9' ? '0' : (char) (last + 1));
                send(wire.answer(Kind.BEAT, other, said.counter(), true));
            }
            case FLOODS -> send(new byte[200_000]);
            default -> send(answer);
        }
    }

    private void data(Said said) {
        boolean unlucky = ++messages == UNLUCKY;
        if (!(unlucky && fault == FramedFault.LOSES_AN_ECHO)) {
            send(wire.echo(said));
        }
        if (unlucky && fault == FramedFault.DOUBLES_AN_ECHO) {
            send(wire.echo(said));
        }
        if (unlucky && fault == FramedFault.DISORDERS_ACKS) {
            held = said;
            return;
        }
        if (unlucky && fault == FramedFault.LOSES_AN_ACK) {
            return;
        }
        boolean refused = unlucky && fault == FramedFault.REFUSES_A_MESSAGE;
        long counter = said.counter() + (unlucky && fault == FramedFault.ACKS_ANOTHER ? 40 : 0);
        send(wire.answer(Kind.DATA, id, counter, !refused));
        if (unlucky && fault == FramedFault.DOUBLES_AN_ACK) {
            send(wire.answer(Kind.DATA, id, said.counter(), true));
        }
        if (held != null) {
            send(wire.answer(Kind.DATA, id, held.counter(), true));
            held = null;
        }
    }

    // ---- deadlines

    private void arm() {
        long millis = fault == FramedFault.NEVER_KILLS ? NEVER : silenceMillis;
        silence.set(context.executor(), millis, fault == FramedFault.RST_FOR_FIN ? this::reset : this::end);
    }

    /** A message that was begun must come to its end. */
    private void unfinished() {
        if (welcomed && pending.hasRemaining() && !progress.isSet()) {
            silence.clear();
            progress.set(context.executor(), FramedServer.PROGRESS_MILLIS, this::end);
        } else if (pending.hasRemaining()) {
            silence.clear();
        }
    }

    // ---- the end

    private void reset() {
        context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
        end();
    }

    private void end() {
        over = true;
        byId.remove(id, this);
        greeting.clear();
        silence.clear();
        progress.clear();
        context.close();
    }

    private void send(byte[] bytes) {
        context.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
