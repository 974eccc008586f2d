package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** One connection of a {@link FakeGateway}; a timer for each, re-armed by each frame. */
final class FakePeer extends SimpleChannelInboundHandler<Object> {

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int PING = 3;
    private static final int PONG = 4;
    private static final int CLOSE = 8;

    private final Fault fault;
    private final int number;
    private final boolean webSocket;
    private long intervalMillis;
    private ScheduledFuture<?> deadline;

    FakePeer(Fault fault, int number, boolean webSocket) {
        this.fault = fault;
        this.number = number;
        this.webSocket = webSocket;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf frame) {
            frame(ctx, frame);
        } else if (message instanceof BinaryWebSocketFrame binary) {
            frame(ctx, binary.content());
        }
    }

    private void frame(ChannelHandlerContext ctx, ByteBuf frame) {
        int type = frame.readUnsignedByte();
        frame.skipBytes(3);
        if (type == HELLO) {
            hello(ctx, frame);
        } else if (type == PING && fault != Fault.MUTE) {
            ByteBuf echo = frame.copy();
            if (fault == Fault.WRONG_ECHO) {
                echo.setByte(0, ~echo.getByte(0));
            }
            send(ctx, PONG, echo);
        } else if (type == CLOSE) {
            ctx.close();
            return;
        }
        arm(ctx);
    }

    private void hello(ChannelHandlerContext ctx, ByteBuf payload) {
        if (fault == Fault.REFUSES && number % 10 == 0) {
            farewell(ctx, 4201);
            return;
        }
        intervalMillis = payload.skipBytes(4).readUnsignedInt();
        ByteBuf welcome = Unpooled.buffer(28);
        welcome.writeByte(1).writeByte(0).writeInt((int) intervalMillis).writeShort(150);
        welcome.writeLong(number).writeLong(number + 1).writeInt(65_536);
        send(ctx, WELCOME, welcome);
        if (fault == Fault.KILLS_THE_LIVING && number % 10 == 0) {
            ctx.executor().schedule(() -> farewell(ctx, 4001), 3 * intervalMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void arm(ChannelHandlerContext ctx) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        if (fault == Fault.NEVER_KILLS || intervalMillis == 0) {
            return;
        }
        long millis = intervalMillis * 3 / 2;
        if (fault == Fault.KILLS_EARLY) {
            millis = intervalMillis * 6 / 5;
        } else if (fault == Fault.KILLS_LATE) {
            millis += 500;
        }
        int code = fault == Fault.WRONG_CODE ? 4002 : 4001;
        deadline = ctx.executor().schedule(() -> farewell(ctx, code), millis, TimeUnit.MILLISECONDS);
    }

    private void farewell(ChannelHandlerContext ctx, int code) {
        if (fault == Fault.NO_CODE) {
            ctx.close();
            return;
        }
        ChannelFuture written = webSocket
                ? ctx.writeAndFlush(new CloseWebSocketFrame(code, "farewell"))
                : send(ctx, CLOSE, Unpooled.buffer(2).writeShort(code));
        if (fault != Fault.LEAVES_OPEN) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private ChannelFuture send(ChannelHandlerContext ctx, int type, ByteBuf payload) {
        ByteBuf frame = FakeGateway.frame(type, payload);
        return ctx.writeAndFlush(webSocket ? new BinaryWebSocketFrame(frame) : frame);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
