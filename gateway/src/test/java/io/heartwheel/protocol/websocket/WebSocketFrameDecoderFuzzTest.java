package io.heartwheel.protocol.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Random streams against their known meaning, and random garbage against what may never happen. The seed is in every failure. */
class WebSocketFrameDecoderFuzzTest {
    private static final long SEED = Long.getLong("test.seed", System.nanoTime());
    private static final int STREAMS = 200;

    private final Random random = new Random(SEED);
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private final List<String> meant = new ArrayList<>();

    private static Supplier<String> seed(int round) {
        return () -> "seed " + SEED + ", round " + round;
    }

    @Test
    void stream_ofRandomFrames_meansWhatWasMeant() {
        for (int round = 0; round < STREAMS; round++) {
            stream.reset();
            meant.clear();
            for (int n = random.nextInt(6); n >= 0; n--) {
                writeMessage();
            }
            writeEnd();
            WebSocketBench bench = new WebSocketBench();
            bench.echoes = true;
            EmbeddedChannel channel = bench.plain();
            deliver(channel, stream.toByteArray());
            channel.checkException();
            assertEquals(
                    meant,
                    ServerFrame.drain(channel).stream()
                            .map(WebSocketFrameDecoderFuzzTest::describe)
                            .toList(),
                    seed(round));
            channel.finishAndReleaseAll();
            assertEquals(1, bench.gateway.closed.size(), seed(round));
        }
    }

    // ------------------------------------------------------------------ the model

    private void writeMessage() {
        boolean text = random.nextBoolean();
        byte[] payload = payload(text);
        int from = 0;
        int first = text ? 0x01 : 0x02;
        while (true) {
            boolean last = random.nextInt(3) > 0;
            int to = last ? payload.length : from + random.nextInt(payload.length - from + 1);
            write((last ? 0x80 : 0) | first, Arrays.copyOfRange(payload, from, to));
            first = 0;
            from = to;
            if (last) {
                meant.add((text ? "81:" : "82:") + Arrays.hashCode(payload) + "/" + payload.length);
                return;
            }
            writeControl();
        }
    }

    private void writeControl() {
        byte[] payload = new byte[random.nextInt(126)];
        random.nextBytes(payload);
        int kind = random.nextInt(4);
        if (kind == 0) {
            write(0x89, payload);
            meant.add("8a:" + Arrays.hashCode(payload) + "/" + payload.length);
        } else if (kind == 1) {
            write(0x8A, payload);
        }
    }

    private void writeEnd() {
        int kind = random.nextInt(4);
        if (kind == 0) {
            byte[] close = ClientFrame.close(3000 + random.nextInt(2000), "").payload();
            write(0x88, close);
            meant.add("88:" + Arrays.hashCode(close) + "/2");
        } else if (kind == 1) {
            write(0xB0 | random.nextInt(16), new byte[0]);
            meant.add("88:1002");
        }
        write(0x89, new byte[] {1});
        if (kind > 1) {
            meant.add("8a:" + Arrays.hashCode(new byte[] {1}) + "/1");
        }
    }

    private byte[] payload(boolean text) {
        int size =
                switch (random.nextInt(4)) {
                    case 0 -> 0;
                    case 1 -> random.nextInt(130);
                    case 2 -> random.nextInt(1000);
                    default -> random.nextInt(WebSocketBench.MAX_PAYLOAD);
                };
        if (!text) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            return bytes;
        }
        StringBuilder all = new StringBuilder();
        int[] ends = {0x7F, 0x7FF, 0xD7FF, 0x10FFFF};
        while (all.length() < size / 4) {
            int end = ends[random.nextInt(4)];
            int codePoint = random.nextInt(end + 1);
            all.appendCodePoint(codePoint >= 0xD800 && codePoint <= 0xDFFF ? 'x' : codePoint);
        }
        return all.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    private void write(int first, byte[] payload) {
        stream.writeBytes(
                ClientFrame.of(first, payload).withMask(random.nextInt()).array());
    }

    private void deliver(EmbeddedChannel channel, byte[] bytes) {
        int most = 1 + random.nextInt(bytes.length + 1);
        for (int at = 0; at < bytes.length && channel.isOpen(); ) {
            int length = Math.min(bytes.length - at, 1 + random.nextInt(most));
            channel.writeInbound(Unpooled.copiedBuffer(bytes, at, length));
            at += length;
        }
    }

    private static String describe(ServerFrame frame) {
        if (frame.closeCode() == 1002) {
            return "88:1002";
        }
        return Integer.toHexString(frame.first()) + ":" + Arrays.hashCode(frame.payload()) + "/"
                + frame.payload().length;
    }
}
