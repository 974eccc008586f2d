package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.fake.PingPassingHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Server in a {@link VirtualFleet} that answers at once, and does one thing wrong, each time after so many. */
final class PlantedServer {

    private static final int MOST_LINE = 4_096;
    private static final long LATE = 1_500 * VirtualFleet.MILLI;
    private static final long SECOND = 1_000 * VirtualFleet.MILLI;
    private static final long A_MOMENT = 100 * VirtualFleet.MILLI;
    private static final long A_WHILE = 400 * VirtualFleet.MILLI;
    private static final long ALLOWED = 6_000 * VirtualFleet.MILLI;

    /** What it does wrong. */
    enum Fault {
        NONE,
        /** Ends a live connection without a word, at each Nth heartbeat. */
        SILENT_CLOSE,
        /** Closes silent devices after 0.7 of the time they have. */
        EARLY_CLOSE,
        /** Never closes silent devices. */
        NO_CLOSE,
        LATE_HEARTBEAT,
        LOST_HEARTBEAT,
        /** Acknowledges late. */
        LATE_DATA,
        LATE_ECHO,
        /** Sends a message back behind the next one of its device, or behind so many. */
        REORDERED,
        LOST,
        DOUBLED,
        ALTERED,
        /** The same, where its content names it. */
        ALTERED_NAME,
        /** Sends a copy altered there behind it. */
        ALTERED_COPY,
        /** Sends a message to another device too. */
        COPIED,
        /** The same, a while later. */
        LEAKED,
        /** Sends a message to another device instead. */
        WRONG_CLIENT,
        /** Sends a message back under a number that its device never sent. */
        WRONG_NUMBER
    }

    /** How it speaks. */
    enum Speech {
        /** Lines with the device's id and numbers. */
        LINES,
        /** Lines without, and without acknowledgements. */
        BARE_LINES,
        WEB_SOCKET;

        boolean acknowledges() {
            return this == LINES;
        }
    }

    private final Speech speech;
    private final Fault fault;
    private final int every;
    private final int behind;
    private final Set<Long> numbers = new HashSet<>();
    private final List<Peer> peers = new ArrayList<>();
    private VirtualFleet fleet;
    private int chances;
    private int planted;

    /** @param behind what is reordered or doubled comes behind so many others of its device */
    PlantedServer(Speech speech, Fault fault, int every, int behind) {
        this.speech = speech;
        this.fault = fault;
        this.every = every;
        this.behind = behind;
    }

    void join(VirtualFleet whose) {
        fleet = whose;
    }

    int planted() {
        return planted;
    }

    /** Whether it did something to messages with this number. */
    boolean concerns(long number) {
        return numbers.contains(number);
    }

    /** The server's end of a new connection. */
    EmbeddedChannel accept() {
        if (speech == Speech.WEB_SOCKET) {
            return new EmbeddedChannel(
                    new HttpServerCodec(),
                    new HttpObjectAggregator(8_192),
                    new PingPassingHandler(),
                    peer(new FramePeer()));
        }
        return new EmbeddedChannel(new LineBasedFrameDecoder(MOST_LINE), peer(new LinePeer()));
    }

    private ChannelHandler peer(Peer made) {
        peers.add(made);
        return made;
    }

    /** Whether this is one of those that something happens to. */
    private boolean unlucky(Fault... ofThese) {
        boolean chosen = isTurn(ofThese);
        planted += chosen ? 1 : 0;
        return chosen;
    }

    private boolean isTurn(Fault... ofThese) {
        return List.of(ofThese).contains(fault) && ++chances % every == 0;
    }

    /** A message that is sent back behind others, which come after so many. */
    private record Held(int after, Supplier<Object> echo) {}

    /** One connection. */
    private abstract class Peer extends SimpleChannelInboundHandler<Object> {
        private ChannelHandlerContext context;
        private int heard;
        private final Deque<Held> held = new ArrayDeque<>();
        private int said;
        private long lateUntil;

