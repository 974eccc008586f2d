package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad bytes to a TLS port: devices on the same loops go on, each offender is closed and counted, and the log stays clean. */
@Tag("hazard")
@Execution(ExecutionMode.CONCURRENT)
class TlsMalformedIT {
    private static final int DEVICES = 4;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final int DATA = 23;

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @ValueSource(strings = {"boringssl", "jdk"})
    void malformedTls_ofEveryKind_hasNoEffectOnConnectedDevices(String provider) throws Exception {
        long seed = Long.getLong("test.seed", System.nanoTime());
        TestCertificates certificates = new TestCertificates(scratch);
        // time enough for those who mean it; who sends a part of a hello waits as long, all of them at once
        try (GatewayProcess gateway = GatewayProcess.with("handshake.timeout", "10s", "heartbeat.interval", "10s")
                .set("listeners.tcp.tls.provider", provider)
                .tls("tcp", certificates)
                .start()) {
            Beating beating = new Beating(gateway, certificates.client(null));
            List<byte[]> offences = offences(new Random(seed));
            for (byte[] offence : offences) {
                Background.run(() -> offend(gateway, offence));
            }
            Await.until(
                    "every offender closed, seed " + seed,
                    () -> gateway.metrics().sum("heartwheel_closes_total", "protocol=\"handshake\"")
                            >= offences.size());
            beating.end();
            MetricsPage page = gateway.metrics();
            double failed = page.closes("tls_failed");
            double late = page.closes("handshake_timeout");
            assertEquals(offences.size(), failed + late, () -> "seed " + seed + ": " + failed + " + " + late);
            assertTrue(failed > late, () -> failed + " and " + late);
            assertEquals(failed, page.sum("heartwheel_tls_failures_total"));
            assertEquals(0, page.closes("internal_error"));
            assertEquals(DEVICES, page.sum("heartwheel_opens_total"));
            // what peers do wrong is no matter for the operator's log; the JDK's provider is announced by one line
            assertTrue(gateway.warnings().size() <= 1, gateway.warnings()::toString);
        }
    }

    /** What comes after a good handshake and is no TLS any more. */
    @Test
    void garbage_afterTheHandshake_closesThatConnectionOnly() throws Exception {
        TestCertificates certificates = new TestCertificates(scratch);
        try (GatewayProcess gateway =
                new GatewaySetup().tls("tcp", certificates).start()) {
            Beating beating = new Beating(gateway, certificates.client(null));
            Socket plain = new Socket(gateway.tcp().getAddress(), gateway.tcp().getPort());
            try (WireClient device = new WireClient(certificates.secured(plain))) {
                device.sayHello("spoiler");
                // BoringSSL answers the first with an alert, and Netty tells us of it with the next
                plain.getOutputStream().write(record(DATA, new byte[64]));
                Await.until("the alert", () -> plain.getInputStream().available() > 0);
                plain.getOutputStream().write(record(DATA, new byte[64]));
                Await.until("the close", () -> gateway.metrics().closes("tls_failed") == 1);
            }
            beating.end();
        }
    }

    private static void offend(GatewayProcess gateway, byte[] bytes) throws Exception {
        try (WireClient peer = WireClient.connect(gateway.tcp())) {
            peer.send(bytes);
            peer.socket().getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException reset) {
            // TLS owes no orderly end to who does not speak it
        }
    }

    private static List<byte[]> offences(Random random) throws IOException {
        List<byte[]> all = new ArrayList<>();
        all.add("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        all.add(new byte[4_096]);
        all.add(WireFrame.hello("in-the-clear"));
        all.add(clientHello(0x0300)); // SSL 3
        all.add(clientHello(0x0301)); // TLS 1.0
        all.add(clientHello(0x0302)); // TLS 1.1
        all.add(clientHello(0x7f7f));
        all.add(new byte[] {(byte) 0x80, 0x2e, 1, 3, 1, 0, 5}); // SSL 2
        byte[] whole = clientHello(0x0303);
        all.add(Arrays.copyOf(whole, whole.length - 20)); // cut
        all.add(record(HANDSHAKE, new byte[] {1, (byte) 0xff, (byte) 0xff, (byte) 0xff})); // 16 MB announced
        all.add(repeated(
                record(HANDSHAKE, join(new byte[] {1, (byte) 0xff, (byte) 0xff, (byte) 0xff}, new byte[16_000])), 40));
        all.add(new byte[] {HANDSHAKE, 3, 3, (byte) 0xff, (byte) 0xff}); // a record larger than any
        all.add(repeated(record(HANDSHAKE, new byte[0]), 2_000));
        all.add(repeated(record(DATA, new byte[0]), 2_000));
        all.add(repeated(record(ALERT, new byte[] {1, 0}), 2_000));
        all.add(record(ALERT, new byte[] {2, 40}));
        for (int i = 0; i < 20; i++) {
            byte[] noise = new byte[1 + random.nextInt(3_000)];
            random.nextBytes(noise);
            all.add(noise);
            byte[] changed = whole.clone();
            changed[5 + random.nextInt(changed.length - 5)] ^= (byte) (1 + random.nextInt(255));
            all.add(changed);
        }
        return all;
    }

    /** A hello of this version, with one cipher that is known and no extension. */
    private static byte[] clientHello(int version) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(version >> 8);
        body.write(version);
        body.write(new byte[32]); // random
        body.write(0); // no session
        body.write(new byte[] {0, 2, (byte) 0xc0, 0x2b}); // ECDHE-ECDSA-AES128-GCM
        body.write(new byte[] {1, 0}); // no compression
        byte[] hello = body.toByteArray();
        return record(HANDSHAKE, join(new byte[] {1, 0, 0, (byte) hello.length}, hello));
    }

    private static byte[] record(int type, byte[] content) {
        return join(new byte[] {(byte) type, 3, 3, (byte) (content.length >> 8), (byte) content.length}, content);
    }

    private static byte[] repeated(byte[] bytes, int times) {
        byte[] all = new byte[bytes.length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(bytes, 0, all, i * bytes.length, bytes.length);
        }
        return all;
    }

    private static byte[] join(byte[] head, byte[] tail) {
        byte[] both = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, both, head.length, tail.length);
        return both;
    }

    /** Devices that beat all the while; each beat is answered. */
    private static final class Beating {
        private final AtomicBoolean going = new AtomicBoolean(true);
        private final AtomicInteger beats = new AtomicInteger();
        private final List<FutureTask<Void>> ends = new ArrayList<>();

        Beating(GatewayProcess gateway, SSLContext context) throws Exception {
            for (int i = 0; i < DEVICES; i++) {
                WireClient device = new WireClient(context.getSocketFactory()
                        .createSocket(gateway.tcp().getAddress(), gateway.tcp().getPort()));
                device.sayHello("beating-" + i);
                ends.add(Background.run(() -> beat(device)));
            }
        }

        private void beat(WireClient device) throws Exception {
            try (device) {
                while (going.get()) {
                    device.roundTrip(beats.incrementAndGet());
                    TimeUnit.MILLISECONDS.sleep(50);
                }
                device.roundTrip(beats.incrementAndGet());
            }
        }

        void end() throws Exception {
            going.set(false);
            for (FutureTask<Void> end : ends) {
                end.get(Await.LONG.toSeconds(), TimeUnit.SECONDS);
            }
            assertTrue(beats.get() >= 2 * DEVICES, beats::toString);
        }
    }
}
