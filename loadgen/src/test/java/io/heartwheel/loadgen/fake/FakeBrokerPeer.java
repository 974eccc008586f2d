package io.heartwheel.loadgen.fake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubAckMessage;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import io.netty.handler.codec.mqtt.MqttTopicSubscription;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One connection of a {@link FakeBroker}. On its event loop. */
final class FakeBrokerPeer extends SimpleChannelInboundHandler<MqttMessage> {

    private static final int KEEP_ALIVE_TIMEOUT = 0x8D;
    private static final int TAKEN_OVER = 0x8E;
    private static final int SHUTTING_DOWN = 0x8B;
    private static final int ADMINISTRATIVE = 0x98;
    private static final int QUOTA = 0x97;
    /** The message or PINGREQ of a connection that faults happen to. */
    private static final int UNLUCKY = 3;

    private final FakeBroker broker;
    private final BrokerFault fault;
    private final Deadline greeting = new Deadline();
    private final Deadline keepAlive = new Deadline();
    private ChannelHandlerContext context;
    private String clientId = "";
    private boolean version5;
    private long keepAliveMillis;
    private boolean over;
    private int pings;
    private int messages;
    private int delivered;
    private MqttQoS granted = MqttQoS.AT_MOST_ONCE;
    private Runnable held;

    FakeBrokerPeer(FakeBroker broker, BrokerFault fault) {
        this.broker = broker;
        this.fault = fault;
    }

    String clientId() {
        return clientId;
    }

