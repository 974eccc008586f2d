package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.push.PushSettings;
import io.heartwheel.push.StoredSettings;
import io.heartwheel.session.FakeSession;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Acknowledged messages over HTTP, to devices without sockets. */
class MessageEndpointsTest {
    @AutoClose
    private final AdminFixture admin = new AdminFixture(32);

    @AutoClose("shutdownNow")
    private final ExecutorService callers = Executors.newCachedThreadPool();

    private HttpResponse<String> push(String query, String body) throws Exception {
        return admin.post("/v1/devices/dev-1/messages" + query, "text/plain", body.getBytes(StandardCharsets.UTF_8));
    }

    private HttpResponse<String> withKey(String key, String query, String body) throws Exception {
        HttpRequest.Builder request = admin.request("/v1/devices/dev-1/messages" + query)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return admin.send(request);
    }

    /** The request, and its answer when so many messages wait and the other thing has been done. */
    private HttpResponse<String> answerOf(int waiting, Callable<HttpResponse<String>> request, Runnable then)
            throws Exception {
        Future<HttpResponse<String>> answer = callers.submit(request);
        awaitWaiting(waiting);
        then.run();
        return answer.get();
    }

    /** On the caller's thread a device's loop has no other, so what is seen here is complete. */
    private void awaitWaiting(int messages) {
        while (admin.gateway.timers.pending() < messages || admin.gateway.pushes.waiting() < messages) {
            Thread.onSpinWait();
        }
    }

    @Test
    void ackDevice_acknowledged_is200() throws Exception {
        FakeSession device = admin.device("dev-1");
        device.onData = data -> device.ack(data.messageId(), true);
        HttpResponse<String> response = push("?ack=device&id=8", "reboot");
        assertEquals(200, response.statusCode());
        assertEquals(
                "{\"outcome\":\"acknowledged\",\"device\":\"dev-1\",\"session\":1,\"epoch\":" + device.epoch()
                        + ",\"id\":8}\n",
                response.body());
        assertTrue(device.data.get(0).ackWanted());
    }

    @Test
    void reply_answered_bringsTextOrBytes() throws Exception {
        FakeSession device = admin.device("dev-1");
        device.onData = data -> device.reply(data.messageId(), true, "21.5 \u00b0C".getBytes(StandardCharsets.UTF_8));
        HttpResponse<String> response = push("?reply=1", "celsius?");
        assertEquals(200, response.statusCode());
        assertEquals("replied", text(json(response), "outcome"));
        assertEquals("{\"text\":\"21.5 \u00b0C\"}", json(response).path("reply").toString());
        device.onData = data -> device.reply(data.messageId(), false, new byte[] {-1, 0});
        assertEquals(
                "{\"base64\":\"/wA=\"}",
                json(push("?reply=1", "?")).path("reply").toString());
    }

    @Test
    void received_ponged_is200() throws Exception {
        FakeSession device = admin.device("dev-1", "plain", Runnable::run);
        HttpResponse<String> response = answerOf(1, () -> push("?ack=received", "x"), () -> {
            while (device.pings.isEmpty()) {
                Thread.onSpinWait();
            }
            device.pong(device.pings.get(0).number());
        });
        assertEquals(200, response.statusCode());
        assertEquals("received", text(json(response), "outcome"));
    }

    @Test
    void ackDevice_plainPeer_is409() throws Exception {
        admin.device("dev-1", "plain", Runnable::run);
        HttpResponse<String> response = push("?ack=device", "x");
        assertEquals(409, response.statusCode());
        assertEquals("cannot_acknowledge", errorCode(response));
    }

    @Test
    void ackDevice_neverAcknowledged_is504AtItsTimeout() throws Exception {
        FakeSession device = admin.device("dev-1");
        HttpResponse<String> response = answerOf(1, () -> push("?ack=device&timeout=200ms&id=11", "x"), () -> {
            while (device.data.isEmpty()) {
                Thread.onSpinWait();
            }
            admin.gateway.pass(Duration.ofMillis(240));
        });
        assertEquals(504, response.statusCode());
        assertEquals(
                "{\"type\":\"urn:heartwheel:problem:expired\",\"title\":\"Expired\",\"status\":504"
                        + ",\"detail\":\"not acknowledged in time; the device may have it\",\"code\":\"expired\""
                        + ",\"outcome\":\"expired\",\"id\":11}\n",
                response.body());
        assertEquals(0, admin.gateway.pushes.waiting());
    }

    @Test
    void ackDevice_offline_is404() throws Exception {
        assertEquals(404, push("?ack=device", "x").statusCode());
    }

