package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One connection of a {@link FakeGateway}. On its event loop. */
final class FakePeer extends SimpleChannelInboundHandler<Object> {

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int PING = 3;
    private static final int PONG = 4;
    private static final int DATA = 5;
    private static final int ACK = 6;
    private static final int GOAWAY = 7;
    private static final int CLOSE = 8;
    private static final int AUTH = 9;

    private static final long PUSHED_ID = 1L << 40;
    private static final int NEVER = -1;
    /** So many are welcomed before it stops. */
    private static final int MOST_WELCOMED = 100;

    private final FakeGateway gateway;
    private final Fault fault;
    private final int number;
    private final boolean webSocket;
    private final Map<Long, CompletableFuture<Boolean>> asked = new HashMap<>();
    private final Deadline greeting = new Deadline();
    private final Deadline heartbeat = new Deadline();
    private final Deadline progress = new Deadline();
    private final Deadline stall = new Deadline();
    private ChannelHandlerContext context;
    private String id = "";
    private long intervalMillis;
    private boolean over;
    /** Whether nothing it does not say will end it. */
    private boolean forgiving;

    private long begunNanos;
    private int begunBytes;
    private int pings;
    private final List<ByteBuf> late = new ArrayList<>();
    private final MessageFaults messages;
    private FakeAuth auth;

    FakePeer(FakeGateway gateway, Fault fault, int number, boolean webSocket) {
        this.gateway = gateway;
        this.fault = fault;
        this.messages = new MessageFaults(fault);
        this.number = number;
        this.webSocket = webSocket;
        this.forgiving = fault == Fault.NEVER_KILLS;
    }

