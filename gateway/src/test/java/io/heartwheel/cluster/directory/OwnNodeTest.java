package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.ClusterSettings.OnOutage;
import io.heartwheel.cluster.MemoryFleet;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeRow;
import io.heartwheel.cluster.Row;
import io.heartwheel.liveness.LivenessSettings;
import io.heartwheel.session.SessionRegistry;
import io.heartwheel.session.VirtualGateway;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Rows of gateways' starts, in virtual time: which of them go. */
class OwnNodeTest {
    private static final long TENTH = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long DAY = TimeUnit.DAYS.toNanos(1);

    private final MemoryFleet fleet = new MemoryFleet(1);
    private final Map<String, NodeId> ids = new HashMap<>();

    private MemoryGateway start(String name) {
        SessionRegistry local = new SessionRegistry(fleet::now, () -> 1 + fleet.now() / 1_000, 0);
        VirtualGateway gateway = new VirtualGateway(0, LivenessSettings.defaults());
        MemoryGateway started = new MemoryGateway(fleet, name, local, OnOutage.LOCAL, gateway.sessionContext.sink());
        run(started, 3);
        ids.put(name, started.id);
        assertTrue(NodeRow.lives(row(name), started.id));
        return started;
    }

    private void run(MemoryGateway gateway, int seconds) {
        for (int i = 0; i < 10 * seconds; i++) {
            fleet.pass(TENTH);
            gateway.turn();
        }
    }

    private void end(MemoryGateway gateway) {
        fleet.await(gateway.node.own.leave(true));
        fleet.kill(gateway.id);
    }

    private Row row(String name) {
        return fleet.row("node " + name + "." + ids.get(name).incarnation());
    }

    @Test
    void rows_ofStartsThatAreOver_goWhenOneStartsAWeekLater() {
        end(start("old"));
        fleet.kill(start("lost").id);
        fleet.pass(6 * DAY);
        end(start("middle"));
        assertNotEquals(Row.NONE, row("old"), "not yet a week");
        fleet.pass(2 * DAY);
        MemoryGateway now = start("now");
        assertEquals(Row.NONE, row("old"));
        assertNotEquals(Row.NONE, row("middle"));
        assertTrue(row("lost").held(), "nobody has told it yet");

        run(now, 60);
        assertTrue(NodeRow.isDone(row("lost"), ids.get("lost")));
        assertTrue(NodeRow.lives(row("now"), now.id));
        fleet.kill(now.id);
        fleet.pass(8 * DAY);
        MemoryGateway last = start("last");
        run(last, 60);
        assertEquals(Row.NONE, row("lost"), "it was written when it was told");
        assertEquals(Row.NONE, row("middle"));
        assertTrue(NodeRow.isDone(row("now"), now.id));
    }

    @Test
    void rows_madeAnew_areReadFromTheBeginning() {
        MemoryGateway now = start("now");
        run(now, 60); // it has read its own
        fleet.makeAnew();
        NodeId unheard = new NodeId("unheard", 1);
        fleet.await(now.engine.rows().write(NodeRow.key(unheard), NodeRow.living(Row.NONE, unheard), 0));
        run(now, 90);
        assertTrue(NodeRow.isDone(fleet.row("node unheard.1"), unheard));
    }
}
