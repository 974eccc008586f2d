package io.heartwheel.cluster.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.NodeId;
import io.heartwheel.cluster.NodeStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Members of a fleet in virtual time: who is lost, and who is not. */
class MembersTest {
    private static final long TENTH = TimeUnit.SECONDS.toNanos(1) / 10;
    private static final NodeId SELF = new NodeId("self", 50);
    private static final NodeId OTHER = new NodeId("other", 10);

    private long nowNanos = Long.MAX_VALUE - 20 * TENTH; // a clock may pass its end
    private final List<NodeId> asked = new ArrayList<>();
    /** What becomes of a question; null: it is answered. */
    private final Map<NodeId, EngineException.Kind> failures = new HashMap<>();

    private final Members members = new Members(SELF, this::ask, nowNanos);

    private CompletionStage<byte[]> ask(NodeId node) {
        asked.add(node);
        EngineException.Kind failure = failures.get(node);
        return failure == null
                ? CompletableFuture.completedFuture(new byte[0])
                : CompletableFuture.failedFuture(new EngineException(failure, "planted"));
    }

    private void hear(NodeId node) {
        members.heard(new NodeStatus(node, 7));
    }

    private void pass(int tenths, boolean reachable) {
        for (int i = 0; i < tenths; i++) {
            nowNanos += TENTH;
            members.turn(nowNanos, reachable);
        }
    }

    private List<NodeId> lost() {
        return members.lost().stream().map(Members.Lost::node).toList();
    }

    /** Everybody has 10 s more after the beginning, as after an outage. */
    private void begin() {
        pass(1, true);
        hear(OTHER);
    }

    @Test
    void silence_ofOneThatIsGone_isALossAfterFiveSeconds() {
        begin();
        failures.put(OTHER, EngineException.Kind.NO_NODE);
        pass(49, true);
        assertEquals(List.of(), asked);
        pass(2, true);
        assertEquals(List.of(OTHER), lost());
        assertFalse(members.isAlive(OTHER));
    }

    @Test
    void silence_ofOneThatStandsStill_isALossAfterFifteenSeconds() {
        begin();
        failures.put(OTHER, EngineException.Kind.UNREACHABLE);
        pass(149, true);
        assertEquals(List.of(), lost());
        pass(2, true);
        assertEquals(List.of(OTHER), lost());
        hear(OTHER);
        assertEquals(List.of(), lost(), "it goes on");
    }

    @Test
    void silence_ofOneThatAnswers_isNone() {
        begin();
        pass(1_000, true);
        assertEquals(List.of(), lost());
        assertTrue(asked.size() > 10);
    }

    @Test
    void silence_whileTheEngineIsAway_doesNotCount() {
        begin();
        failures.put(OTHER, EngineException.Kind.NO_NODE);
        pass(40, true);
        pass(1_000, false);
        pass(140, true);
        assertEquals(List.of(), lost(), "it may still be on its way back");
        pass(20, true);
        assertEquals(List.of(OTHER), lost());
    }

    @Test
    void silence_whileThisOneStoodStill_doesNotCount() {
        begin();
        failures.put(OTHER, EngineException.Kind.NO_NODE);
        pass(40, true);
        nowNanos += 600 * TENTH;
        pass(140, true);
        assertEquals(List.of(), lost());
    }

    @Test
    void restart_underTheSameName_makesTheOneBeforeLostAtOnce() {
        begin();
        failures.put(OTHER, EngineException.Kind.NO_NODE);
        hear(new NodeId("other", 11));
        pass(1, true);
        assertEquals(List.of(OTHER), lost());
    }

    @Test
    void namesake_thatAnswers_isNotLost() {
        begin();
        NodeId namesake = new NodeId("other", 11);
        for (int i = 0; i < 300; i++) {
            hear(namesake);
            hear(OTHER);
            pass(10, true);
            assertEquals(List.of(), lost());
        }
    }

    @Test
    void start_ofThisOne_asksForTheOneBefore() {
        NodeId before = new NodeId("self", 49);
        members.learn(before);
        failures.put(before, EngineException.Kind.NO_NODE);
        pass(2, true);
        assertEquals(List.of(before), lost());
    }

    @Test
    void there_whoWasHeardOfInTheLastThreeSecondsAndDoesNotEnd_isShown() {
        begin();
        members.learn(new NodeId("learned", 1));
        assertEquals(
                List.of(new NodeStatus(OTHER, 7), new NodeStatus(SELF, 3)), members.there(new NodeStatus(SELF, 3)));
        pass(31, true);
        assertEquals(List.of(new NodeStatus(SELF, 3)), members.there(new NodeStatus(SELF, 3)));
        members.heard(new NodeStatus(OTHER, 7));
        assertEquals(2, members.there(new NodeStatus(SELF, 3)).size());
        members.heard(new NodeStatus(OTHER, 7, NodeStatus.ENDS, ""));
        assertEquals(1, members.there(new NodeStatus(SELF, 3)).size());
    }

    @Test
    void over_whoIsOver_isNotLostAnyMore_untilItSpeaks() {
        begin();
        failures.put(OTHER, EngineException.Kind.NO_NODE);
        pass(60, true);
        members.isOver(OTHER);
        assertEquals(List.of(), lost());
        assertFalse(members.isAlive(OTHER));
        hear(OTHER);
        assertTrue(members.isAlive(OTHER));
    }
}