    @Test
    void full_namesTheLimit_is429() throws Exception {
        admin.device("dev-1");
        admin.gateway.pushes.reconfigure(
                new PushSettings(1, 1 << 20, 1 << 20, Duration.ofHours(1), 1 << 20, StoredSettings.NONE));
        FakeSession device = (FakeSession) admin.gateway.registry.find("dev-1");
        HttpResponse<String> first = answerOf(1, () -> push("?ack=device&id=1", "x"), () -> {
            try {
                HttpResponse<String> second = push("?ack=device&id=2", "x");
                assertEquals(429, second.statusCode());
                assertEquals("messages.per-device = 1: that many wait for the device", text(json(second), "detail"));
                assertEquals("1", second.headers().firstValue("retry-after").orElse(""));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            device.ack(1, true);
        });
        assertEquals(200, first.statusCode());
    }

    @Test
    void parameters_thatMakeNoSense_are400() throws Exception {
        FakeSession device = admin.device("dev-1");
        for (String query : List.of(
                "ack=maybe",
                "ack=",
                "timeout=0s",
                "timeout=301s",
                "timeout=6m",
                "timeout=5",
                "reply=2",
                "reply=true",
                "reply=1&ack=sent",
                "reply=1&ack=received",
                "ack=device&id=0")) {
            assertEquals(400, push("?" + query, "x").statusCode(), query);
        }
        for (String key : List.of("", "a b", "x".repeat(129))) {
            assertEquals(400, withKey(key, "", "x").statusCode(), key);
        }
        assertTrue(device.data.isEmpty());
    }

    @Test
    void idempotencyKey_sixteenRequestsAtOnce_isOneMessageAndOneAnswer() throws Exception {
        FakeSession device = admin.device("dev-1");
        List<Future<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            answers.add(callers.submit(() -> withKey("order-4711", "?ack=device", "open")));
        }
        awaitWaiting(1);
        while (admin.gateway.pushes.keys().repeats() < 15) {
            Thread.onSpinWait();
        }
        assertEquals(1, device.data.size());
        device.ack(device.data.get(0).messageId(), true);
        String one = answers.get(0).get().body();
        for (Future<HttpResponse<String>> answer : answers) {
            assertEquals(200, answer.get().statusCode());
            assertEquals(one, answer.get().body());
        }
        assertEquals(
                one, withKey("order-4711", "?ack=device&timeout=1s", "open").body());
        assertEquals(1, device.data.size());
        for (HttpResponse<String> other : List.of(
                withKey("order-4711", "?ack=device", "close"),
                withKey("order-4711", "?ack=sent", "open"),
                withKey("order-4711", "?ack=device&id=5", "open"))) {
            assertEquals(422, other.statusCode());
            assertEquals("key_reused", errorCode(other));
        }
    }

    @Test
    void idempotencyKey_nothingWasSent_triesAnew() throws Exception {
        assertEquals(404, withKey("k", "", "x").statusCode());
        admin.device("dev-1");
        assertEquals(202, withKey("k", "", "x").statusCode());
        HttpResponse<String> again = withKey("k", "", "x");
        assertEquals(202, again.statusCode());
        assertEquals(1, ((FakeSession) admin.gateway.registry.find("dev-1")).data.size());
    }

    // ------------------------------------------------------------------ kept

    @Test
    void store_deviceIsAway_isQueuedListedAndTakenBack() throws Exception {
        try (AdminFixture storing = AdminFixture.storing()) {
            String path = "/v1/devices/sensor-43/messages";
            HttpResponse<String> queued = storing.post(path + "?store=1&ack=device&id=21", "text/plain", new byte[12]);
            assertEquals(202, queued.statusCode());
            assertEquals("{\"outcome\":\"queued\",\"device\":\"sensor-43\",\"id\":21}\n", queued.body());
            storing.post(path + "?store=1&ack=device&timeout=1h&id=22", "text/plain", new byte[1]);
            storing.gateway.pass(Duration.ofSeconds(1));
            assertEquals(
                    "{\"messages\":[{\"id\":21,\"bytes\":12,\"stored\":true,\"sent\":false,\"age_ms\":1000,\"expires_in_ms\":604799000}"
                            + ",{\"id\":22,\"bytes\":1,\"stored\":true,\"sent\":false,\"age_ms\":1000,\"expires_in_ms\":3599000}]"
                            + ",\"more\":false}\n",
                    storing.get(path).body());
            assertEquals(200, storing.get(path + "/21").statusCode());
            assertEquals(204, storing.status("DELETE", path + "/21"));
            assertEquals(404, storing.status("DELETE", path + "/21"));
            HttpResponse<String> gone = storing.get(path + "/21");
            assertEquals(404, gone.statusCode());
            assertEquals("unknown_message", errorCode(gone));
            HttpResponse<String> taken = storing.post(path + "?store=1&ack=device&id=22", "text/plain", new byte[1]);
            assertEquals(409, taken.statusCode());
            assertEquals("id_in_use", errorCode(taken));
            for (String query : List.of("store=1&reply=1", "store=1&timeout=169h", "store=2", "store=1&timeout=0s")) {
                assertEquals(
                        400,
                        storing.post(path + '?' + query, "text/plain", new byte[1])
                                .statusCode(),
                        query);
            }
            assertEquals(400, storing.status("GET", path + "/x"));
        }
    }

    @Test
    void store_noDirectory_is409() throws Exception {
        HttpResponse<String> response = push("?store=1", "x");
        assertEquals(409, response.statusCode());
        assertEquals("no_store", errorCode(response));
    }

    @Test
    void delete_whileSomebodyWaits_is410() throws Exception {
        admin.device("dev-1");
        HttpResponse<String> response = answerOf(1, () -> push("?ack=device&id=5", "x"), () -> {
            String path = "/v1/devices/dev-1/messages/5";
            assertTrue(looked(() -> admin.get(path)).body().contains("\"sent\":true"));
            assertEquals(204, looked(() -> admin.call("DELETE", path)).statusCode());
        });
        assertEquals(410, response.statusCode());
        assertEquals("cancelled", errorCode(response));
    }

    /** The answer to a request for which the device's loop has to do something. */
    private HttpResponse<String> looked(Callable<HttpResponse<String>> request) {
        Future<HttpResponse<String>> answer = callers.submit(request);
        while (!answer.isDone()) {
            admin.gateway.runTasks();
        }
        try {
            return answer.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }
}
