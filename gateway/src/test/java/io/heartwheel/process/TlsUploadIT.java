package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Devices that send large records over a slow link, with a promise that is far shorter than a record takes. */
@Tag("timed")
@ExtendWith(StallWitness.class)
@Execution(ExecutionMode.CONCURRENT)
class TlsUploadIT {
    private static final long HEARTBEAT = TimeUnit.SECONDS.toNanos(4);
    private static final int PACE = 2_000;
    /** A record of 16 KB, which takes 8 s, and some more. */
    private static final int UPLOAD = 20_000;

    @TempDir
    private static Path scratch;

    private static TestCertificates certificates;
    private static GatewayProcess gateway;

    @BeforeAll
    static void start() throws Exception {
        certificates = new TestCertificates(scratch);
        gateway = GatewayProcess.with("heartbeat.interval", "2s", "heartbeat.grace", "2.0")
                .set("sink.kind", "echo", "read-progress.timeout", "5s", "read-progress.min-rate", "500B")
                .tls("tcp", certificates)
                .start();
    }

    @AfterAll
    static void end() throws Exception {
        gateway.close();
    }

    @Test
    void frame_inLargeRecords_outlivesTheHeartbeat() throws Exception {
        PacedSocket slow = new PacedSocket(gateway.tcp());
        try (WireClient device = new WireClient(secure(slow))) {
            device.sayHello("uploads-a-frame");
            slow.pace(PACE);
            long beganNanos = System.nanoTime();
            device.send(WireFrame.data(7, 0, new byte[UPLOAD]));
            assertTrue(System.nanoTime() - beganNanos > 2 * HEARTBEAT);
            assertEquals(7, device.next(WireFrame.DATA).id());
        }
    }

    @Test
    void record_whoseDeviceDiesInTheMiddle_isClosedAsEveryDeadDevice() throws Exception {
        PacedSocket slow = new PacedSocket(gateway.tcp());
        try (WireClient device = new WireClient(secure(slow))) {
            device.sayHello("dies-in-a-record");
            long beganNanos = System.nanoTime();
            slow.cutAfter(12_800);
            device.send(WireFrame.data(7, 0, new byte[UPLOAD]));
            device.nextClose(4001);
            assertTrue(System.nanoTime() - beganNanos >= HEARTBEAT, "early");
            assertTrue(System.nanoTime() - beganNanos < 3 * HEARTBEAT, "late");
        }
    }

    private static SSLSocket secure(PacedSocket below) throws Exception {
        SSLSocket socket = (SSLSocket) certificates.secured(below);
        socket.startHandshake();
        return socket;
    }
}