        Peer() {
            super(Object.class);
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        final void send(Supplier<Object> message) {
            if (context.channel().isActive()) {
                context.writeAndFlush(message.get());
            }
        }

        private void sendLater(long nanos, Supplier<Object> message) {
            fleet.after(nanos, () -> send(message));
        }

        /** Late, and all that follows behind it: late too where that is more than a second. */
        private void sendLate(Supplier<Object> message) {
            if (fleet.now() >= lateUntil && unlucky(Fault.LATE_DATA, Fault.LATE_ECHO)) {
                lateUntil = fleet.now() + LATE;
                sendLater(LATE, message);
            } else if (fleet.now() < lateUntil) {
                planted += lateUntil - fleet.now() > SECOND ? 1 : 0;
                sendLater(lateUntil - fleet.now(), message);
            } else {
                send(message);
            }
        }

        /** It said something: from here on it may be silent again. */
        final void alive() {
            int then = ++heard;
            long allowed = fault == Fault.EARLY_CLOSE ? ALLOWED * 7 / 10 : ALLOWED;
            if (fault != Fault.NO_CLOSE) {
                fleet.after(allowed, () -> {
                    if (heard == then && context.channel().isActive()) {
                        planted += fault == Fault.EARLY_CLOSE ? 1 : 0;
                        context.close();
                    }
                });
            }
        }

        final void beat(Supplier<Object> answer) {
            if (unlucky(Fault.SILENT_CLOSE)) {
                context.close();
            } else if (unlucky(Fault.LATE_HEARTBEAT)) {
                sendLater(LATE, answer);
            } else if (!unlucky(Fault.LOST_HEARTBEAT)) {
                send(answer);
            }
        }

        /** @param altered it with the first byte of its content altered (0), or the last (1) */
        final void message(
                Supplier<Object> acknowledgement, Supplier<Object> echo, IntFunction<Supplier<Object>> altered) {
            said++;
            if (speech.acknowledges()) {
                if (fault == Fault.LATE_DATA) {
                    sendLate(acknowledgement);
                } else {
                    send(acknowledgement);
                }
            }
            if (held.isEmpty() && isTurn(Fault.REORDERED)) {
                hold(echo);
                return;
            }
            if (fault == Fault.LATE_ECHO) {
                sendLate(echo);
            } else if (unlucky(Fault.WRONG_CLIENT)) {
                other().send(echo);
            } else if (unlucky(Fault.ALTERED, Fault.ALTERED_NAME)) {
                numbers.add((long) said);
                send(altered.apply(fault == Fault.ALTERED ? 1 : 0));
            } else if (!unlucky(Fault.LOST)) {
                send(echo);
                if (isTurn(Fault.DOUBLED)) {
                    hold(echo);
                } else if (unlucky(Fault.ALTERED_COPY)) {
                    numbers.add((long) said);
                    send(altered.apply(0));
                } else if (unlucky(Fault.COPIED)) {
                    other().send(echo);
                } else if (unlucky(Fault.LEAKED)) {
                    other().sendLater(A_WHILE, echo);
                }
            }
            if (!held.isEmpty() && held.peek().after() + behind <= said) {
                release(held.peek());
            }
        }

        /** Until so many more have come; or for a while, and then it may be in order. */
        private void hold(Supplier<Object> echo) {
            Held mine = new Held(said, echo);
            held.add(mine);
            fleet.after(Math.max(A_WHILE, behind * A_MOMENT), () -> release(mine));
        }

        private void release(Held which) {
            if (held.remove(which)) {
                planted += fault == Fault.DOUBLED || said > which.after() ? 1 : 0;
                send(which.echo());
            }
        }

        /** Another one that is there. */
        private Peer other() {
            int own = peers.indexOf(this);
            for (int i = 1; i < peers.size(); i++) {
                Peer next = peers.get((own + i) % peers.size());
                if (next.context.channel().isActive()) {
                    return next;
                }
            }
            throw new IllegalStateException("nobody else is there");
        }
    }

    private final class LinePeer extends Peer {

        private static Supplier<Object> line(String text) {
            return () -> Unpooled.copiedBuffer(text + "\n", StandardCharsets.US_ASCII);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Object in) {
            String line = ((ByteBuf) in).toString(StandardCharsets.US_ASCII);
            String[] words = line.split(" ");
            alive();
            switch (words[0]) {
                case "HELLO" -> send(line("WELCOME"));
                case "PING" -> beat(line("PONG"));
                default -> {
                    int content = line.lastIndexOf(' ') + 1;
                    IntFunction<Supplier<Object>> altered = end -> {
                        StringBuilder other = new StringBuilder(line);
                        int at = end == 0 ? content : line.length() - 1;
                        other.setCharAt(at, line.charAt(at) == 'a' ? 'b' : 'a');
                        return line(other.toString());
                    };
                    String back = speech.acknowledges() && unlucky(Fault.WRONG_NUMBER)
                            ? "MSG " + words[1] + " 99999" + words[2] + " " + words[3]
                            : line;
                    message(line("ACK " + words[words.length - 2]), line(back), altered);
                }
            }
        }
    }

    private final class FramePeer extends Peer {

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof WebSocketServerProtocolHandler.HandshakeComplete) {
                alive();
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, Object in) {
            byte[] bytes = new byte[((WebSocketFrame) in).content().readableBytes()];
            ((WebSocketFrame) in).content().getBytes(0, bytes);
            alive();
            if (in instanceof PingWebSocketFrame) {
                beat(() -> new PongWebSocketFrame(Unpooled.copiedBuffer(bytes)));
                return;
            }
            message(() -> Unpooled.EMPTY_BUFFER, frame(bytes), end -> {
                byte[] altered = bytes.clone();
                altered[end * (bytes.length - 1)] ^= 1;
                return frame(altered);
            });
        }

        private static Supplier<Object> frame(byte[] bytes) {
            return () -> new BinaryWebSocketFrame(Unpooled.copiedBuffer(bytes));
        }
    }
}
