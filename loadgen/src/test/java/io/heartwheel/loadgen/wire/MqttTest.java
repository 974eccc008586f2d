package io.heartwheel.loadgen.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnAckMessage;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttPubAckMessage;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubscribeMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client's side of MQTT 3.1.1 and 5, held against the specifications and against Netty's codec. */
final class MqttTest {

    private static final int LIMIT = 100_000;
    private static final byte[] TOPIC = "fleet/7".getBytes(StandardCharsets.UTF_8);

    /** A server of the other make: it knows the version from the CONNECT it is given first. */
    private static EmbeddedChannel server(boolean version5) {
        EmbeddedChannel server = new EmbeddedChannel(new MqttDecoder(LIMIT), MqttEncoder.INSTANCE);
        ByteBuf connect = Unpooled.buffer();
        MqttWriter.connect(connect, version5, true, 60, "d-7", "", "", 0);
        server.writeInbound(connect);
        assertTrue(server.<MqttConnectMessage>readInbound().decoderResult().isSuccess());
        return server;
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty's own
    private static <T extends MqttMessage> T read(EmbeddedChannel server, ByteBuf written) {
        server.writeInbound(written);
        T message = server.readInbound();
        assertTrue(message.decoderResult().isSuccess(), () -> String.valueOf(message.decoderResult()));
        assertNull(server.readInbound());
        return message;
    }

    private static ByteBuf written(EmbeddedChannel server, MqttMessage message) {
        server.writeOutbound(message);
        ByteBuf written = server.readOutbound();
        try {
            return Unpooled.copiedBuffer(written);
        } finally {
            written.release();
        }
    }

    private static ByteBuf hex(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", "")));
    }

    private static WireException broken(String hex, boolean version5) {
        ByteBuf in = hex(hex);
        MqttCursor cursor = new MqttCursor();
        return assertThrows(WireException.class, () -> {
            assertTrue(cursor.next(in, version5, LIMIT), "incomplete");
            if (cursor.type() == MqttCursor.CONNACK) {
                cursor.skip(2);
            } else if (cursor.type() == MqttCursor.PUBLISH) {
                cursor.skipField(in);
            } else {
                cursor.skip(1);
            }
            cursor.readProperties(in);
        });
    }

    // ---- what a client writes

    @Test
    void variable_valuesOfTheSpecification_takeTheBytesItSays() {
        String[] table = {"00", "7f", "8001", "ff7f", "808001", "ffff7f", "80808001", "ffffff7f"};
        int[] values = {0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 268_435_455};
        for (int i = 0; i < values.length; i++) {
            ByteBuf out = Unpooled.buffer();
            MqttWriter.variable(out, values[i]);
            assertEquals(table[i], ByteBufUtil.hexDump(out), "of " + values[i]);
        }
    }

    @Test
    void connect_version311_isTheSpecificationsExample() {
        ByteBuf out = Unpooled.buffer();
        MqttWriter.connect(out, false, true, 10, "a", "", "", 0);
        assertEquals("100d00044d5154540402000a000161", ByteBufUtil.hexDump(out));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connect_everyField_isReadByAnotherMake(boolean version5) {
        ByteBuf out = Unpooled.buffer();
        MqttWriter.connect(out, version5, false, 0xFFFF, "gerät-7", "user", "pass", 3_600);
        EmbeddedChannel server = new EmbeddedChannel(new MqttDecoder(LIMIT));
        MqttConnectMessage connect = read(server, out);
        assertEquals(version5 ? 5 : 4, connect.variableHeader().version());
        assertEquals(0xFFFF, connect.variableHeader().keepAliveTimeSeconds());
        assertFalse(connect.variableHeader().isCleanSession());
        assertEquals("gerät-7", connect.payload().clientIdentifier());
        assertEquals("user", connect.payload().userName());
        assertArrayEquals(
                "pass".getBytes(StandardCharsets.UTF_8), connect.payload().passwordInBytes());
        if (version5) {
            assertEquals(
                    3_600, connect.variableHeader().properties().getProperty(17).value());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void packets_ofAClient_areReadByAnotherMake(boolean version5) {
        EmbeddedChannel server = server(version5);
        ByteBuf ping = Unpooled.buffer();
        MqttWriter.pingreq(ping);
        assertEquals(MqttMessageType.PINGREQ, read(server, ping).fixedHeader().messageType());
        ByteBuf ack = Unpooled.buffer();
        MqttWriter.puback(ack, 0xFFFF);
        MqttPubAckMessage puback = read(server, ack);
        assertEquals(0xFFFF, puback.variableHeader().messageId());
        ByteBuf sub = Unpooled.buffer();
        MqttWriter.subscribe(sub, version5, 1, "fleet/+/x", 1);
        MqttSubscribeMessage subscribe = read(server, sub);
        assertEquals(
                "fleet/+/x", subscribe.payload().topicSubscriptions().get(0).topicFilter());
        assertEquals(
                MqttQoS.AT_LEAST_ONCE,
                subscribe.payload().topicSubscriptions().get(0).qualityOfService());
        ByteBuf bye = Unpooled.buffer();
        MqttWriter.disconnect(bye);
        assertEquals(MqttMessageType.DISCONNECT, read(server, bye).fixedHeader().messageType());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void publish_anyLength_isReadByAnotherMake(boolean version5) {
        EmbeddedChannel server = server(version5);
        for (int length : new int[] {0, 1, 112, 113, 114, 128, 16_384, 65_536}) {
            for (int qos = 0; qos <= 1; qos++) {
                ByteBuf out = Unpooled.buffer();
                MqttWriter.publish(out, version5, TOPIC, qos, 0xABCD, length);
                out.writeZero(length);
                MqttPublishMessage publish = read(server, out);
                assertEquals("fleet/7", publish.variableHeader().topicName());
                assertEquals(qos == 0 ? -1 : 0xABCD, publish.variableHeader().packetId());
                assertEquals(qos, publish.fixedHeader().qosLevel().value());
                assertEquals(length, publish.payload().readableBytes());
                publish.release();
            }
        }
    }

    // ---- what a client reads

    @Test
    void connack_everyProperty_isReadFromAnotherMake() {
        EmbeddedChannel server = server(true);
        MqttConnAckMessage connack = MqttMessageBuilders.connAck()
                .returnCode(MqttConnectReturnCode.CONNECTION_ACCEPTED)
                .sessionPresent(true)
                .properties(all -> all.sessionExpiryInterval(0xFFFFFFFFL)
                        .receiveMaximum(20)
                        .maximumQos((byte) 1)
                        .maximumPacketSize(4_096L)
                        .assignedClientId("srv-né-1")
                        .topicAliasMaximum(10)
                        .reasonString("welcome")
                        .userProperty("a", "b")
                        .userProperty("a", "c")
                        .wildcardSubscriptionAvailable(true)
                        .subscriptionIdentifiersAvailable(true)
                        .sharedSubscriptionAvailable(false)
                        .serverKeepAlive(7)
                        .responseInformation("r")
                        .serverReference("s")
                        .authenticationMethod("m")
                        .authenticationData(new byte[] {1}))
                .build();
        ByteBuf in = written(server, connack);
        MqttCursor cursor = new MqttCursor();
        assertTrue(cursor.next(in, true, LIMIT));
        assertEquals(MqttCursor.CONNACK, cursor.type());
        assertEquals(1, cursor.readByte(in));
        assertEquals(0, cursor.readByte(in));
        MqttProperties properties = cursor.readProperties(in);
        assertEquals(0, cursor.left());
        assertEquals(20, properties.receiveMaximum());
        assertEquals(1, properties.maximumQos());
        assertEquals(4_096, properties.maximumPacketSize());
        assertEquals("srv-né-1", properties.assignedClientId(in));
        assertEquals("welcome", properties.reason(in));
        assertEquals(7, properties.serverKeepAliveSeconds());
    }

    @Test
    void connack_noProperties_hasTheDefaults() {
        ByteBuf in = hex("20 03 00 00 00");
        MqttCursor cursor = new MqttCursor();
        assertTrue(cursor.next(in, true, LIMIT));
        cursor.skip(2);
        MqttProperties properties = cursor.readProperties(in);
        assertEquals(-1, properties.serverKeepAliveSeconds());
        assertEquals(0xFFFF, properties.receiveMaximum());
        assertEquals(2, properties.maximumQos());
        assertEquals(Integer.MAX_VALUE, properties.maximumPacketSize());
        assertEquals("", properties.assignedClientId(in));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void publish_fromAnotherMake_isRead(boolean version5) {
        ByteBuf in = written(
                server(version5),
                MqttMessageBuilders.publish()
                        .topicName("fleet/7")
                        .qos(MqttQoS.AT_LEAST_ONCE)
                        .messageId(9)
                        .payload(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}))
                        .build());
        MqttCursor cursor = new MqttCursor();
        assertTrue(cursor.next(in, version5, LIMIT));
        assertEquals(1, cursor.qos());
        assertFalse(cursor.duplicate());
        assertFalse(cursor.retained());
        int topicAt = cursor.at() + 2;
        int length = cursor.skipField(in);
        assertEquals("fleet/7", in.toString(topicAt, length, StandardCharsets.UTF_8));
        assertEquals(9, cursor.readPacketId(in));
        if (version5) {
            assertEquals(0, cursor.readProperties(in).topicAlias());
        }
        assertEquals(3, cursor.left());
        assertEquals(1, in.getByte(cursor.at()));
    }

    @Test
    void disconnect_fromAnotherMake_tellsItsReason() {
        ByteBuf in = written(
                server(true),
                new MqttMessage(
                        new MqttFixedHeader(MqttMessageType.DISCONNECT, false, MqttQoS.AT_MOST_ONCE, false, 0),
                        new MqttReasonCodeAndPropertiesVariableHeader(
                                (byte) MqttCodes.KEEP_ALIVE_TIMEOUT,
                                io.netty.handler.codec.mqtt.MqttProperties.NO_PROPERTIES)));
        MqttCursor cursor = new MqttCursor();
        assertTrue(cursor.next(in, true, LIMIT));
        assertEquals(MqttCursor.DISCONNECT, cursor.type());
        assertEquals(MqttCodes.KEEP_ALIVE_TIMEOUT, cursor.readByte(in));
        assertEquals("keep alive timeout (0x8D)", MqttCodes.name(MqttCodes.KEEP_ALIVE_TIMEOUT));
    }

    @Test
    void next_bytesOneByOne_findsTheSamePackets() {
        ByteBuf all = hex("20 02 00 00  d0 00  40 02 00 01  32 09 00 02 612f 0005 686579  e0 00".replace("e0 00", ""));
        MqttCursor cursor = new MqttCursor();
        ByteBuf in = Unpooled.buffer();
        List<String> seen = new ArrayList<>();
        while (all.isReadable()) {
            in.writeByte(all.readByte());
            while (cursor.next(in, false, LIMIT)) {
                seen.add(cursor.name() + " " + cursor.left());
            }
        }
        assertEquals(List.of("CONNACK 2", "PINGRESP 0", "PUBACK 2", "PUBLISH 9"), seen);
        assertFalse(in.isReadable());
    }

    @ParameterizedTest
    @CsvSource({
        "10 00, false, CONNECT from the server",
        "c0 00, true, PINGREQ from the server",
        "00 00, true, packet type 0 from the server",
        "e0 00, false, DISCONNECT from the server",
        "d1 00, false, PINGRESP with flags 0x1",
        "d0 01 00, false, PINGRESP with a remaining length of 1",
        "36 05 0001 61 0001, false, PUBLISH with flags 0x6",
        "38 03 0001 61, false, PUBLISH with flags 0x8",
        "30 ff ff ff ff, false, remaining length in more than 4 bytes",
        "d0 80 00, true, remaining length 0 in 2 bytes: need the fewest",
        "30 03 0009 61, true, 'PUBLISH ends within a field: 9 bytes needed, 1 left'",
        "20 08 0000 05 02 00000000, true, CONNACK with property 2",
        "20 05 0000 02 7f 00, true, CONNACK with property 127",
        "20 09 0000 06 13 0001 13 0001, true, CONNACK with property 19 twice",
        "20 06 0000 03 21 0000, true, CONNACK with property 33 of 0: need over 0",
        "20 05 0000 02 24 02, true, CONNACK with property 36 of 2: need 0 or 1",
        "20 05 0000 09 24 01, true, 'CONNACK with 9 bytes of properties, 2 left'",
        "20 06 0000 01 24 01 00, true, CONNACK with a property over the end of the properties",
        // In a DISCONNECT only the client may tell it.
        "e0 07 00 05 11 00000001, true, DISCONNECT with property 17",
    })
    void next_whatAServerMustNotSend_isRefusedWithItsName(String hex, boolean version5, String told) {
        assertEquals(told, broken(hex, version5).getMessage());
    }

    @Test
    void next_packetOverTheLimit_isRefusedByItsCode() {
        assertEquals(MqttCodes.PACKET_TOO_LARGE, broken("30 ff ff ff 7f", false).code());
    }

    @Test
    void text_notUtf8_isRefused() {
        ByteBuf in = hex("20 07 0000 04 1f 0001 ff");
        MqttCursor cursor = new MqttCursor();
        assertTrue(cursor.next(in, true, LIMIT));
        cursor.skip(2);
        MqttProperties properties = cursor.readProperties(in);
        assertThrows(WireException.class, () -> properties.reason(in));
    }

    @Test
    void names_everyCode_areThoseOfTheSpecification() {
        assertEquals("session taken over (0x8E)", MqttCodes.name(0x8E));
        assertEquals("server shutting down (0x8B)", MqttCodes.name(0x8B));
        assertEquals("packet too large (0x95)", MqttCodes.name(0x95));
        assertEquals("use another server (0x9C)", MqttCodes.name(0x9C));
        assertEquals("wildcard subscriptions not supported (0xA2)", MqttCodes.name(0xA2));
        assertEquals("not authorized", MqttCodes.name(5));
        assertEquals("163", MqttCodes.name(0xA3));
    }
}