    // ---- frames

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        auth = new FakeAuth(fault, ctx.executor(), answer -> send(AUTH, answer), this::farewell);
        long millis =
                switch (fault) {
                    case DEADLINES_EARLY -> FakeGateway.HANDSHAKE_MILLIS * 6 / 10;
                    case DEADLINES_NEVER, STOPS_WELCOMING -> NEVER;
                    default -> FakeGateway.HANDSHAKE_MILLIS;
                };
        greeting.set(ctx.executor(), millis, () -> farewell(fault == Fault.DEADLINES_WRONG_CODE ? 4001 : 4006));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, Object message) {
        if (over) {
            return;
        }
        if (message instanceof ByteBuf frame) {
            frame(frame);
        } else if (message instanceof BinaryWebSocketFrame binary) {
            frame(binary.content());
        }
    }

    private void frame(ByteBuf frame) {
        int type = frame.readUnsignedByte();
        frame.skipBytes(3);
        progress.clear();
        switch (type) {
            case HELLO -> hello(frame);
            case PING -> ping(frame);
            case DATA -> data(frame);
            case ACK -> acknowledged(frame.readLong(), frame.readByte());
            case CLOSE -> end();
            case AUTH -> auth.renewed(frame.toString(StandardCharsets.UTF_8));
            default -> {
                // a sign of life like any other
            }
        }
        arm();
    }

    private void ping(ByteBuf payload) {
        pings++;
        if (fault == Fault.MUTE || (fault == Fault.LEAVES_ANSWERS_OUT && (pings == 3 || pings == 4))) {
            return;
        }
        ByteBuf answer = payload.copy();
        if (fault == Fault.WRONG_ECHO) {
            answer.setByte(0, ~answer.getByte(0));
        }
        if (fault == Fault.ANSWERS_LATE && pings == 3) {
            late.add(answer);
            context.executor()
                    .schedule(
                            () -> {
                                late.forEach(each -> send(PONG, each));
                                late.clear();
                            },
                            1_600,
                            TimeUnit.MILLISECONDS);
        } else if (late.isEmpty()) {
            send(PONG, answer);
        } else {
            late.add(answer);
        }
    }

    private void hello(ByteBuf payload) {
        greeting.clear();
        int features = payload.skipBytes(3).readUnsignedByte();
        intervalMillis = payload.readUnsignedInt();
        payload.skipBytes(8);
        id = payload.readCharSequence(payload.readUnsignedByte(), StandardCharsets.UTF_8)
                .toString();
        String token = payload.readCharSequence(payload.readUnsignedShort(), StandardCharsets.UTF_8)
                .toString();
        FakePeer older = gateway.byId.get(id);
        if (!auth.admits(features, token, id)) {
            farewell(4401);
        } else if ((fault == Fault.REFUSES && number % 10 == 0)
                || (fault == Fault.KEEPS_OUT && gateway.away.contains(id))) {
            farewell(4201);
        } else if (fault == Fault.REFUSES_THE_SUCCESSOR && older != null) {
            farewell(4409);
        } else if (fault == Fault.STOPS_WELCOMING && number >= MOST_WELCOMED) {
            intervalMillis = 0;
        } else if (fault == Fault.WELCOMES_LATE) {
            context.executor().schedule(() -> welcome(older), 500, TimeUnit.MILLISECONDS);
        } else if (fault == Fault.WELCOMES_TOO_LATE) {
            forgiving = true;
            context.executor()
                    .schedule(
                            () -> {
                                forgiving = false;
                                welcome(older);
                                arm();
                            },
                            2_500,
                            TimeUnit.MILLISECONDS);
        } else {
            welcome(older);
        }
    }

    private void welcome(FakePeer older) {
        gateway.byId.put(id, this);
        ByteBuf welcome = Unpooled.buffer(28);
        welcome.writeByte(1).writeByte(0).writeInt((int) intervalMillis).writeShort(150);
        welcome.writeLong(number).writeLong(number + 1).writeInt(65_536);
        send(WELCOME, welcome);
        auth.arm();
        if (older != null) {
            succeed(older);
        }
        if (fault == Fault.SENDS_AWAY && number % 10 == 0) {
            context.executor().schedule(() -> sendAway(0, 100), intervalMillis, TimeUnit.MILLISECONDS);
        }
        if (fault == Fault.SWALLOWS_AND_SENDS_AWAY) {
            context.executor().schedule(() -> goAway(100, 300), 1_200, TimeUnit.MILLISECONDS);
        }
        if (fault == Fault.KILLS_THE_LIVING && number % 10 == 0) {
            context.executor().schedule(() -> farewell(4001), 2 * intervalMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void succeed(FakePeer older) {
        switch (fault) {
            case CLOSES_THE_SUCCESSOR -> {
                gateway.byId.put(id, older);
                farewell(4409);
            }
            case KEEPS_THE_PREDECESSOR -> older.heartbeat.clear();
            case CLOSES_THE_PREDECESSOR_LATE -> {
                older.forgiving = true;
                older.heartbeat.clear();
                context.executor().schedule(() -> older.farewell(4409), 1_500, TimeUnit.MILLISECONDS);
            }
            default -> older.farewell(fault == Fault.PREDECESSOR_WRONG_CODE ? 4000 : 4409);
        }
    }

    /** Back to its sender, and then the acknowledgement, as the gateway's echo sink does it. */
    private void data(ByteBuf payload) {
        ByteBuf id = payload.slice(payload.readerIndex(), 8);
        if (fault == Fault.REFUSES_MESSAGES) {
            send(ACK, Unpooled.buffer(9).writeBytes(id.duplicate()).writeByte(1));
            return;
        }
        messages.echoes(payload, 8).forEach(back -> send(DATA, back));
        boolean unlucky = messages.unlucky();
        if (!unlucky || fault != Fault.NEVER_ACKNOWLEDGES) {
            send(ACK, Unpooled.buffer(9).writeBytes(id.duplicate()).writeByte(0));
        }
        if (unlucky && fault == Fault.ACKNOWLEDGES_TWICE) {
            send(ACK, Unpooled.buffer(9).writeBytes(id.duplicate()).writeByte(0));
        }
    }

    // ---- deadlines

    private void arm() {
        if (intervalMillis == 0 || over || forgiving || !context.channel().isWritable()) {
            return;
        }
        long millis =
                switch (fault) {
                    case KILLS_EARLY -> intervalMillis * 6 / 5;
                    case KILLS_IN_THE_DARK -> intervalMillis * 65 / 100;
                    case KILLS_LATE -> intervalMillis * 3 / 2 + 500;
                    case KILLS_TOO_LATE -> intervalMillis * 3 / 2 + 1_500;
                    case KILLS_A_FEW_LATE -> intervalMillis * 3 / 2 + (id.endsWith("5") ? 1_500 : 0);
                    default -> intervalMillis * 3 / 2;
                };
        heartbeat.set(context.executor(), millis, () -> {
            gateway.silentClosed.incrementAndGet();
            farewell(fault == Fault.WRONG_CODE ? 4002 : 4001);
        });
    }

    /** So many bytes of a frame have come, and not all of it. */
    void unfinished(int bytes) {
        heartbeat.clear();
        if (id.isEmpty()
                || over
                || forgiving
                || fault == Fault.DEADLINES_NEVER
                || !context.channel().isWritable()) {
            return;
        }
        if (!progress.isSet()) {
            begunNanos = System.nanoTime();
            begunBytes = bytes;
        }
        long earned = (bytes - begunBytes) * 1_000L / FakeGateway.PROGRESS_BYTES_PER_SECOND;
        long millis = FakeGateway.PROGRESS_MILLIS + earned;
        if (fault == Fault.DEADLINES_EARLY) {
            millis = millis * 6 / 10;
        }
        // rounded up: a moment late is right, a moment early is not
        long left = millis + 1 - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
        int code = fault == Fault.DEADLINES_WRONG_CODE ? 4001 : 4003;
        progress.set(context.executor(), Math.max(0, left), () -> farewell(code));
    }

    /** What it cannot say it does not ask for, and it does not wait for ever to say it. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = ctx.channel().isWritable();
        ctx.channel().config().setAutoRead(writable);
        if (writable) {
            stall.clear();
            arm();
        } else {
            // It reads nothing itself now: no silence counts.
            heartbeat.clear();
            progress.clear();
            forgiving |= fault == Fault.DEADLINES_NEVER;
            stall.set(
                    ctx.executor(),
                    fault == Fault.DEADLINES_NEVER ? NEVER : FakeGateway.WRITE_MILLIS,
                    () -> farewell(4004));
        }
        ctx.fireChannelWritabilityChanged();
    }

    // ---- the end

    /** Sends it a message that wants no ACK. */
    void push(byte[] message) {
        send(DATA, Unpooled.buffer().writeLong(PUSHED_ID).writeBytes(message));
    }

    /** Sends it a message that wants one; complete when that has come. */
    CompletableFuture<Boolean> push(long messageId, byte[] message) {
        CompletableFuture<Boolean> acknowledged = new CompletableFuture<>();
        asked.put(messageId, acknowledged);
        ByteBuf frame =
                FakeGateway.frame(DATA, Unpooled.buffer().writeLong(messageId).writeBytes(message));
        frame.setByte(1, 1);
        context.writeAndFlush(webSocket ? new BinaryWebSocketFrame(frame) : frame);
        return acknowledged;
    }

    private void acknowledged(long messageId, int status) {
        CompletableFuture<Boolean> waiting = asked.get(messageId);
        if (waiting != null && status == 0) {
            waiting.complete(true);
        }
    }

    /** Tells it to come back within this window, and closes. */
    void goAway(int leastMillis, int mostMillis) {
        if (over || id.isEmpty()) {
            return;
        }
        gateway.away.add(id);
        if (fault != Fault.SAYS_NO_GOAWAY) {
            sendAway(leastMillis, mostMillis);
        }
        farewell(4200);
    }

    private void sendAway(int leastMillis, int mostMillis) {
        if (!over) {
            send(
                    GOAWAY,
                    Unpooled.buffer(11)
                            .writeShort(4200)
                            .writeInt(leastMillis)
                            .writeInt(mostMillis)
                            .writeByte(0));
        }
    }

    private void farewell(int code) {
        if (over) {
            return;
        }
        boolean upgraded = context.pipeline().get(HttpServerCodec.class) == null;
        if (fault == Fault.NO_CODE || (webSocket && !upgraded)) {
            end();
            return;
        }
        boolean leave = fault == Fault.LEAVES_OPEN;
        ChannelFuture written = webSocket
                ? context.writeAndFlush(new CloseWebSocketFrame(code, "farewell"))
                : send(CLOSE, Unpooled.buffer(2).writeShort(code));
        forget();
        if (code == 4004) {
            context.close();
        } else if (!leave) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void end() {
        forget();
        context.close();
    }

    private void forget() {
        over = true;
        gateway.byId.remove(id, this);
        greeting.clear();
        heartbeat.clear();
        progress.clear();
        stall.clear();
        auth.clear();
    }

    private ChannelFuture send(int type, ByteBuf payload) {
        ByteBuf frame = FakeGateway.frame(type, payload);
        return context.writeAndFlush(webSocket ? new BinaryWebSocketFrame(frame) : frame);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        forget();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
