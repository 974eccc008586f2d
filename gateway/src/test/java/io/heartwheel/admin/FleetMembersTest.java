package io.heartwheel.admin;

import static io.heartwheel.admin.FleetRig.MOMENT;
import static io.heartwheel.admin.FleetRig.json;
import static io.heartwheel.admin.FleetRig.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.heartwheel.cluster.MemberRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Members of groups that the API made, in a fleet. */
class FleetMembersTest {
    private static final String GROUP = "/v1/groups/g/devices";

    @AutoClose
    private final FleetRig rig = new FleetRig();

    FleetMembersTest() {
        rig.pass(MOMENT);
    }

    private Response change(FleetRig.Node at, String method, String device) {
        return at.ask(method, GROUP + "/" + device, "");
    }

    private void put(FleetRig.Node at, String device) {
        Response answer = change(at, "PUT", device);
        assertEquals(200, answer.status(), () -> text(answer));
        assertTrue(json(answer).path("durable").asBoolean(), "NATS has it");
    }

    private static List<String> names(JsonNode page) {
        List<String> names = new ArrayList<>();
        page.path("devices").forEach(each -> names.add(each.path("device").asText()));
        Collections.sort(names);
        return names;
    }

    private void assertMembers(String... devices) {
        for (FleetRig.Node node : List.of(rig.a, rig.b, rig.c)) {
            assertEquals(List.of(devices), names(json(node.get(GROUP))), node.admin.part.id::name);
        }
    }

    private void putTwo() {
        put(rig.a, "x");
        put(rig.b, "y");
        assertMembers("x", "y");
    }

    /** What the gateway finds missing then, it writes. */
    private void list(FleetRig.Node at) {
        at.get(GROUP);
        rig.pass(MOMENT);
    }

    private void outage(Runnable meanwhile) {
        rig.memory.down = true;
        rig.pass(MOMENT);
        meanwhile.run();
        rig.memory.down = false;
        for (int i = 0; i < 50; i++) {
            rig.pass(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    @Test
    void member_madeAtOneGateway_isOneAtAllUntilItIsTakenOutAtAnother() {
        put(rig.a, "x");
        put(rig.b, "y");
        put(rig.b, "x");
        assertMembers("x", "y");
        assertEquals(204, change(rig.c, "DELETE", "x").status());
        assertMembers("y");
        assertEquals(404, change(rig.a, "DELETE", "x").status());
        assertEquals(404, change(rig.b, "DELETE", "nobody").status());
        put(rig.a, "x");
        assertMembers("x", "y");
    }

    /** The name is looked at when the members are known, on another thread maybe. */
    @Test
    void list_ofWhatCanBeNoGroup_isRefused() throws Exception {
        rig.memory.down = true; // nothing is read first: no time passes while it is asked
        rig.pass(MOMENT);
        assertEquals(200, rig.a.admin.status("GET", GROUP));
        assertEquals(400, rig.a.admin.status("GET", "/v1/groups/a%20b/devices"));
    }

    @Test
    void changes_ofTheSameMemberAtTheSameTime_endAlikeEverywhere() {
        for (int i = 0; i < 20; i++) {
            List<CompletionStage<Response>> all = List.of(
                    rig.a.begin("PUT", GROUP + "/x", ""),
                    rig.b.begin("DELETE", GROUP + "/x", ""),
                    rig.c.begin("PUT", GROUP + "/x", ""));
            all.forEach(rig::await);
            List<String> there = names(json(rig.a.get(GROUP)));
            assertMembers(there.toArray(String[]::new));
        }
    }

    @Test
    void nats_away_changesAreRefusedAndTheLatestMembersStay() {
        put(rig.a, "x");
        assertMembers("x");
        outage(() -> {
            assertEquals(503, change(rig.a, "PUT", "y").status());
            assertEquals(503, change(rig.b, "DELETE", "x").status());
            assertMembers("x");
        });
        assertMembers("x");
        put(rig.b, "y");
        assertMembers("x", "y");
    }

    @Test
    void gateway_thatComesLater_learnsAll() {
        put(rig.a, "x");
        put(rig.a, "y");
        change(rig.b, "DELETE", "y");
        try (AdminFixture late = AdminFixture.inFleet(rig.memory, "late")) {
            late.members.add("g", "y"); // as it knew when it ended
            late.members.add("g", "z");
            late.groups.fleet().members().refresh(); // learns
            rig.pass(MOMENT);
            rig.pass(MOMENT);
            assertTrue(late.members.has("g", "x"));
            assertTrue(!late.members.has("g", "y"), "it was taken out meanwhile");
        }
    }

    @Test
    void members_madeBeforeThereWasAFleet_areToldToTheOthers() {
        rig.a.admin.members.add("g", "old");
        outage(() -> {}); // it begins again, as at its start
        list(rig.a);
        assertMembers("old");
        assertEquals(204, change(rig.b, "DELETE", "old").status());
        outage(() -> {});
        assertMembers();
    }

    @Test
    void rows_lost_areWrittenAgain() {
        putTwo();
        rig.memory.deleteRows();
        outage(() -> {});
        list(rig.a);
        assertMembers("x", "y");
        assertEquals(204, change(rig.c, "DELETE", "y").status());
        assertMembers("x");
    }

    /** Nobody but who made them noticed that they were gone. */
    @Test
    void rows_madeAnew_areReadFromTheBeginning() {
        putTwo();
        rig.memory.makeAnew();
        put(rig.a, "z");
        list(rig.b);
        assertMembers("x", "y", "z");
    }

    @Test
    void refresh_whileOthersWriteFasterThanItReads_ends() {
        int[] written = new int[1];
        Row member = MemberRow.next(Row.NONE, rig.a.admin.part.id, true);
        rig.memory.beforePage = () -> new RowStore.Entry(
                new MemberRow("g" + written[0]++, "d").key().getBytes(StandardCharsets.UTF_8), member, 0);
        assertTrue(rig.await(rig.b.admin.groups.fleet().members().refresh()));
    }

    @Test
    void member_thatNeverWasOne_takesNoRow() {
        assertEquals(404, change(rig.b, "DELETE", "nobody").status());
        assertEquals(List.of(), rig.await(rig.a.admin.part.engine.members().page(false, 0, 10)));
    }

    @Test
    void member_beyondTheLimit_isRefused() {
        for (int i = 0; i < 50; i++) {
            put(rig.a, "m" + i);
        }
        assertEquals(429, change(rig.a, "PUT", "more").status());
        rig.b.get(GROUP);
        assertEquals(429, change(rig.b, "PUT", "more").status());
    }
}
