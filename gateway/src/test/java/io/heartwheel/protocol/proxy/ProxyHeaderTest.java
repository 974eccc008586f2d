package io.heartwheel.protocol.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.event.CloseReason;
import io.heartwheel.net.IpAddress;
import io.heartwheel.protocol.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.handler.codec.haproxy.HAProxyTLV;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The decoder against tables, every split, hostile bytes, and the library's reading of the same protocol. */
class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final byte[] BEHIND = {1, 2, 3};

    private static final String NOOP_36 = "040024" + "00".repeat(36);
    private static final String AWS_V6 =
            "21 21 0060 20010db8000000000000000000000007 20010db800000000000000000000000a 1388 01bb"
                    + "030004 7d276b04 ea0017 01" + hex("vpce-08d2bf15fac5001c9") + "040018" + "00".repeat(24);

    private static Arguments v1(String line, ProxyOutcome kind, String source, int port) {
        return Arguments.of(hex(line), kind, source, port);
    }

    private static Arguments v2(String rest, ProxyOutcome kind, String source, int port) {
        return Arguments.of(SIGNATURE + rest.replace(" ", ""), kind, source, port);
    }

    private static String hex(String text) {
        return ByteBufUtil.hexDump(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static Stream<Arguments> good() {
        String longest = "PROXY TCP6 ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n"
                .replace("f...f", "ffff:ffff:ffff:ffff:ffff:ffff");
        assertTrue(longest.length() <= ProxyHeader.MAX_V1_BYTES);
        String unix = "2f".repeat(108);
        return Stream.of(
                v1("PROXY TCP4 203.0.113.7 192.0.2.1 5000 443\r\n", ProxyOutcome.V1, "203.0.113.7", 5_000),
                v1(
                        "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n",
                        ProxyOutcome.V1,
                        "255.255.255.255",
                        65_535),
                v1("PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", ProxyOutcome.V1, "0.0.0.0", 0),
                v1("PROXY TCP6 2001:db8::7 ::1 5000 443\r\n", ProxyOutcome.V1, "2001:db8::7", 5_000),
                v1("PROXY TCP6 ::ffff:203.0.113.7 ::1 5000 443\r\n", ProxyOutcome.V1, "203.0.113.7", 5_000),
                v1(longest, ProxyOutcome.V1, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 65_535),
                v1("PROXY UNKNOWN\r\n", ProxyOutcome.UNKNOWN, "unknown", 0),
                v1("PROXY UNKNOWN ffff::1 what ever 0 \u00ff\r\n", ProxyOutcome.UNKNOWN, "unknown", 0),
                v1("PROXY UNKNOWN " + "x".repeat(91) + "\r\n", ProxyOutcome.UNKNOWN, "unknown", 0),
                v2("21 11 000c cb007107 c0000201 1388 01bb", ProxyOutcome.V2, "203.0.113.7", 5_000),
                v2("21 11 0012 cb007107 c0000201 1388 01bb 040003 aabbcc", ProxyOutcome.V2, "203.0.113.7", 5_000),
                v2("21 11 0010 cb007107 c0000201 1388 01bb 04ffffaa", ProxyOutcome.V2, "203.0.113.7", 5_000),
                v2(
                        "21 21 0024 20010db8000000000000000000000007 00000000000000000000000000000001 1388 01bb",
                        ProxyOutcome.V2,
                        "2001:db8::7",
                        5_000),
                v2(
                        "21 21 0024 00000000000000000000ffffcb007107 00000000000000000000000000000001 1388 01bb",
                        ProxyOutcome.V2,
                        "203.0.113.7",
                        5_000),
                v2(
                        "21 11 0ff0 cb007107 c0000201 1388 01bb" + "00".repeat(0xff0 - 12),
                        ProxyOutcome.V2,
                        "203.0.113.7",
                        5_000),
                // an AWS NLB behind an endpoint service: checksum, endpoint, padding; seen on the wire
                v2(
                        "21 11 0054 ac1f0771 ac1f0a1f c8f2 0050 030004 e8d6892d ea0017 01"
                                + hex("vpce-08d2bf15fac5001c9") + NOOP_36,
                        ProxyOutcome.V2,
                        "172.31.7.113",
                        51_442),
                v2(AWS_V6, ProxyOutcome.V2, "2001:db8::7", 5_000),
                v2("20 00 0007 030004 00000000", ProxyOutcome.LOCAL, "unknown", 0),
                v2("20 11 0013 cb007107 c0000201 1388 01bb 030004 00000000", ProxyOutcome.LOCAL, "unknown", 0),
                v2(
                        "21 11 001f cb007107 c0000201 1388 01bb 040009 000000000000000000 030004 da3a35ee",
                        ProxyOutcome.V2,
                        "203.0.113.7",
                        5_000),
                v2("21 00 0000", ProxyOutcome.UNKNOWN, "unknown", 0),
                v2("21 00 0005 0102030405", ProxyOutcome.UNKNOWN, "unknown", 0),
                v2("21 31 00d8" + unix + unix, ProxyOutcome.UNKNOWN, "unknown", 0),
                v2("20 00 0000", ProxyOutcome.LOCAL, "unknown", 0),
                v2("20 11 000c cb007107 c0000201 1388 01bb", ProxyOutcome.LOCAL, "unknown", 0),
                v2("20 31 0000", ProxyOutcome.LOCAL, "unknown", 0),
                v2("20 ff 0003 010203", ProxyOutcome.LOCAL, "unknown", 0));
    }

    @ParameterizedTest
    @MethodSource("good")
    void read_goodHeader_atEverySplit_isTheSame(String hex, ProxyOutcome kind, String source, int port)
            throws Exception {
        byte[] header = ByteBufUtil.decodeHexDump(hex);
        ByteBuf in = Unpooled.buffer();
        for (int length = 0; length < header.length; length++) {
            in.clear().writeZero(7).readerIndex(7).writeBytes(header, 0, length);
            assertNull(ProxyHeader.read(in), "of " + length + " bytes");
            assertEquals(length, in.readableBytes(), "nothing is taken of a part");
        }
        in.clear().writeZero(7).readerIndex(7).writeBytes(header).writeBytes(BEHIND);
        ProxyHeader read = ProxyHeader.read(in);
        assertNotNull(read);
        assertEquals(kind, read.outcome());
        assertEquals(source, IpAddress.text(IpAddress.plain(read.address())));
        assertEquals(port, read.port());
        assertEquals(BEHIND.length, in.readableBytes(), "what stands behind is left");
    }

    /** Each bit behind its length, changed on the way; but for the type of the checksum, without which there is none. */
    @Test
    void read_headerWithAChecksum_changedAnywhere_isNotBelieved() {
        byte[] header = ByteBufUtil.decodeHexDump((SIGNATURE + AWS_V6).replace(" ", ""));
        int addresses = 16;
        int type = addresses + 36;
        for (int at = addresses; at < header.length; at++) {
            for (int bit = 1; bit <= 0x80 && at != type; bit <<= 1) {
                byte[] changed = header.clone();
                changed[at] ^= (byte) bit;
                assertEquals(ProxyOutcome.CHECKSUM, outcome(changed), "byte " + at);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "21 11 0013 cb007107 c0000201 1388 01bb 030004 00000000",
                "21 11 0012 cb007107 c0000201 1388 01bb 030003 000000",
                "21 11 000f cb007107 c0000201 1388 01bb 030004",
                "21 11 000f cb007107 c0000201 1388 01bb 030000",
                "21 00 0007 030004 00000000"
            })
    void read_headerWithAWrongChecksum_isToldApart(String rest) {
        assertEquals(ProxyOutcome.CHECKSUM, outcome(ByteBufUtil.decodeHexDump((SIGNATURE + rest).replace(" ", ""))));
    }

    private static ProxyOutcome outcome(byte[] header) {
        try {
            ProxyHeader read = ProxyHeader.read(Unpooled.wrappedBuffer(header));
            assertNotNull(read);
            return read.outcome();
        } catch (ProtocolViolation violation) {
            throw new AssertionError(violation);
        }
    }

    static Stream<String> bad() {
        String good = "21 11 000c cb007107 c0000201 1388 01bb";
        return Stream.concat(
                Stream.of(
                                "GET / HTTP/1.1\r\n",
                                "proxy TCP4 1.2.3.4 1.2.3.4 1 1\r\n",
                                "PROXYTCP4",
                                "PROXY\tTCP4",
                                "PROXY \r\n",
                                "PROXY\r\n",
                                "PROXY TCP4\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 1 1 \r\n",
                                "PROXY TCP4  1.2.3.4 1.2.3.4 1 1\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 1 1\r\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 -1 1\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 +1 1\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 01 1\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 65536 1\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 1 99999\r\n",
                                "PROXY TCP4 1.2.3.4 1.2.3.4 1 \u0661\r\n",
                                "PROXY TCP4 1.2.3.04 1.2.3.4 1 1\r\n",
                                "PROXY TCP4 1.2.3 1.2.3.4 1 1\r\n",
                                "PROXY TCP4 ::1 ::1 1 1\r\n",
                                "PROXY TCP6 1.2.3.4 1.2.3.4 1 1\r\n",
                                "PROXY TCP6 ::1%lo ::1 1 1\r\n",
                                "PROXY TCP6 [::1] ::1 1 1\r\n",
                                "PROXY TCP4 localhost 1.2.3.4 1 1\r\n",
                                "PROXY tcp4 1.2.3.4 1.2.3.4 1 1\r\n",
                                "PROXY UDP4 1.2.3.4 1.2.3.4 1 1\r\n",
                                "PROXY UNKNOWNX\r\n",
                                "PROXY UNKNOWN " + "x".repeat(92) + "\r\n",
                                "PROXY " + "x".repeat(200),
                                "\u0001",
                                "\u0016\u0003\u0001")
                        .map(ProxyHeaderTest::hex),
                Stream.of(
                                SIGNATURE.replace("51", "52"),
                                SIGNATURE + good.replaceFirst("21", "31"),
                                SIGNATURE + good.replaceFirst("21", "11"),
                                SIGNATURE + good.replaceFirst("21", "22"),
                                SIGNATURE + good.replaceFirst("21 11", "21 12"),
                                SIGNATURE + good.replaceFirst("21 11", "21 22"),
                                SIGNATURE + good.replaceFirst("21 11", "21 32"),
                                SIGNATURE + good.replaceFirst("21 11", "21 10"),
                                SIGNATURE + good.replaceFirst("21 11", "21 41"),
                                SIGNATURE + good.replaceFirst("000c", "000b"),
                                SIGNATURE + "21 21 0023",
                                SIGNATURE + "21 31 00d7",
                                SIGNATURE + "21 11 0ff1",
                                SIGNATURE + "21 11 ffff",
                                SIGNATURE + "20 00 ffff")
                        .map(hex -> hex.replace(" ", "")));
    }

    /** However it is cut: refused by what is there, at the latest when all is there, and never taken for a header. */
    @ParameterizedTest
    @MethodSource("bad")
    void read_badHeader_isRefusedWhateverTheSplit(String hex) {
        byte[] bytes = ByteBufUtil.decodeHexDump(hex);
        boolean refused = false;
        for (int length = 0; length <= bytes.length; length++) {
            try {
                assertNull(ProxyHeader.read(Unpooled.wrappedBuffer(bytes, 0, length)));
                assertTrue(!refused, "refused once, then waited for");
            } catch (ProtocolViolation violation) {
                assertEquals(CloseReason.PROXY_FAILED, violation.reason());
                refused = true;
            }
        }
        assertTrue(refused);
    }

    /** The library writes, we read. */
    @Test
    void read_whatTheLibraryWrote_saysTheSame() throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        EmbeddedChannel encoder = new EmbeddedChannel(HAProxyMessageEncoder.INSTANCE);
        for (int round = 0; round < 2_000; round++) {
            boolean six = random.nextBoolean();
            String source = IpAddress.text(IpAddress.plain(address(random, six)));
            six = source.indexOf(':') >= 0;
            String target = six ? "::1" : "192.0.2.1";
            int port = random.nextInt(65_536);
            boolean second = random.nextBoolean();
            encoder.writeOutbound(
                    second
                            ? new HAProxyMessage(
                                    HAProxyProtocolVersion.V2,
                                    HAProxyCommand.PROXY,
                                    six ? HAProxyProxiedProtocol.TCP6 : HAProxyProxiedProtocol.TCP4,
                                    source,
                                    target,
                                    port,
                                    443,
                                    tlvs(random))
                            : new HAProxyMessage(
                                    HAProxyProtocolVersion.V1,
                                    HAProxyCommand.PROXY,
                                    six ? HAProxyProxiedProtocol.TCP6 : HAProxyProxiedProtocol.TCP4,
                                    source,
                                    target,
                                    port,
                                    443));
            ByteBuf written = encoder.readOutbound();
            ProxyHeader read = ProxyHeader.read(written);
            assertNotNull(read, "seed " + seed);
            assertEquals(second ? ProxyOutcome.V2 : ProxyOutcome.V1, read.outcome(), "seed " + seed);
            assertEquals(source, IpAddress.text(read.address()), "seed " + seed);
            assertEquals(port, read.port(), "seed " + seed);
            assertEquals(0, written.readableBytes(), "seed " + seed);
            written.release();
        }
    }

    private static byte[] address(Random random, boolean six) {
        byte[] address = new byte[six ? 16 : 4];
        random.nextBytes(address);
        return address;
    }

    private static List<HAProxyTLV> tlvs(Random random) {
        List<HAProxyTLV> all = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] content = new byte[random.nextInt(300)];
            random.nextBytes(content);
            all.add(new HAProxyTLV((byte) 0xE0, Unpooled.wrappedBuffer(content)));
        }
        return all;
    }

    /** Good headers with some bytes changed: whatever we take, the library reads as coming from the same place. */
    @Test
    void read_changedHeader_neverSaysWhatTheLibraryDoesNot() {
        long seed = Long.getLong("test.seed", System.nanoTime());
        Random random = new Random(seed);
        List<byte[]> seeds = good().map(row -> ByteBufUtil.decodeHexDump((String) row.get()[0]))
                .toList();
        int taken = 0;
        for (int round = 0; round < 50_000; round++) {
            byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt(256) : " .:0\r\n".charAt(random.nextInt(6)));
            }
            ProxyHeader ours;
            try {
                ours = ProxyHeader.read(Unpooled.wrappedBuffer(bytes));
            } catch (ProtocolViolation refused) {
                continue;
            }
            if (ours != null && ours.outcome().hasSource()) {
                taken++;
                String theirs = libraryReads(bytes);
                assertTrue(
                        theirs.isEmpty()
                                || theirs.equals(IpAddress.text(IpAddress.plain(ours.address())) + " " + ours.port()),
                        () -> "seed " + seed + ": " + theirs + " of " + ByteBufUtil.hexDump(bytes));
            }
        }
        assertTrue(taken > 1_000, "seed " + seed + ": only " + taken);
    }

    /** Source and port; empty if the library refuses what stands behind the addresses, which we do not look at. */
    private static String libraryReads(byte[] bytes) {
        EmbeddedChannel channel = new EmbeddedChannel(new HAProxyMessageDecoder());
        try {
            channel.writeInbound(Unpooled.wrappedBuffer(bytes));
            HAProxyMessage message = channel.readInbound();
            if (message == null) {
                return "";
            }
            byte[] address = IpAddress.parse(message.sourceAddress());
            assertNotNull(address);
            String read = IpAddress.text(address) + " " + message.sourcePort();
            message.release();
            return read;
        } catch (RuntimeException refused) {
            return "";
        } finally {
            finish(channel);
        }
    }

    /** The library decodes what is left once more at the end, and may find fault with it again. */
    private static void finish(EmbeddedChannel channel) {
        try {
            channel.finishAndReleaseAll();
        } catch (DecoderException refused) {
            channel.releaseInbound();
        }
    }
}
