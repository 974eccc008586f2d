package io.heartwheel.loadgen.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.loadgen.wire.Frame;
import io.heartwheel.loadgen.wire.FrameCodec;
import io.heartwheel.loadgen.wire.FrameCursor;
import io.heartwheel.loadgen.wire.Vectors;
import io.heartwheel.loadgen.wire.Vectors.Vector;
import io.heartwheel.loadgen.workers.GatewayPool;
import io.heartwheel.loadgen.workers.TestGateways;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The reject vectors against the real gateway over a real socket, its answers read by this module's own codec. */
final class RejectVectorsIT {

    private static GatewayPool gateway;
    private static InetSocketAddress tcp;

    @BeforeAll
    static void start() throws Exception {
        Path jar = Path.of(System.getProperty("heartwheel.gateway.jar"));
        gateway = new GatewayPool(TestGateways.loopback(jar, 1, List.of(), List.of("-Xmx256m")));
        tcp = gateway.start().get("tcp");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @TestFactory
    Stream<DynamicTest> gateway_rejectVector_closesWithItsCode() {
        return Vectors.of("reject").stream()
                .map(vector -> DynamicTest.dynamicTest(vector.name(), () -> assertRejected(vector)));
    }

    private static void assertRejected(Vector vector) throws Exception {
        List<Frame> answers = exchange(ByteBufUtil.decodeHexDump(vector.hex()));
        assertTrue(!answers.isEmpty(), "closed without a word");
        Frame.Close close = assertInstanceOf(Frame.Close.class, answers.get(answers.size() - 1), answers.toString());
        assertEquals(Integer.parseInt(vector.meaning().strip()), close.code(), answers.toString());
        // What may come before it: the WELCOME for a good HELLO in front of the fault.
        assertTrue(
                answers.subList(0, answers.size() - 1).stream().allMatch(Frame.Welcome.class::isInstance),
                answers.toString());
    }

    private static List<Frame> exchange(byte[] bytes) throws Exception {
        try (Socket socket = new Socket(tcp.getAddress(), tcp.getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes);
            ByteBuf in = Unpooled.wrappedBuffer(socket.getInputStream().readAllBytes());
            FrameCursor cursor = new FrameCursor();
            List<Frame> answers = new ArrayList<>();
            while (cursor.next(in, 65_536)) {
                answers.add(FrameCodec.decode(cursor, in));
            }
            assertEquals(0, in.readableBytes(), "bytes behind the last frame");
            return answers;
        }
    }
}
