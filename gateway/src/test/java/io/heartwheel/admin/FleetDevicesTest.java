package io.heartwheel.admin;

import static io.heartwheel.admin.FleetRig.json;
import static io.heartwheel.admin.FleetRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The list of the devices of all gateways. */
class FleetDevicesTest {
    private static final String ALL = "/v1/devices?cluster=true";

    @AutoClose
    private final FleetRig rig = new FleetRig();

    private List<String> seen = new ArrayList<>();

    private void connect(FleetRig.Node to, int devices) {
        for (int i = 0; i < devices; i++) {
            to.connect(to.admin.part.id.name() + i);
        }
    }

    /** One page, and its cursor; null: it was the last. */
    private String page(String query, String cursor) {
        Response answer = rig.a.get(ALL + query + (cursor == null ? "" : "&cursor=" + cursor));
        assertEquals(200, answer.status(), () -> text(answer));
        JsonNode page = json(answer);
        for (JsonNode device : page.path("devices")) {
            assertTrue(
                    device.path("device").asText().startsWith(page.path("node").asText()), "of that gateway");
            seen.add(device.path("device").asText());
        }
        page.path("missing")
                .forEach(missing -> seen.add("missing " + missing.path("node").asText() + ": "
                        + missing.path("text").asText()));
        return page.path("next").textValue();
    }

    private void restOf(String query, String cursor) {
        int pages = 0;
        for (String next = cursor; next != null; next = page(query, next)) {
            assertTrue(++pages < 100, "it ends");
        }
    }

    @Test
    void pages_ofAllGateways_haveEachDeviceOnce() {
        connect(rig.a, 3);
        connect(rig.b, 5);
        connect(rig.c, 2);
        restOf("&limit=2", page("&limit=2", null));
        assertEquals(10, seen.size());
        assertEquals(10, new TreeSet<>(seen).size());
        assertEquals(
                List.of("a", "b", "c"),
                seen.stream().map(id -> id.substring(0, 1)).distinct().toList());
    }

    @Test
    void pages_filtered_filterEverywhere() {
        connect(rig.a, 2);
        connect(rig.b, 12);
        restOf("&prefix=b1&state=established", page("&prefix=b1&state=established", null));
        assertEquals(new TreeSet<>(List.of("b1", "b10", "b11")), new TreeSet<>(seen));
    }

    @Test
    void pages_aGatewayDiesBetweenTwo_isSaid() {
        connect(rig.a, 1);
        connect(rig.b, 3);
        connect(rig.c, 1);
        String cursor = page("&limit=1", page("&limit=1", null));
        assertEquals(2, seen.size());
        rig.b.kill();
        restOf("&limit=1", cursor);
        assertEquals(List.of("a0", seen.get(1), "missing b: it is gone", "c0"), seen);
    }

    @Test
    void pages_aGatewayDiesBeforeItsTurn_isSaid() {
        connect(rig.a, 2);
        connect(rig.c, 1);
        String cursor = page("&limit=1", null);
        rig.b.kill();
        rig.c.kill();
        restOf("&limit=1", cursor);
        assertEquals(List.of("missing b: it is gone", "missing c: it is gone"), seen.subList(2, 4));
    }

    /** Nothing is left that could be missing. */
    @Test
    void pages_aGatewayWhoseIdsAreGivenBack_isNotNamed() {
        connect(rig.a, 1);
        connect(rig.b, 1);
        page("", null);
        rig.b.kill();
        for (int i = 0; i < 600; i++) {
            rig.pass(TimeUnit.MILLISECONDS.toNanos(100));
        }
        seen.clear();
        restOf("", page("", null));
        assertEquals(List.of("a0"), seen);
    }

    @Test
    void page_thatDoesNotFitInAMessage_isAskedForInSmallerOnes() {
        connect(rig.b, 20);
        rig.memory.maxMessageBytes = 1_500;
        restOf("", page("", null));
        assertEquals(20, new TreeSet<>(seen).size(), seen::toString);
        assertEquals(20, seen.size());
    }

    @Test
    void nats_away_isUnknown() {
        connect(rig.a, 2);
        String cursor = page("&limit=1", null);
        rig.memory.down = true;
        rig.pass(1);
        assertEquals(503, rig.a.get(ALL).status());
        assertEquals(503, rig.a.get(ALL + "&cursor=" + cursor).status());
    }

    @Test
    void cursor_ofTheOtherKindOfList_is400() {
        connect(rig.a, 2);
        String cursor = page("&limit=1", null);
        assertEquals(400, rig.a.get("/v1/devices?cursor=" + cursor).status());
        assertEquals(400, rig.a.get(ALL + "&cursor=00000000000000ff").status());
        assertEquals(400, rig.a.get(ALL + "&cursor=b.1.first").status());
        assertEquals(200, rig.a.get("/v1/devices?limit=1").status());
    }

    /** One of 65,536 passes; here it would have to be two. */
    @Test
    void cursor_ofAnotherGateway_is400() {
        connect(rig.a, 2);
        String place = json(rig.a.get("/v1/devices?limit=1")).path("next").asText();
        assertEquals(200, rig.a.get("/v1/devices?cursor=" + place).status());
        List<FleetRig.Node> others = List.of(rig.b, rig.c);
        assertTrue(others.stream().anyMatch(each -> isRefused(each, "/v1/devices?cursor=" + place)));
        assertTrue(others.stream()
                .map(each -> each.admin.part.id)
                .anyMatch(node -> isRefused(
                        rig.a,
                        ALL + "&cursor=" + node.name() + "." + HexFormat.of().toHexDigits(node.incarnation()) + "."
                                + place)));
    }

    @Test
    void cursor_ofAGatewayThatNeverWas_is400() {
        for (int i = 0; i < 50; i++) { // until it has read who there is
            rig.pass(FleetRig.MOMENT);
        }
        assertTrue(isRefused(rig.a, ALL + "&cursor=nobody.0000000000000001.first"));
    }

    private static boolean isRefused(FleetRig.Node asked, String target) {
        Response answer = asked.get(target);
        return answer.status() == 400 && text(answer).contains("cursor = ");
    }
}
