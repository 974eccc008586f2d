package io.heartwheel.admin;

import static io.heartwheel.admin.AdminFixture.errorCode;
import static io.heartwheel.admin.AdminFixture.json;
import static io.heartwheel.admin.AdminFixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.drain.DrainControl;
import io.heartwheel.drain.DrainOrder;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DrainEndpointsTest {
    @AutoClose
    private final AdminFixture admin = new AdminFixture();

    @Test
    void showAndCancel_noDrain_saySo() throws Exception {
        JsonNode told = admin.told("/v1/drain");

        assertEquals("no drain: devices are taken", text(told, "text"));
        assertEquals("none", text(told, "phase"));
        assertTrue(told.get("plan").isNull());
        assertTrue(told.get("started").isNull());
        var cancelled = admin.call("DELETE", "/v1/drain");
        assertEquals(409, cancelled.statusCode());
        assertEquals("not_taken_back", errorCode(cancelled));
    }

    @Test
    void forecast_nothingSaid_takesTheConfiguration() throws Exception {
        JsonNode told = admin.told("/v1/drain/forecast");

        assertEquals(
                "3,000 devices, 300 of them plain: sent away at 1,000/s in 3.0 s, the last closed after 10.0 s at the latest;"
                        + " all back after 5.0 s, at most 1,000/s, 600/s on average, within the 1,000/s admitted",
                text(told, "text"));
        assertEquals(1_000.0, told.get("peak_reconnects_per_second").asDouble());
        assertEquals(3_000, told.get("telling_ms").asLong());
        assertEquals(5_000, told.get("all_back_ms").asLong());
        assertEquals("[]", told.get("limits").toString());
        assertNull(admin.drains.ordered);
    }

    @Test
    void forecast_rateOfOtherGateways_isSaidToBeTheirs() throws Exception {
        admin.drains.announcing = 1;
        JsonNode told = admin.told("/v1/drain/forecast?share=0.5");
        assertEquals(1, told.get("announced_by").asInt());
        assertTrue(text(told, "text").endsWith(", within the 1,000/s that 1 other gateway announces"), told::toString);
        JsonNode asked = admin.told("/v1/drain/forecast?admit_per_second=1000");
        assertEquals(0, asked.get("announced_by").asInt());
        assertTrue(text(asked, "text").endsWith(", within the 1,000/s admitted"), asked::toString);
        admin.call("POST", "/v1/drain");
        DrainOrder ordered = admin.drains.ordered;
        assertEquals(1, ordered == null ? 0 : ordered.announcing());
    }

    @Test
    void forecast_otherParameters_reckonsWithThem() throws Exception {
        JsonNode told = admin.told("/v1/drain/forecast?rate=5000&admit_per_second=10&deadline=500ms&notice=1h");

        assertEquals(5_000, told.get("rate").asInt());
        assertEquals(500, told.get("deadline_ms").asLong());
        assertEquals(3_600_000, told.get("notice_ms").asLong());
        assertEquals(1_500, told.get("untold").asLong());
        assertEquals(
                "[\"goaway_rate\",\"deadline\",\"plain_peers\"]",
                told.get("limits").toString());
        assertEquals(false, told.get("within_admission").asBoolean());
        assertEquals(500_000, told.get("enough_deadline_ms").asLong());
    }

    @Test
    void start_withParameters_isAcceptedOnce() throws Exception {
        var first = admin.call("POST", "/v1/drain?rate=7&admit_per_second=8&deadline=2m&stay=true&notice=15s");
        assertEquals(202, first.statusCode());
        assertEquals(new DrainOrder(7, 8, Duration.ofMinutes(2), true, Duration.ofSeconds(15)), admin.drains.ordered);
        JsonNode told = json(first);
        assertEquals(
                "telling: 1,200 of 3,000 devices have been told, 1,100 left and 50 were closed, 1,850 remain;"
                        + " 133.0 s more at the latest",
                text(told, "text"));
        assertEquals("2023-11-14T22:13:20Z", text(told, "started"));
        assertEquals("2023-11-14T22:15:35Z", text(told, "ends_at_latest"));
        assertEquals(1_850, told.get("remaining").asLong());
        assertEquals(3_000, told.get("plan").get("devices").asLong());

        var second = admin.call("POST", "/v1/drain");
        assertEquals(409, second.statusCode());
        assertEquals("draining", errorCode(second));
        assertTrue(second.body().contains("telling"), second.body());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rate=0",
                "rate=1000001",
                "rate=-1",
                "rate=",
                "rate=1e3",
                "rate=99999999999999999999",
                "admit_per_second=0",
                "deadline=10",
                "deadline=25h",
                "deadline=-1s",
                "deadline=999999999h",
                "deadline=1d",
                "notice=61m",
                "notice=1",
                "share=0",
                "share=0.0",
                "share=1.1",
                "share=.5",
                "count=0",
                "share=0.5&notice=1s",
                "stay=yes",
                "force=true"
            })
    void start_wrongParameter_isRefusedAndNothingBegins(String query) throws Exception {
        var answer = admin.call("POST", "/v1/drain?" + query);

        assertEquals(400, answer.statusCode(), answer.body());
        assertNull(admin.drains.ordered);
    }

    @Test
    void start_share_takesPartAndCount() throws Exception {
        var answer = admin.call("POST", "/v1/drain?share=0.3&deadline=1m");
        assertEquals(202, answer.statusCode());
        DrainOrder ordered = admin.drains.ordered;
        assertEquals(new DrainOrder.Share(0.3, Integer.MAX_VALUE), ordered.share());
        assertTrue(ordered.stay());
        assertTrue(json(answer).get("share").asBoolean());
        JsonNode forecast = admin.told("/v1/drain/forecast?count=120&admit_per_second=10");
        assertTrue(
                text(forecast, "text").startsWith("a share: 120 devices, 12 of them plain: sent"), forecast::toString);
    }

    @ParameterizedTest
    @CsvSource({"0ms, 0", "24h, 86400000", "90s, 90000"})
    void start_deadlineAtTheEdge_isTaken(String deadline, long millis) throws Exception {
        assertEquals(202, admin.status("POST", "/v1/drain?deadline=" + deadline));
        assertEquals(millis, admin.drains.ordered.deadline().toMillis());
    }

    @Test
    void cancel_aDrain_tellsHowFarItWas() throws Exception {
        admin.call("POST", "/v1/drain?stay=true");
        var answer = admin.call("DELETE", "/v1/drain");

        assertEquals(200, answer.statusCode());
        assertEquals(
                "taken back after 1.0 s: of 3,000 devices 10 were told, 9 left and 0 were closed, 2,991 remain;"
                        + " devices are taken",
                text(json(answer), "text"));
    }

    @Test
    void cancel_thatFails_saysWhy() throws Exception {
        admin.call("POST", "/v1/drain?stay=true");
        admin.drains.cancelFails = new IOException("listeners.tcp.bind = 0.0.0.0:7070: taken");
        var answer = admin.call("DELETE", "/v1/drain");
        assertEquals(503, answer.statusCode());
        assertTrue(answer.body().contains("taken"), answer.body());

        admin.drains.cancelFails = new DrainControl.Conflict("the process is told to end meanwhile");
        assertEquals(409, admin.status("DELETE", "/v1/drain"));
    }
}