    /** Sees bytes before they are packets. */
    ChannelHandler bytes() {
        return new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
                if (fault == BrokerFault.COUNTS_BYTES) {
                    arm();
                }
                super.channelRead(ctx, message);
            }
        };
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        greeting.set(ctx.executor(), FakeBroker.HANDSHAKE_MILLIS, this::end);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, MqttMessage message) {
        if (over) {
            return;
        }
        if (message.decoderResult().isFailure()) {
            disconnect(0x81);
            return;
        }
        switch (message.fixedHeader().messageType()) {
            case CONNECT -> connect((MqttConnectMessage) message);
            case PINGREQ -> ping();
            case PUBLISH -> publish((MqttPublishMessage) message);
            case SUBSCRIBE -> subscribe((MqttSubscribeMessage) message);
            case DISCONNECT -> end();
            default -> {
                // a sign of life like any other
            }
        }
        arm();
    }

    // ---- the way up

    private void connect(MqttConnectMessage connect) {
        greeting.clear();
        clientId = connect.payload().clientIdentifier();
        version5 = connect.variableHeader().version() == 5;
        keepAliveMillis = fault == BrokerFault.OVERRULES
                ? 1_000
                : connect.variableHeader().keepAliveTimeSeconds() * 1_000L;
        if (fault == BrokerFault.REFUSES) {
            refuse();
        } else {
            welcome();
        }
    }

    private void refuse() {
        MqttConnectReturnCode code = version5
                ? MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE_5
                : MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE;
        forget();
        context.writeAndFlush(MqttMessageBuilders.connAck().returnCode(code).build())
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void welcome() {
        FakeBrokerPeer older = broker.byClientId.put(clientId, this);
        MqttMessageBuilders.ConnAckBuilder connack = MqttMessageBuilders.connAck()
                .returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
                .sessionPresent(fault == BrokerFault.SESSION_PRESENT);
        if (version5) {
            connack.properties(all -> {
                all.receiveMaximum(FakeBroker.RECEIVE_MAXIMUM).maximumPacketSize(100_000L);
                if (fault == BrokerFault.OVERRULES) {
                    all.serverKeepAlive(1);
                }
            });
        }
        send(connack.build());
        if (fault == BrokerFault.CONNACK_TWICE) {
            send(connack.build());
        }
        if (older != null) {
            takeOver(older);
        }
        misfortune();
    }

    private void misfortune() {
        Runnable what =
                switch (fault) {
                    case SHUTS_DOWN -> () -> disconnect(SHUTTING_DOWN);
                    case MALFORMED ->
                        () -> context.pipeline()
                                .firstContext()
                                .writeAndFlush(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump("d500")));
                    default -> null;
                };
        if (what != null) {
            context.executor().schedule(what, 2 * keepAliveMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void takeOver(FakeBrokerPeer older) {
        switch (fault) {
            case CLOSES_THE_NEWER -> {
                broker.byClientId.put(clientId, older);
                disconnect(TAKEN_OVER);
            }
            case KEEPS_BOTH -> older.keepAlive.clear();
            default -> older.disconnect(fault == BrokerFault.TAKEOVER_WRONG_CODE ? ADMINISTRATIVE : TAKEN_OVER);
        }
    }

    private void subscribe(MqttSubscribeMessage subscribe) {
        MqttTopicSubscription wanted = subscribe.payload().topicSubscriptions().get(0);
        boolean failure = fault == BrokerFault.SUBACK_FAILURE;
        granted = wanted.qualityOfService();
        if (!failure) {
            broker.subscribe(wanted.topicFilter(), this);
        }
        int id = subscribe.variableHeader().messageId() + (fault == BrokerFault.SUBACK_WRONG_ID ? 1 : 0);
        send(MqttMessageBuilders.subAck()
                .packetId(id)
                .addGrantedQos(failure ? MqttQoS.FAILURE : granted)
                .build());
        if (fault == BrokerFault.PINGRESP_UNASKED) {
            pingresp();
        }
        if (fault == BrokerFault.PUBACK_UNASKED) {
            puback(40_000, 0);
        }
    }

    // ---- heartbeats and messages

    private void ping() {
        boolean unlucky = ++pings == UNLUCKY;
        if (!unlucky || fault != BrokerFault.PINGRESP_LOST) {
            pingresp();
        }
        if (unlucky && fault == BrokerFault.PINGRESP_TWICE) {
            pingresp();
        }
    }

    private void pingresp() {
        send(MqttMessage.PINGRESP);
    }

    private void publish(MqttPublishMessage publish) {
        boolean unlucky = ++messages == UNLUCKY;
        String topic = publish.variableHeader().topicName();
        MqttQoS qos = publish.fixedHeader().qosLevel();
        if (qos == MqttQoS.AT_LEAST_ONCE && (!unlucky || fault != BrokerFault.PUBACK_LOST)) {
            int id = publish.variableHeader().packetId();
            puback(unlucky && fault == BrokerFault.PUBACK_WRONG_ID ? id + 1_000 : id, code(unlucky));
            if (unlucky && fault == BrokerFault.PUBACK_TWICE) {
                puback(id, 0);
            }
        }
        if (!unlucky || fault != BrokerFault.PUBACK_REFUSED) {
            route(topic, Unpooled.copiedBuffer(publish.payload()), qos, unlucky);
        }
    }

    private int code(boolean unlucky) {
        return unlucky && fault == BrokerFault.PUBACK_REFUSED ? QUOTA : 0;
    }

    private void puback(int id, int code) {
        MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.PUBACK, false, MqttQoS.AT_MOST_ONCE, false, 0);
        send(new MqttPubAckMessage(
                header,
                code == 0
                        ? MqttMessageIdVariableHeader.from(id)
                        : new MqttPubReplyMessageVariableHeader(id, (byte) code, MqttProperties.NO_PROPERTIES)));
    }

    private void route(String topic, ByteBuf payload, MqttQoS qos, boolean unlucky) {
        for (FakeBrokerPeer to : List.copyOf(broker.byTopic.getOrDefault(topic, java.util.Set.of()))) {
            if (unlucky) {
                routeUnlucky(to, topic, payload, qos);
            } else {
                to.deliver(topic, payload, qos, false);
            }
            if (!unlucky && held != null) {
                held.run();
                held = null;
            }
        }
    }

    private void routeUnlucky(FakeBrokerPeer to, String topic, ByteBuf payload, MqttQoS qos) {
        switch (fault) {
            case DELIVERY_LOST -> {
                // as planted
            }
            case DELIVERY_TWICE -> {
                to.deliver(topic, payload, qos, false);
                to.deliver(topic, payload, qos, false);
            }
            case DELIVERY_DUPLICATE -> {
                to.deliver(topic, payload, qos, false);
                to.deliver(topic, payload, qos, true);
            }
            case DELIVERY_DISORDERED -> held = () -> to.deliver(topic, payload, qos, false);
            case DELIVERY_CHANGED -> {
                int last = payload.writerIndex() - 1;
                to.deliver(topic, payload.setByte(last, ~payload.getByte(last)), qos, false);
            }
            case DELIVERY_MISDIRECTED -> {
                to.deliver(topic, payload, qos, false);
                broker.another(topic).getValue().deliver(topic, payload, qos, false);
            }
            default -> to.deliver(topic, payload, qos, false);
        }
    }

    void deliver(String topic, ByteBuf payload, MqttQoS qos, boolean duplicate) {
        MqttQoS least = qos.value() < granted.value() ? qos : granted;
        delivered += least == MqttQoS.AT_LEAST_ONCE && !duplicate ? 1 : 0;
        MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.PUBLISH, duplicate, least, false, 0);
        send(new MqttPublishMessage(
                header, new MqttPublishVariableHeader(topic, Math.max(1, delivered)), Unpooled.copiedBuffer(payload)));
    }

    // ---- the end

    private void arm() {
        if (keepAliveMillis == 0 || over) {
            return;
        }
        keepAlive.set(context.executor(), keepAliveMillis * 3 / 2, this::expired);
    }

    private void expired() {
        if (fault == BrokerFault.RESETS) {
            forget();
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            context.close();
        } else {
            disconnect(fault == BrokerFault.WRONG_REASON ? ADMINISTRATIVE : KEEP_ALIVE_TIMEOUT);
        }
    }

    /** DISCONNECT with a reason in version 5, and the end of the stream; in 3.1.1 that alone. */
    private void disconnect(int reason) {
        if (over) {
            return;
        }
        forget();
        if (!version5) {
            context.close();
            return;
        }
        MqttFixedHeader header = new MqttFixedHeader(MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0);
        context.writeAndFlush(new MqttMessage(
                        header,
                        new MqttReasonCodeAndPropertiesVariableHeader((byte) reason, MqttProperties.NO_PROPERTIES)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void end() {
        forget();
        context.close();
    }

    private void forget() {
        over = true;
        broker.forget(this);
        greeting.clear();
        keepAlive.clear();
    }

    private void send(MqttMessage message) {
        if (!over) {
            context.writeAndFlush(message);
        }
    }

    /** What it cannot say it does not ask for: it reads no more until it could. The keep-alive goes on. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
        ctx.fireChannelWritabilityChanged();
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
