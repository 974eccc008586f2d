package io.heartwheel.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Messages that a real gateway has kept for devices that are away, after its process was killed among them. */
@Execution(ExecutionMode.CONCURRENT)
class MessagesKillIT {
    @TempDir
    private Path scratch;

    private GatewayProcess start() throws Exception {
        return GatewayProcess.with("messages.directory", scratch.resolve("messages"), "messages.per-device", 65_536)
                .set("admin.max-connections", 64)
                .start();
    }

    /** What one device is sent, one after the other, and what was accepted. */
    private static final class Sender implements Runnable {
        private final GatewayProcess gateway;
        private final String device;
        private final List<Long> accepted = Collections.synchronizedList(new ArrayList<>());

        private Sender(GatewayProcess gateway, String device) {
            this.gateway = gateway;
            this.device = device;
        }

        @Override
        public void run() {
            try {
                for (long id = 1; ; id++) {
                    byte[] body = ("message " + id).getBytes(StandardCharsets.UTF_8);
                    GatewayProcess.Answer answer = gateway.admin(
                            "POST",
                            "/v1/devices/" + device + "/messages?store=1&ack=device&id=" + id,
                            "text/plain",
                            body);
                    assertEquals(202, answer.status(), answer::toString);
                    accepted.add(id);
                }
            } catch (IOException killed) {
                // the last one may be there or not
            }
        }
    }

    @Test
    void kill_amongAcceptedMessages_deliversEachInOrderAfterTheStart() throws Exception {
        killAmong(8, 400);
    }

    @Test
    @Tag("faults")
    void kill_amongTwentyThousand_deliversEachInOrderAfterTheStart() throws Exception {
        killAmong(20, 20_000);
    }

    private void killAmong(int devices, int messages) throws Exception {
        List<Sender> senders = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(devices);
        try (GatewayProcess gateway = start()) {
            for (int i = 0; i < devices; i++) {
                Sender sender = new Sender(gateway, "device-" + i);
                senders.add(sender);
                threads.execute(sender);
            }
            Await.until(
                    "messages under way",
                    () -> senders.stream()
                                    .mapToInt(each -> each.accepted.size())
                                    .sum()
                            >= messages);
            gateway.signal("KILL");
            assertEquals(128 + 9, gateway.awaitExit());
            threads.shutdown();
            assertTrue(threads.awaitTermination(Await.LONG.toSeconds(), TimeUnit.SECONDS));
        }
        try (GatewayProcess gateway = start()) {
            for (Sender sender : senders) {
                receive(gateway, sender);
            }
            Await.until("nothing kept", () -> gateway.metrics().sum("heartwheel_push_stored") == 0);
        }
    }

    /** Half of them over a connection that ends before the last ACK: what is not acknowledged comes again over the next. */
    private static void receive(GatewayProcess gateway, Sender sender) throws IOException {
        long next = 1;
        long half = sender.accepted.size() / 2;
        try (WireClient device = WireClient.hello(gateway.tcp(), sender.device)) {
            while (next <= half) {
                acknowledge(device, take(device, next));
                next++;
            }
            take(device, next);
        }
        try (WireClient device = WireClient.hello(gateway.tcp(), sender.device)) {
            // the ACKs of before may have come too late
            long first = device.next(WireFrame.DATA).id();
            assertTrue(first <= next, () -> first + " is missing something");
            acknowledge(device, first);
            for (long id = first + 1; id <= sender.accepted.size(); id++) {
                acknowledge(device, take(device, id));
            }
            while (gateway.ask("/v1/devices/" + sender.device + "/messages")
                            .path("messages")
                            .size()
                    > 0) {
                if (device.available() > 0) { // the one that had no answer
                    acknowledge(device, device.next(WireFrame.DATA).id());
                }
            }
        }
    }

    private static long take(WireClient device, long id) throws IOException {
        WireFrame data = device.next(WireFrame.DATA);
        assertEquals(id, data.id(), () -> "in order: " + data);
        return id;
    }

    private static void acknowledge(WireClient device, long id) throws IOException {
        device.send(WireFrame.ACK, ByteBuffer.allocate(9).putLong(id).array());
    }
}
